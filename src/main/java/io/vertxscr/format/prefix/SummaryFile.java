package io.vertxscr.format.prefix;

import io.vertxscr.format.DescriptorHash;
import io.vertxscr.format.Fields;
import io.vertxscr.format.Hash;
import io.vertxscr.format.HashFile;

/**
 * {@code <prefix>/.scr/scr.dataset.<id>/summary.scr}.
 * <pre>
 *   VERSION -> 6
 *   COMPLETE -> 1
 *   STORED -> 1048576    bytes of the files, if they are compressed
 *   DSET/descriptor
 * </pre>
 */
public final class SummaryFile {
  private static final String KIND = "summary file";
  private static final int VERSION = 6;

  private SummaryFile() {}

  /** The whole file. */
  public static byte[] encode(Summary summary) {
    Hash hash = new Hash().set("VERSION", VERSION).set("COMPLETE", Fields.flag(summary.complete()));
    summary.storedBytes().ifPresent(bytes -> hash.set("STORED", bytes));
    return HashFile.encode(hash.put("DSET", DescriptorHash.encode(summary.descriptor(), summary.complete())));
  }

  /** @throws io.vertxscr.model.ScrException CORRUPT */
  public static Summary decode(byte[] file) {
    return Fields.read(file, KIND, fields -> {
      fields.expect("VERSION", VERSION);
      return new Summary(DescriptorHash.decode(fields.child("DSET")), fields.flag("COMPLETE"),
          fields.findNumber("STORED", 0));
    });
  }
}
