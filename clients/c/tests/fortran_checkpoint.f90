! Restarts where it can, checks what it reads, and writes one checkpoint: each rank its number and the step.
program fortran_checkpoint
  implicit none
  include 'scrf.h'
  character(len=SCR_MAX_FILENAME) :: name, file, version, val
  character(len=32) :: text
  integer :: ierror, flag, step, rank, found_rank, found_step, valid

  call get_environment_variable('OMPI_COMM_WORLD_RANK', text)
  read (text, *) rank
  call scr_get_version(version, ierror)
  call must(ierror, 'scr_get_version')
  if (index(version, 'vertx-scr') /= 1) stop 3
  call scr_config('SCR_JOB_NAME=fortran', val, ierror)
  call must(ierror, 'scr_config')
  call scr_init(ierror)
  call must(ierror, 'scr_init')
  step = 0
  call scr_have_restart(flag, name, ierror)
  call must(ierror, 'scr_have_restart')
  if (flag == 1) then
    call scr_start_restart(name, ierror)
    call must(ierror, 'scr_start_restart')
    read (name(6:), *) step
    write (text, '(a,i0)') 'state-', rank
    call scr_route_file(text, file, ierror)
    call must(ierror, 'scr_route_file')
    open (unit=10, file=trim(file), status='old', action='read')
    read (10, *) found_rank, found_step
    close (10)
    valid = 0
    if (found_rank == rank .and. found_step == step) valid = 1
    call scr_complete_restart(valid, ierror)
    call must(ierror, 'scr_complete_restart')
    print '(a,i0,a,a)', 'rank ', rank, ' restarted from ', trim(name)
  end if
  step = step + 1
  write (name, '(a,i0)') 'step-', step
  call scr_start_output(name, SCR_FLAG_CHECKPOINT + SCR_FLAG_OUTPUT, ierror)
  call must(ierror, 'scr_start_output')
  write (text, '(a,i0)') 'state-', rank
  call scr_route_file(trim(name) // '/' // text, file, ierror)
  call must(ierror, 'scr_route_file')
  open (unit=10, file=trim(file), status='replace', action='write')
  write (10, *) rank, step
  close (10)
  call scr_complete_output(1, ierror)
  call must(ierror, 'scr_complete_output')
  call scr_complete_output(1, ierror)
  if (ierror == SCR_SUCCESS) stop 4
  call scr_finalize(ierror)
  call must(ierror, 'scr_finalize')

contains

  subroutine must(outcome, call_name)
    integer, intent(in) :: outcome
    character(len=*), intent(in) :: call_name
    if (outcome /= SCR_SUCCESS) then
      print *, call_name, ' returned ', outcome
      stop 2
    end if
  end subroutine
end program
