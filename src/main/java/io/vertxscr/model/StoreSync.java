package io.vertxscr.model;

/** When the application's files of a dataset in a store are brought to stable storage. */
public enum StoreSync {
  /** As EVICT; as NONE where the store is a file system in memory. */
  AUTO,
  /** Never: a loss of power takes what is in the store anyway, or nobody minds. */
  NONE,
  /** In the background when the dataset is protected; older ones are not evicted before. */
  EVICT,
  /** Before the dataset is complete: the application waits for it. */
  COMPLETE
}
