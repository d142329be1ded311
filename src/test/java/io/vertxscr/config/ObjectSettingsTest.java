package io.vertxscr.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertxscr.config.ObjectSettings.Bucket;
import io.vertxscr.model.Fault;
import io.vertxscr.model.ScrException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ObjectSettingsTest {
  private static ObjectSettings of(String parameter, String value) {
    return ObjectSettings.of(Configuration.ofSystem(Map.of(parameter, value), Optional.empty()));
  }

  @Test
  void mountsAreReadWithTheirPrefixes() {
    ObjectSettings settings = of("SCR_OBJECT_MOUNT", "/ckpt/=s3://bucket/a/b/  /other=s3://second.bucket-2");

    assertThat(settings.mounts()).containsExactly(
        new Bucket("/ckpt", "bucket", "a/b/"), new Bucket("/other", "second.bucket-2", ""));
    assertThat(settings.partBytes()).isEqualTo(16 << 20);
    assertThat(settings.pathStyle()).isFalse();
    assertThat(of("SCR_OBJECT_PART", "64MB").partBytes()).isEqualTo(64 << 20);
    assertThat(of("SCR_OBJECT_PART", "64MB").mounts()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "SCR_OBJECT_MOUNT,ckpt=s3://bucket,expected /directory=s3://bucket/prefix",
    "SCR_OBJECT_MOUNT,/ckpt=gs://bucket,expected /directory=s3://bucket/prefix",
    "SCR_OBJECT_MOUNT,/ckpt=s3://Bucket,expected /directory=s3://bucket/prefix",
    "SCR_OBJECT_MOUNT,/ckpt,expected /directory=s3://bucket/prefix",
    "SCR_OBJECT_MOUNT,/=s3://bucket,cannot be mounted at",
    "SCR_OBJECT_MOUNT,/a/../b=s3://bucket,cannot be mounted at",
    "SCR_OBJECT_MOUNT,/a=s3://bucket/../b,cannot be the prefix",
    "SCR_OBJECT_MOUNT,/a=s3://bucket//b,cannot be the prefix",
    "SCR_OBJECT_MOUNT,/a=s3://one /a=s3://two,mounted twice",
    "SCR_OBJECT_MOUNT,/a=s3://one /a/b=s3://two,below another mount",
    "SCR_OBJECT_PART,24MB,expected 8MB",
    "SCR_OBJECT_PART,4MB,SCR_OBJECT_PART",
    "SCR_OBJECT_PART,128MB,SCR_OBJECT_PART"})
  void whatCannotBeMountedIsRefusedByName(String parameter, String value, String why) {
    assertThatThrownBy(() -> of(parameter, value)).isInstanceOfSatisfying(ScrException.class, e ->
        assertThat(e.fault()).isEqualTo(Fault.BAD_CONFIGURATION)).hasMessageContaining(why);
  }
}
