/**
 * Protection and restore of a dataset on byte ranges that nodes read from each other. See
 * {@link io.vertxscr.redundancy.range.RangeSource}. The node that needs bytes pulls, computes and checks them.
 *
 * <pre>
 *   EncodePlan  -> EncodeJob  -> checksums of pieces -> (told to their owners) -> seal
 *   RebuildPlan -> RestoreJob -> files, checked
 * </pre>
 */
package io.vertxscr.redundancy;
