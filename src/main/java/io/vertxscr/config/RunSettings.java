package io.vertxscr.config;

import io.vertxscr.config.policy.Checks;
import io.vertxscr.config.policy.RunPolicy;
import io.vertxscr.config.policy.UserFile;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.Descriptors;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.ScrException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Configuration of one run.
 *
 * @param jobName empty if none is given
 * @param lines for the log, where SCR_DEBUG asks for it: each value set by a source, with its place
 * @param remarks settings without effect, or with a risky one, in sentences
 */
public record RunSettings(RunPolicy policy, String jobName, List<String> lines, List<String> remarks) {
  /**
   * Returns the settings on these nodes, without other nodes' groups.
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

  /** Returns the settings with the user's file that they were read from. */
  public RunSettings from(Optional<UserFile> file) {
    return file.map(one -> new RunSettings(policy.with(one), jobName, lines, remarks)).orElse(this);
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
