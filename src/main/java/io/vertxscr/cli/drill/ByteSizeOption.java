package io.vertxscr.cli.drill;

import io.vertxscr.config.ByteSize;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** An option's number of bytes, with a unit or without. */
final class ByteSizeOption implements ITypeConverter<Long> {
  @Override
  public Long convert(String text) {
    return ByteSize.parse(text).orElseThrow(() -> new TypeConversionException(
        "'" + text + "' is no number of bytes; expected one such as 4096, 300KB or 1.5g"));
  }
}
