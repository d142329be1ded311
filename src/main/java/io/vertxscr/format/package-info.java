/**
 * On-disk formats: one class for each kind of file, with its tree drawn above it.
 *
 * <p>Pure: bytes in, typed records out, and back; no file, no clock. Encoders write keys in a fixed order, decoders
 * never depend on one. What a decoder returns is whole: anything missing or malformed is a {@code ScrException} with
 * {@code CORRUPT} whose message names the kind of file and the key or byte concerned; the caller adds the path.
 */
package io.vertxscr.format;
