/* Connections to daemons that are slow to take them, while signals come. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "check.h"
#include "dial.h"

#define SIGNAL_EVERY_US 20000
#define MOST_FILLERS 8
#define PATIENCE_MS 120000
#define SHORT_MS 200

/* A listener whose backlog is full, and what it is full of. */
struct busy {
  union {
    struct sockaddr any;
    struct sockaddr_in tcp;
    struct sockaddr_un local;
  } address;
  socklen_t bytes;
  int listener;
  int fillers[MOST_FILLERS];
  int count;
};

static atomic_int signals;

static void count_signal(int number)
{
  (void)number;
  atomic_fetch_add(&signals, 1);
}

/* Signals that end system calls, every few milliseconds; 0: none any more. */
static void signal_every(int us)
{
  struct sigaction action = {.sa_handler = count_signal};
  struct itimerval timer = {.it_interval.tv_usec = us, .it_value.tv_usec = us};
  CHECK_INT(0, sigaction(SIGALRM, &action, NULL));
  atomic_store(&signals, 0);
  CHECK_INT(0, setitimer(ITIMER_REAL, &timer, NULL));
}

static struct busy busy_of(int family)
{
  struct busy busy = {.bytes = family == AF_INET ? sizeof busy.address.tcp : sizeof(sa_family_t)};
  busy.address.any.sa_family = (sa_family_t)family;
  if (family == AF_INET) {
    busy.address.tcp.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  }
  busy.listener = socket(family, SOCK_STREAM, 0);
  CHECK_INT(0, bind(busy.listener, &busy.address.any, busy.bytes)); /* any port, any abstract name */
  busy.bytes = sizeof busy.address;
  CHECK_INT(0, getsockname(busy.listener, &busy.address.any, &busy.bytes));
  CHECK_INT(0, listen(busy.listener, 0));
  int failed = 0;
  while (!failed) {
    CHECK(busy.count < MOST_FILLERS);
    int filler = socket(family, SOCK_STREAM, 0);
    busy.fillers[busy.count++] = filler;
    CHECK_INT(0, fcntl(filler, F_SETFL, O_NONBLOCK));
    failed = connect(filler, &busy.address.any, busy.bytes);
    if (failed && family == AF_INET) {
      CHECK_INT(EINPROGRESS, errno); /* as on a free listener at times */
      failed = busy.count == MOST_FILLERS;
    } else if (failed) {
      CHECK_INT(EAGAIN, errno);
    }
  }
  return busy;
}

static void end(struct busy* busy)
{
  for (int i = 0; i < busy->count; i++) {
    close(busy->fillers[i]);
  }
  close(busy->listener);
}

/* Takes all connections once a signal has come. */
static void* take_after_a_signal(void* argument)
{
  struct busy* busy = argument;
  int descriptor;
  while (atomic_load(&signals) < 2) {
    usleep(SIGNAL_EVERY_US);
  }
  while ((descriptor = accept(busy->listener, NULL, NULL)) >= 0) {
    close(descriptor);
  }
  return NULL;
}

static void a_signal_ends_no_attempt(int family)
{
  struct busy busy = busy_of(family);
  pthread_t thread;
  sigset_t alarm;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  CHECK_INT(0, pthread_sigmask(SIG_BLOCK, &alarm, NULL)); /* for the thread: signals are for this one */
  CHECK_INT(0, pthread_create(&thread, NULL, take_after_a_signal, &busy));
  CHECK_INT(0, pthread_sigmask(SIG_UNBLOCK, &alarm, NULL));
  signal_every(SIGNAL_EVERY_US);
  int descriptor = dial(&busy.address.any, busy.bytes, PATIENCE_MS);
  int cause = errno;
  signal_every(0);
  CHECK_INT(0, descriptor < 0 ? cause : 0);
  struct timeval most = {.tv_sec = 1};
  socklen_t size = sizeof most;
  CHECK_INT(0, getsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &most, &size));
  CHECK_INT(0, most.tv_sec * 1000000LL + most.tv_usec);
  close(descriptor);
  shutdown(busy.listener, SHUT_RDWR);
  CHECK_INT(0, pthread_join(thread, NULL));
  end(&busy);
}

/* With and without signals, which come more often than the time is over. */
static void who_takes_no_connection_is_given_up(int family)
{
  struct busy busy = busy_of(family);
  for (int us = 0; us <= SIGNAL_EVERY_US; us += SIGNAL_EVERY_US) {
    signal_every(us);
    CHECK_INT(-1, dial(&busy.address.any, busy.bytes, SHORT_MS));
    int cause = errno;
    signal_every(0);
    CHECK_INT(ETIMEDOUT, cause);
  }
  end(&busy);
}

static void where_nobody_listens_the_reason_is_told(int family)
{
  struct busy busy = busy_of(family);
  end(&busy);
  CHECK_INT(-1, dial(&busy.address.any, busy.bytes, PATIENCE_MS));
  CHECK_INT(ECONNREFUSED, errno);
}

int main(void)
{
  static const int FAMILIES[] = {AF_INET, AF_UNIX};
  for (size_t i = 0; i < sizeof FAMILIES / sizeof FAMILIES[0]; i++) {
    a_signal_ends_no_attempt(FAMILIES[i]);
    who_takes_no_connection_is_given_up(FAMILIES[i]);
    where_nobody_listens_the_reason_is_told(FAMILIES[i]);
  }
  return 0;
}
