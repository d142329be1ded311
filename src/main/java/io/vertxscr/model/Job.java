package io.vertxscr.model;

/** Whose dataset it is. Empty strings where unknown. */
public record Job(String user, String jobName, String jobId, String cluster) {}
