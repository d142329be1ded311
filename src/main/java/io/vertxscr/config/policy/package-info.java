/** Policy of one run, the same on all its nodes. One record for each section, validated in its constructor. */
package io.vertxscr.config.policy;
