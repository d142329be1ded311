! A program written for SCR: every subroutine and constant of its documentation, as they are called there, and those of
! later releases. Run with SCR_ENABLE=0.
program every_subroutine
  implicit none
  include 'scrf.h'
  character(len=SCR_MAX_FILENAME) :: name, file, version, val
  integer :: ierror, flag, flags

  call scr_get_version(version, ierror)
  call must(ierror)
  call scr_config('SCR_FLUSH=5', val, ierror)
  call must(ierror)
  call scr_init(ierror)
  call must(ierror)
  call scr_have_restart(flag, name, ierror)
  call must(ierror)
  if (flag == 1) then
    call scr_start_restart(name, ierror)
    call scr_route_file('state', file, ierror)
    call scr_complete_restart(1, ierror)
  end if
  call scr_need_checkpoint(flag, ierror)
  call must(ierror)
  call scr_start_checkpoint(ierror)
  call must(ierror)
  call scr_route_file('state', file, ierror)
  call must(ierror)
  call scr_complete_checkpoint(1, ierror)
  call must(ierror)
  flags = SCR_FLAG_NONE
  flags = flags + SCR_FLAG_CHECKPOINT + SCR_FLAG_OUTPUT
  name = 'step-1'
  call scr_start_output(name, flags, ierror)
  call must(ierror)
  call scr_complete_output(1, ierror)
  call must(ierror)
  call scr_should_exit(flag, ierror)
  call must(ierror)
  call scr_current(name, ierror)
  call must(ierror)
  call scr_drop(name, ierror)
  call must(ierror)
  call scr_delete(name, ierror)
  call must(ierror)
  call scr_finalize(ierror)
  call must(ierror)
contains
  subroutine must(outcome)
    integer, intent(in) :: outcome
    if (outcome /= SCR_SUCCESS) stop 1
  end subroutine must
end program every_subroutine
