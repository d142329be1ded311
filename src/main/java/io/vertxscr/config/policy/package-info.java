/** What holds for one run, the same on all its nodes: one record a section, checked when it is made. */
package io.vertxscr.config.policy;
