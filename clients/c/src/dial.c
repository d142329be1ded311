#include "dial.h"

#include <errno.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long long now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* How long connect and send wait at most; 0: as long as it takes. */
static int limit(int descriptor, long long ms)
{
  struct timeval most = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
  return setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most) == 0;
}

/* A poll would not do: a Unix socket whose listener is busy has none of its events. */
static int connects(int descriptor, const struct sockaddr* address, socklen_t bytes, int timeout_ms)
{
  long long end = now_ms() + timeout_ms;
  for (long long left = timeout_ms; left > 0; left = end - now_ms()) {
    if (!limit(descriptor, left)) {
      return 0;
    }
    if (connect(descriptor, address, bytes) == 0) {
      return limit(descriptor, 0);
    }
    /* After a signal Linux goes on with an attempt, TCP's too, when it is called again. */
    if (errno != EINTR && errno != EAGAIN && errno != EINPROGRESS && errno != EALREADY) {
      return 0;
    }
  }
  errno = ETIMEDOUT;
  return 0;
}

int dial(const struct sockaddr* address, socklen_t bytes, int timeout_ms)
{
  int descriptor = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor >= 0 && !connects(descriptor, address, bytes, timeout_ms)) {
    int cause = errno;
    close(descriptor);
    errno = cause;
    return -1;
  }
  return descriptor;
}

int dial_failed(const char* where, struct fault* fault)
{
  if (errno == ETIMEDOUT) {
    fault_set(fault, SCR_ERR_NODE_LOST, "the daemon on %s has taken no connection for %d s; it is stopped or hangs",
        where, DIAL_MS / 1000);
  } else {
    fault_errno(fault, "no daemon listens on %s (start one with `scr node`)", where);
    fault->number = SCR_ERR_NODE_LOST;
  }
  return -1;
}
