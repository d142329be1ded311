#!/bin/bash
# For those who start their programs themselves, here under Slurm: what scr run does, step by step.
#SBATCH --nodes=17
#SBATCH --time=08:00:00
#SBATCH --no-kill

export SCR_PREFIX=$SLURM_SUBMIT_DIR SCR_CNTL_BASE=/dev/shm SCR_CACHE_BASE=/dev/shm SCR_MIN_NODES=16
nodes=$(scr prerun) || exit

# A daemon on every node: each finds its own address on the way to the others. One that dies with its node, or alone, must not
# take the others along. The secret is made once: (umask 077; head -c 32 /dev/urandom | base64 > ~/.scr-secret)
srun --overlap --ntasks-per-node=1 --no-kill --kill-on-bad-exit=0 --wait=0 \
  scr node --port 5701 --members "${nodes//,/:5701,}:5701" --secret-file "$HOME/.scr-secret" &
daemons=$!

# Until the daemon of this host sees all others; a minute at most, for one of them may be down.
for second in {1..60}; do
  sleep 1
  seen=$(scr status --json 2>/dev/null)
  for node in ${nodes//,/ }; do
    [[ $seen == *"\"$node\""* ]] || continue 2
  done
  break
done

for run in 1 2 3 4 5; do
  down=$(scr list-down-nodes)
  scr should-exit --down "$down" && break
  srun --nodes=16 --ntasks-per-node=32 ${down:+"--exclude=$down"} ./simulation input.cfg && break
done

kill "$daemons"
wait "$daemons"
scr postrun
