package io.vertxscr.cluster.store;

import io.vertxscr.storage.object.ObjectStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.zip.CRC32;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.StandardRetryStrategy;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.ChecksumType;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.CopyObjectResponse;
import software.amazon.awssdk.services.s3.model.CopyPartResult;
import software.amazon.awssdk.services.s3.model.EncodingType;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.MetadataDirective;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * A bucket, by the AWS SDK. Credentials, region and endpoint are what the SDK finds in its usual places; they are in no
 * message of this class. Each request is tried three times at most.
 */
final class S3Store implements ObjectStore {
  private static final Duration CONNECT = Duration.ofSeconds(10);
  private static final Duration SILENCE = Duration.ofSeconds(30);
  private static final Duration CALL = Duration.ofMinutes(5);
  private static final int MOST_ATTEMPTS = 3;
  /** More than a daemon has threads for prefix directories. */
  private static final int MOST_CONNECTIONS = 256;
  private static final int MOST_LISTED = 1000;
  /** Above that a copy needs parts. */
  private static final long MOST_COPIED_BYTES = 5L << 30;
  private static final long COPIED_PART_BYTES = 1L << 30;
  private static final int NOT_FOUND = 404;
  private static final int FORBIDDEN = 403;
  private static final int CONFLICT = 409;
  private static final int PRECONDITION_FAILED = 412;

  private final S3Client client;
  private final String bucket;

  private S3Store(S3Client client, String bucket) {
    this.client = client;
    this.bucket = bucket;
  }

  /** @param environment names an endpoint, or a region; the SDK looks there and in other places itself */
  static S3Store open(String bucket, boolean pathStyle, Map<String, String> environment) {
    S3ClientBuilder builder = S3Client.builder()
        .httpClientBuilder(Apache5HttpClient.builder().connectionTimeout(CONNECT).socketTimeout(SILENCE)
            .maxConnections(MOST_CONNECTIONS))
        .forcePathStyle(pathStyle)
        .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
        .overrideConfiguration(all -> all.apiCallTimeout(CALL)
            .retryStrategy(StandardRetryStrategy.builder().maxAttempts(MOST_ATTEMPTS).build()));
    boolean hasRegion = environment.containsKey("AWS_REGION") || environment.containsKey("AWS_DEFAULT_REGION");
    if (!hasRegion && (environment.containsKey("AWS_ENDPOINT_URL_S3") || environment.containsKey("AWS_ENDPOINT_URL"))) {
      builder.region(Region.US_EAST_1);                   // one's own server has none, but requests name one
    }
    return new S3Store(builder.build(), bucket);
  }

  private <T> T call(String what, String key, Supplier<T> request) throws IOException {
    try {
      return request.get();
    } catch (S3Exception e) {
      throw failure(what, key, e);
    } catch (SdkException e) {
      throw new FileSystemException(uri(key), null, what + " failed: " + e.getMessage());
    }
  }

  private IOException failure(String what, String key, S3Exception e) {
    return switch (e.statusCode()) {
      case NOT_FOUND -> new NoSuchFileException(uri(key), null, what + " failed: " + code(e));
      case PRECONDITION_FAILED, CONFLICT -> new ConditionFailedException(uri(key));
      case FORBIDDEN -> new AccessDeniedException(uri(key), null, what + " failed: " + code(e));
      default -> new FileSystemException(uri(key), null, what + " failed: " + e.statusCode() + " " + code(e));
    };
  }

  private static String code(S3Exception e) {
    return e.awsErrorDetails() == null || e.awsErrorDetails().errorCode() == null ? "status " + e.statusCode()
        : e.awsErrorDetails().errorCode();
  }

  private String uri(String key) {
    return "s3://" + bucket + "/" + key;
  }

  private static String bare(String etag) {
    return etag == null ? "" : etag.replace("\"", "");
  }

  private static String quoted(String etag) {
    return "\"" + etag + "\"";
  }

  private static String base64(int crc) {
    return Base64.getEncoder().encodeToString(ByteBuffer.allocate(Integer.BYTES).putInt(crc).array());
  }


  private static RequestBody body(ByteBuffer bytes) {
    return RequestBody.fromRemainingByteBuffer(bytes);
  }

  @Override
  public Optional<Found> head(String key) throws IOException {
    try {
      HeadObjectResponse found = call("a look", key, () -> client.headObject(ask -> ask.bucket(bucket).key(key)));
      Map<String, String> metadata = new TreeMap<>();
      found.metadata().forEach((name, value) -> metadata.put(name.toLowerCase(Locale.ROOT), value));
      return Optional.of(new Found(
          key, found.contentLength(), bare(found.eTag()), found.lastModified(), Map.copyOf(metadata)));
    } catch (NoSuchFileException _) {
      return Optional.empty();
    }
  }

  @Override
  public byte[] get(String key, String etag, long from, int count) throws IOException {
    if (count == 0) {
      return new byte[0];
    }
    byte[] bytes = call("a read", key, () -> client.getObjectAsBytes(ask -> ask.bucket(bucket)
        .key(key).ifMatch(quoted(etag)).range("bytes=" + from + "-" + (from + count - 1))).asByteArrayUnsafe());
    if (bytes.length != count) {
      throw new FileSystemException(uri(key), null, "a read gave " + bytes.length + " bytes instead of " + count);
    }
    return bytes;
  }

  @Override
  public Found put(String key, ByteBuffer bytes, Map<String, String> metadata, Condition condition)
      throws IOException {
    CRC32 crc = new CRC32();
    crc.update(bytes.duplicate());
    PutObjectRequest.Builder ask = PutObjectRequest.builder().bucket(bucket).key(key).metadata(metadata)
        .checksumCRC32(base64((int) crc.getValue()));
    switch (condition) {
      case Condition.Absent _ -> ask.ifNoneMatch("*");
      case Condition.Unchanged(String etag) -> ask.ifMatch(quoted(etag));
      case Condition.Anyhow _ -> { }
    }
    long count = bytes.remaining();
    try {
      String etag = call("a write", key, () -> client.putObject(ask.build(), body(bytes))).eTag();
      return new Found(key, count, bare(etag), Instant.EPOCH, metadata);
    } catch (NoSuchFileException e) {
      if (condition instanceof Condition.Unchanged) {
        throw new ConditionFailedException(uri(key));     // S3 says so of an object that is gone
      }
      throw e;
    }
  }

  @Override
  public String begin(String key, Map<String, String> metadata) throws IOException {
    return call("the begin of an upload", key, () -> client.createMultipartUpload(ask -> ask.bucket(bucket).key(key)
        .metadata(metadata).checksumAlgorithm(ChecksumAlgorithm.CRC32).checksumType(ChecksumType.FULL_OBJECT)))
        .uploadId();
  }

  @Override
  public UploadedPart upload(String key, String upload, int number, ByteBuffer bytes, int crc) throws IOException {
    long count = bytes.remaining();
    String etag = call("the upload of a part", key, () -> client.uploadPart(ask -> ask.bucket(bucket).key(key)
        .uploadId(upload).partNumber(number).contentLength(count).checksumCRC32(base64(crc)), body(bytes))).eTag();
    return new UploadedPart(number, etag, crc, count);
  }

  @Override
  public Found complete(String key, String upload, List<UploadedPart> parts, int crc) throws IOException {
    long all = parts.stream().mapToLong(UploadedPart::bytes).sum();
    List<CompletedPart> completed = parts.stream().map(part -> CompletedPart.builder().partNumber(part.number())
        .eTag(part.etag()).checksumCRC32(base64(part.crc())).build()).toList();
    call("the end of an upload", key, () -> client.completeMultipartUpload(ask -> ask.bucket(bucket).key(key)
        .uploadId(upload).multipartUpload(list -> list.parts(completed)).checksumType(ChecksumType.FULL_OBJECT)
        .checksumCRC32(base64(crc))));
    return require(key, all);
  }

  private Found require(String key, long bytes) throws IOException {
    Found found = head(key).orElseThrow(() -> new NoSuchFileException(uri(key)));
    if (found.bytes() != bytes) {
      throw new FileSystemException(uri(key), null, found.bytes() + " bytes instead of " + bytes);
    }
    return found;
  }

  @Override
  public void abort(String key, String upload) throws IOException {
    try {
      call("the abort of an upload", key, () ->
          client.abortMultipartUpload(ask -> ask.bucket(bucket).key(key).uploadId(upload)));
    } catch (NoSuchFileException _) {
      // it has ended
    }
  }

  @Override
  public List<OpenUpload> uploads(String prefix) throws IOException {
    return call("a list of uploads", prefix, () ->
        client.listMultipartUploadsPaginator(ask -> ask.bucket(bucket).prefix(prefix)).uploads().stream()
            .map(one -> new OpenUpload(one.key(), one.uploadId())).toList());
  }

  @Override
  public Found copy(Found from, String to, Map<String, String> metadata) throws IOException {
    if (from.bytes() > MOST_COPIED_BYTES) {
      return copyInParts(from, to, metadata);
    }
    CopyObjectResponse done = call("a copy", from.key(), () -> client.copyObject(ask -> ask.sourceBucket(bucket)
        .sourceKey(from.key()).copySourceIfMatch(quoted(from.etag())).destinationBucket(bucket).destinationKey(to)
        .metadataDirective(MetadataDirective.REPLACE).metadata(metadata)));
    return new Found(to, from.bytes(), bare(done.copyObjectResult().eTag()), Instant.EPOCH, metadata);
  }

  private Found copyInParts(Found from, String to, Map<String, String> metadata) throws IOException {
    String upload = call("the begin of a copy", to, () -> client.createMultipartUpload(ask ->
        ask.bucket(bucket).key(to).metadata(metadata))).uploadId();
    boolean done = false;
    try {
      List<CompletedPart> parts = new ArrayList<>();
      for (long at = 0; at < from.bytes(); at += COPIED_PART_BYTES) {
        String range = "bytes=" + at + "-" + (Math.min(from.bytes(), at + COPIED_PART_BYTES) - 1);
        int number = parts.size() + 1;
        CopyPartResult part = call("a copy of a part", from.key(), () -> client.uploadPartCopy(ask ->
            ask.sourceBucket(bucket).sourceKey(from.key()).copySourceIfMatch(quoted(from.etag()))
                .copySourceRange(range).destinationBucket(bucket).destinationKey(to).uploadId(upload)
                .partNumber(number))).copyPartResult();
        parts.add(CompletedPart.builder().partNumber(number).eTag(part.eTag()).build());
      }
      call("the end of a copy", to, () -> client.completeMultipartUpload(ask -> ask.bucket(bucket).key(to)
          .uploadId(upload).multipartUpload(list -> list.parts(parts))));
      done = true;
    } finally {
      if (!done) {
        abort(to, upload);
      }
    }
    return require(to, from.bytes());
  }

  @Override
  public void delete(String key) throws IOException {
    try {
      call("a deletion", key, () -> client.deleteObject(ask -> ask.bucket(bucket).key(key)));
    } catch (NoSuchFileException _) {
      // some stores say so
    }
  }

  private ListObjectsV2Response page(String prefix, Consumer<ListObjectsV2Request.Builder> more) throws IOException {
    try {
      return call("a list", prefix, () -> client.listObjectsV2(ask -> more.accept(
          ask.bucket(bucket).prefix(prefix).encodingType(EncodingType.URL))));
    } catch (NoSuchFileException _) {
      throw new FileSystemException(uri(prefix), null, "there is no bucket " + bucket);
    }
  }

  @Override
  public ObjectList list(String prefix, boolean flat, int most) throws IOException {
    List<Found> objects = new ArrayList<>();
    List<String> prefixes = new ArrayList<>();
    String next = null;
    do {
      String after = next;
      ListObjectsV2Response page = page(prefix, ask -> ask.delimiter(flat ? "/" : null)
          .maxKeys(Math.min(most, MOST_LISTED)).continuationToken(after));
      page.contents().forEach(one -> objects.add(
          new Found(one.key(), one.size(), bare(one.eTag()), one.lastModified(), Map.of())));
      page.commonPrefixes().forEach(one -> prefixes.add(one.prefix()));
      next = Boolean.TRUE.equals(page.isTruncated()) ? page.nextContinuationToken() : null;
    } while (next != null && objects.size() + prefixes.size() < most);
    return new ObjectList(objects, prefixes);
  }
}
