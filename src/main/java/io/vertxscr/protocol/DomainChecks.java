package io.vertxscr.protocol;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.deser.BeanDeserializerModifier;
import com.fasterxml.jackson.databind.deser.std.DelegatingDeserializer;
import io.vertxscr.config.ConfText;
import io.vertxscr.config.SettingsSources;
import io.vertxscr.config.policy.FetchPolicy.CheckpointChoice;
import io.vertxscr.config.policy.Syslog;
import io.vertxscr.config.policy.UserFile;
import io.vertxscr.flow.advice.Grant;
import io.vertxscr.flow.advice.Rule;
import io.vertxscr.flow.advice.Span;
import io.vertxscr.flow.advice.Withdrawn;
import io.vertxscr.flow.flush.Leases;
import io.vertxscr.flow.gather.Part;
import io.vertxscr.flow.paths.PathClaims;
import io.vertxscr.flow.restart.Inventory;
import io.vertxscr.flow.restart.RestorePlan.Action;
import io.vertxscr.flow.restart.RestorePlan.Member;
import io.vertxscr.flow.restart.RestorePlan.RankPlan;
import io.vertxscr.model.CheckpointDescriptor;
import io.vertxscr.model.DatasetDescriptor;
import io.vertxscr.model.DatasetFlags;
import io.vertxscr.model.DatasetKey;
import io.vertxscr.model.DatasetRecord.Origin;
import io.vertxscr.model.Descriptors;
import io.vertxscr.model.FlushDescriptor.ContainerSizes;
import io.vertxscr.model.GroupDescriptors;
import io.vertxscr.model.Job;
import io.vertxscr.model.Limits;
import io.vertxscr.model.PrefixToken;
import io.vertxscr.model.RankFiles;
import io.vertxscr.model.RankMap;
import io.vertxscr.model.RedundancyDescriptor;
import io.vertxscr.model.RedundancyHeader;
import io.vertxscr.model.RedundancySet;
import io.vertxscr.model.SmallRank;
import io.vertxscr.model.StoreDescriptor;
import io.vertxscr.redundancy.FinishedParity;
import io.vertxscr.redundancy.RangeChecksums;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Bounds of the domain's records where they come in messages. Messages check themselves; these records are also read
 * from files, whose formats say what is damaged, and know less.
 */
final class DomainChecks extends BeanDeserializerModifier {
  private static final long serialVersionUID = 1L;
  /** Most rows of parity of one stripe: the elements of the field. */
  private static final int MAX_PARITIES = 255;
  private static final Map<Class<?>, Consumer<Object>> CHECKS = new HashMap<>();

  static {
    datasets();
    redundancy();
    settings();
    flows();
    parts();
  }

  private static <T> void check(Class<T> type, Consumer<T> by) {
    CHECKS.put(type, value -> by.accept(type.cast(value)));
  }

  private static void datasets() {
    check(DatasetDescriptor.class, dataset -> {
      FieldChecks.count("checkpointId", dataset.checkpointId());
      FieldChecks.count("createdUs", dataset.createdUs());
    });
    check(DatasetDescriptor.Totals.class, totals -> {
      FieldChecks.count("files", totals.files());
      FieldChecks.bytes("bytes", totals.bytes());
    });
    check(PrefixToken.class, token -> FieldChecks.count("epoch", token.epoch()));
    check(DatasetKey.class, key -> {
      FieldChecks.dataset(key.id());
      FieldChecks.count("createdUs", key.createdUs());
    });
    check(Job.class, job -> {
      FieldChecks.label("user", job.user());
      FieldChecks.label("jobName", job.jobName());
      FieldChecks.label("jobId", job.jobId());
      FieldChecks.label("cluster", job.cluster());
    });
    check(Origin.class, origin -> {
      FieldChecks.place("prefix", origin.prefix());
      FieldChecks.range("ranks", origin.ranks(), 1, Limits.MAX_RANKS);
    });
    check(RankFiles.class, rank -> {
      FieldChecks.rank(rank.rank());
      FieldChecks.size("files", rank.files(), Limits.MAX_FILES_PER_RANK);
    });
    check(SmallRank.class, rank -> {
      FieldChecks.rank(rank.rank());
      FieldChecks.size("files", rank.files(), Limits.MAX_SMALL_FILES);
      FieldChecks.range("bytes (characters)", rank.bytes().length(), 0, SmallRank.MAX_CHARS);
    });
    check(RankMap.class, map -> {
      FieldChecks.range("nodes (entries)", map.size(), 1, Limits.MAX_RANKS);
      Set<String> nodes = new HashSet<>();
      map.nodes().forEach(node -> {
        if (nodes.add(node)) {
          FieldChecks.node("nodes", node);
        }
      });
    });
    check(ContainerSizes.class, sizes -> {
      FieldChecks.bytes("bytes", sizes.bytes());
      FieldChecks.bytes("alignBytes", sizes.alignBytes());
    });
  }

  private static void redundancy() {
    check(RedundancySet.class, set -> FieldChecks.ranks("ranks", set.ranks()));
    check(RedundancyDescriptor.class, how -> FieldChecks.range("groups", how.groups(), 0, Limits.MAX_RANKS));
    check(RedundancyHeader.class, header -> {
      FieldChecks.range("worldRanks", header.worldRanks(), 1, Limits.MAX_RANKS);
      FieldChecks.bytes("chunkBytes", header.chunkBytes());
      FieldChecks.size("partners", header.partners(), header.set().size());
    });
    check(RangeChecksums.class, range -> {
      FieldChecks.rank(range.ownerRank());
      FieldChecks.bytes("offset", range.offset());
      FieldChecks.range("bytes", range.bytes(), 1, Limits.MAX_BYTES);
      FieldChecks.size("crcs", range.crcs(), Limits.MAX_FILES_PER_RANK);
    });
    check(FinishedParity.class, parity -> {
      FieldChecks.rank(parity.rank());
      FieldChecks.inside("name", parity.name());
      FieldChecks.size("crcs", parity.crcs(), MAX_PARITIES);
    });
  }

  private static void settings() {
    check(CheckpointDescriptor.class, how -> {
      FieldChecks.range("index", how.index(), 0, Limits.MAX_STORES);
      FieldChecks.text("group", how.group());
      FieldChecks.place("storeBase", how.storeBase());
    });
    check(StoreDescriptor.class, store -> {
      FieldChecks.place("base", store.base());
      FieldChecks.text("group", store.group());
      store.sizeBytes().ifPresent(bytes -> FieldChecks.version("sizeBytes", bytes));
    });
    check(Descriptors.class, all -> {
      FieldChecks.size("checkpoints", all.checkpoints(), Limits.MAX_STORES);
      FieldChecks.size("stores", all.stores(), Limits.MAX_STORES);
      FieldChecks.size("compressions", all.compressions().keySet(), Limits.MAX_STORES);
    });
    check(GroupDescriptors.class, groups -> {
      FieldChecks.size("nodes", groups.nodes().keySet(), Limits.MAX_RANKS);
      groups.nodes().forEach((node, values) -> {
        FieldChecks.node("nodes", node);
        values.forEach((group, value) -> {
          FieldChecks.text("nodes", group);
          FieldChecks.text("nodes", value);
        });
      });
    });
    check(CheckpointChoice.class, choice -> choice.current().ifPresent(name -> FieldChecks.text("current", name)));
    check(Syslog.class, syslog -> {
      FieldChecks.text("host", syslog.host());
      FieldChecks.label("prefix", syslog.prefix());
    });
    check(ConfText.class, text -> {
      FieldChecks.text("place", text.place());
      long chars = text.lines().stream().mapToLong(line -> line.length() + 1L).sum();
      FieldChecks.range("lines (characters)", chars, 0, Limits.MAX_CONF_FILE_BYTES + 1L);
    });
    check(UserFile.class, file -> {
      FieldChecks.place("place", file.place());
      long chars = file.lines().orElse(List.of()).stream().mapToLong(line -> line.length() + 1L).sum();
      FieldChecks.range("lines (characters)", chars, 0, Limits.MAX_CONF_FILE_BYTES + 1L);
    });
    check(SettingsSources.class, sources -> {
      FieldChecks.size("variables", sources.variables().keySet(), Limits.MAX_CONF_FILE_BYTES);
      sources.variables().forEach((name, value) -> {
        FieldChecks.text("variables", name);
        FieldChecks.sentence("variables", value);
      });
    });
  }

  private static void flows() {
    check(Rule.class, rule -> {
      FieldChecks.count("every", rule.every());
      FieldChecks.sentence("why", rule.why());
    });
    check(Span.class, span -> FieldChecks.count("to", span.to()));
    check(Grant.class, grant -> {
      FieldChecks.version("version", grant.version());
      FieldChecks.count("from", grant.from());
      FieldChecks.range("forget", grant.forget(), -1, FieldChecks.MAX_EXACT);
      FieldChecks.size("spans", grant.spans(), Limits.MAX_RANKS);
    });
    check(Withdrawn.class, answers -> {
      FieldChecks.version("version", answers.version());
      FieldChecks.count("from", answers.from());
      FieldChecks.count("lowest", answers.lowest());
      FieldChecks.size("spans", answers.spans(), Limits.MAX_RANKS);
    });
    check(Leases.Need.class, need -> FieldChecks.bytes("bytes", need.bytes()));
    check(Leases.Share.class, share -> {
      FieldChecks.range("writers", share.writers(), 0, Integer.MAX_VALUE);
      FieldChecks.version("bytesPerSecond", share.bytesPerSecond());
      FieldChecks.range("leaseMs", share.leaseMs(), 0, Leases.MAX_LEASE_MS);
    });
    check(PathClaims.Taken.class, taken -> {
      FieldChecks.count("index", taken.index());
      FieldChecks.rank(taken.rank());
      FieldChecks.node("node", taken.node());
    });
    check(RankPlan.class, plan -> {
      FieldChecks.rank(plan.rank());
      FieldChecks.nodeOrNone("source", plan.source());
      int members = plan.action() == Action.REBUILD ? plan.set().size() : 0;
      FieldChecks.range("members (entries)", plan.members().size(), members, plan.set().size());
    });
    check(Member.class, member -> {
      FieldChecks.nodeOrNone("filesNode", member.filesNode());
      FieldChecks.nodeOrNone("redundancyNode", member.redundancyNode());
    });
    check(Inventory.class, inventory -> {
      FieldChecks.node("node", inventory.node());
      FieldChecks.size("datasets", inventory.datasets(), Limits.MAX_DATASETS);
      FieldChecks.size("prefixes", inventory.prefixes(), Limits.MAX_DATASETS);
      inventory.prefixes().forEach(prefix -> FieldChecks.place("prefixes", prefix));
    });
    check(Inventory.Dataset.class, dataset -> {
      FieldChecks.place("base", dataset.base());
      FieldChecks.size("ranks", dataset.ranks(), Limits.MAX_RANKS);
    });
    check(Inventory.Held.class, held -> FieldChecks.rank(held.rank()));
  }

  private static void parts() {
    check(Part.Start.class, start -> {
      FieldChecks.label("name", start.name());
      FieldChecks.range("flags", start.flags(), 1, DatasetFlags.MAX_BITS);
      FieldChecks.count("lastDatasetId", start.lastDatasetId());
      FieldChecks.count("lastCheckpointId", start.lastCheckpointId());
      FieldChecks.count("lastCreatedUs", start.lastCreatedUs());
    });
    check(Part.RoomEstimate.class, room -> {
      FieldChecks.size("evict", room.evict(), Limits.MAX_DATASETS);
      room.evict().forEach(FieldChecks::dataset);
      FieldChecks.sentence("refusal", room.refusal());
    });
    check(Part.Complete.class, written -> {
      FieldChecks.dataset(written.datasetId());
      FieldChecks.ranks("invalidRanks", written.invalidRanks());
      FieldChecks.sentence("why", written.why());
      FieldChecks.sentence("refusal", written.refusal());
      FieldChecks.size("carried", written.carried(), Limits.MAX_CARRIED_FILES);
    });
    check(Part.Done.class, done -> {
      FieldChecks.dataset(done.datasetId());
      FieldChecks.fault(done.fault());
      FieldChecks.sentence("message", done.message());
    });
    check(Part.Named.class, named -> FieldChecks.label("name", named.name()));
    check(Part.Published.class, part -> FieldChecks.bytes("mapBytes", part.mapBytes()));
    check(Part.InvalidRanks.class, part -> FieldChecks.ranks("invalidRanks", part.invalidRanks()));
  }

  /** The records that are checked here. */
  static Set<Class<?>> types() {
    return CHECKS.keySet();
  }

  @Override
  public JsonDeserializer<?> modifyDeserializer(
      DeserializationConfig config, BeanDescription bean, JsonDeserializer<?> by) {
    Consumer<Object> check = CHECKS.get(bean.getBeanClass());
    return check == null ? by : new Checked(by, check);
  }

  /** Reads a record, and refuses it by its check. */
  private static final class Checked extends DelegatingDeserializer {
    private static final long serialVersionUID = 1L;
    private final transient Consumer<Object> check;

    Checked(JsonDeserializer<?> by, Consumer<Object> check) {
      super(by);
      this.check = check;
    }

    @Override
    protected JsonDeserializer<?> newDelegatingInstance(JsonDeserializer<?> by) {
      return new Checked(by, check);
    }

    @Override
    public Object deserialize(JsonParser from, DeserializationContext context) throws IOException {
      Object value = super.deserialize(from, context);
      check.accept(value);
      return value;
    }
  }
}
