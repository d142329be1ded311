package io.vertxscr.config;

import io.vertxscr.config.policy.Checks;
import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.Descriptors;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.ScrException;
import java.util.Collection;
import java.util.List;

/**
 * What is configured for one run.
 *
 * @param jobName empty where nobody has given it one
 * @param lines for the log, where SCR_DEBUG asks for it: each value that somebody has set, with its place
 * @param remarks what somebody has said without effect, or with more than may be meant, in sentences
 */
public record RunSettings(RunPolicy policy, String jobName, List<String> lines, List<String> remarks) {
  /**
   * The same on these nodes, with the groups of no others.
   *
   * @throws ScrException where one of them has no value of a group that a descriptor needs
   */
  public RunSettings on(Collection<String> nodes) {
    Descriptors all = policy.descriptors();
    GroupDescriptors groups = all.groups().of(nodes);
    all.checkpoints().stream().filter(CheckpointDescriptor::enabled).map(CheckpointDescriptor::group).distinct()
        .forEach(group -> nodes.forEach(node -> require(groups, group, node, all.groups().nodes().keySet())));
    return new RunSettings(
        policy.with(all.with(groups)), jobName, lines, remarks);
  }

  private static void require(GroupDescriptors groups, String group, String node, Collection<String> known) {
    try {
      groups.valueOf(group, node);
    } catch (ScrException e) {
      throw Checks.bad(e.getMessage() + Nearest.to(node, known.stream().filter(name -> !name.equals(node)).toList())
          .map(near -> "; or is it the node that the configuration calls " + near + "?").orElse(""));
    }
  }
}
