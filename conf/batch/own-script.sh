#!/bin/bash
# For those who start their programs themselves, here under Slurm: what scr run does, step by step.
#SBATCH --nodes=17
#SBATCH --time=08:00:00
#SBATCH --no-kill

export SCR_PREFIX=$SLURM_SUBMIT_DIR SCR_CNTL_BASE=/dev/shm SCR_CACHE_BASE=/dev/shm SCR_MIN_NODES=16
nodes=$(scr prerun) || exit

# A daemon on every node: each finds its own address on the way to the others.
srun --overlap --ntasks-per-node=1 scr node --port 5701 --members "${nodes//,/:5701,}:5701" \
  --secret-file "$HOME/.scr-secret" &
daemons=$!

for run in 1 2 3 4 5; do
  down=$(scr list-down-nodes)
  scr should-exit --down "$down" && break
  srun --nodes=16 --ntasks-per-node=32 ${down:+"--exclude=$down"} ./simulation input.cfg && break
done

kill "$daemons"
wait "$daemons"
scr postrun
