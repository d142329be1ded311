#!/bin/bash
# A job under Flux: 17 nodes, of which the program uses 16; one is a spare.
#flux: --job-name=simulation
#flux: --nodes=17
#flux: --exclusive
#flux: --time-limit=8h
#flux: --signal=TERM@300s

export SCR_PREFIX=$PWD
export SCR_CNTL_BASE=/dev/shm SCR_CACHE_BASE=/dev/shm
export SCR_RUNS=-1 SCR_MIN_NODES=16 SCR_HALT_SECONDS=600

exec scr run flux run --nodes=16 --tasks-per-node=32 ./simulation input.cfg
