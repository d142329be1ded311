package io.vertxscr.model;

/**
 * Identity of a dataset: its id alone may come from another history of the same prefix directory.
 *
 * @param id from 1
 * @param createdUs microseconds since 1970
 */
public record DatasetKey(int id, long createdUs) {}
