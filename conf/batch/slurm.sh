#!/bin/bash
# A job under Slurm: 17 nodes, of which the program uses 16; one is a spare.
#SBATCH --job-name=simulation
#SBATCH --nodes=17
#SBATCH --time=08:00:00
#SBATCH --signal=B:TERM@300
#SBATCH --no-kill

# The job's directory on the parallel file system; fast storage of the nodes for checkpoints.
export SCR_PREFIX=$SLURM_SUBMIT_DIR
export SCR_CNTL_BASE=/dev/shm SCR_CACHE_BASE=/dev/shm

# Restart without the nodes that are down, as often as it takes; end after a checkpoint ten minutes before the time is up.
export SCR_RUNS=-1 SCR_MIN_NODES=16 SCR_HALT_SECONDS=600

# exec: the signal five minutes before the end reaches scr run, which then saves what the caches hold.
exec scr run srun --nodes=16 --ntasks-per-node=32 ./simulation input.cfg
