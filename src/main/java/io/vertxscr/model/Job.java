package io.vertxscr.model;

/** Owner of a dataset. Empty strings where unknown. */
public record Job(String user, String jobName, String jobId, String cluster) {}
