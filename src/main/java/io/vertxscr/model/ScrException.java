package io.vertxscr.model;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Objects;

/**
 * An expected failure. Its message names the rank, dataset, file or node concerned, and what to do where that is known.
 *
 * <p>Unchecked, because it travels through futures; told apart from bugs by its type alone.
 */
public final class ScrException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Fault fault;

  public ScrException(Fault fault, String message) {
    super(Objects.requireNonNull(message));
    this.fault = Objects.requireNonNull(fault);
  }

  public ScrException(Fault fault, String message, Throwable cause) {
    super(Objects.requireNonNull(message), cause);
    this.fault = Objects.requireNonNull(fault);
  }

  public Fault fault() {
    return fault;
  }

  /** Returns the operating system's reason, for a message that names the path itself. */
  public static String reason(IOException e) {
    return switch (e) {
      case NoSuchFileException _, FileNotFoundException _ -> "no such file or directory";
      case AccessDeniedException denied when denied.getReason() != null -> "no permission: " + denied.getReason();
      case AccessDeniedException _ -> "no permission";
      case NotDirectoryException _ -> "this is no directory";
      case FileAlreadyExistsException _ -> "it exists already";
      case DirectoryNotEmptyException _ -> "the directory is not empty";
      case CharacterCodingException _ -> "this is no text in UTF-8";
      case FileSystemException f when f.getReason() != null -> f.getReason();
      // Its message is nothing but the path.
      case FileSystemException _ -> e.getClass().getSimpleName() + " " + e.getMessage();
      case IOException _ when e.getMessage() == null -> e.getClass().getSimpleName();
      default -> e.getMessage();
    };
  }
}
