#include "daemon.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dial.h"
#include "settings.h"
#include "tcp.h"

#define PATH_BYTES sizeof(((struct sockaddr_un*)NULL)->sun_path)

/* Returns -1 with errno where nobody listens. */
static int dial_path(const char* path)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  memcpy(address.sun_path, path, strlen(path) + 1);
  return dial((struct sockaddr*)&address, sizeof address, DIAL_MS);
}

/* Otherwise another user could create our control directory first, and redirect our writes. */
static int is_ours(int descriptor)
{
  struct ucred peer;
  socklen_t size = sizeof peer;
  return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0
      && (peer.uid == geteuid() || peer.uid == 0 || geteuid() == 0);
}

static int at(const char* path, struct fault* fault)
{
  if (tcp_is_meant(path)) {
    return tcp_connect(path, fault);
  }
  if (strlen(path) >= PATH_BYTES) {
    fault_set(fault, SCR_ERR_BAD_CONFIGURATION, "socket path %s has %zu bytes, at most %zu are possible", path,
        strlen(path), PATH_BYTES - 1);
    return -1;
  }
  int descriptor = dial_path(path);
  if (descriptor < 0) {
    return dial_failed(path, fault);
  }
  if (!is_ours(descriptor)) {
    close(descriptor);
    fault_set(fault, SCR_ERR_NOT_AUTHORIZED, "the process that listens on %s belongs to another user", path);
    return -1;
  }
  return descriptor;
}

static const char* first_of(const char* const* names, const char* otherwise)
{
  for (; *names != NULL; names++) {
    const char* value = settings_get(*names);
    if (value != NULL) {
      return value;
    }
  }
  return otherwise;
}

/* <control base>/<user>/scr.<job id>: the daemons of this host have a directory each in it. */
static int control_directory(char* path, size_t bytes)
{
  static const char* const BASES[] = {"SCR_CNTL_BASE", NULL};
  static const char* const USERS[] = {"SCR_USER_NAME", "USER", "LOGNAME", NULL};
  static const char* const JOBS[] = {"SCR_JOB_ID", "SLURM_JOB_ID", "FLUX_JOB_ID", "PBS_JOBID", "LSB_JOBID", NULL};
  struct passwd entry;
  struct passwd* found = NULL;
  char room[1024];
  const char* user = first_of(USERS, NULL);
  if (user == NULL && getpwuid_r(geteuid(), &entry, room, sizeof room, &found) == 0 && found != NULL) {
    user = entry.pw_name;
  }
  int length = snprintf(path, bytes, "%s/%s/scr.%s", first_of(BASES, "/tmp"), user == NULL ? "" : user,
      first_of(JOBS, "local"));
  return length >= 0 && (size_t)length < bytes;
}

/* Daemons of this host that have taken a connection. */
struct found {
  int descriptor; /* of the first; -1: none */
  int count;
  char sockets[FAULT_MESSAGE_BYTES / 2]; /* separated by colons, as many as fit */
};

static void note(struct found* found, const char* path, int descriptor)
{
  size_t bytes = strlen(found->sockets);
  if (bytes + 1 + strlen(path) < sizeof found->sockets) {
    snprintf(found->sockets + bytes, sizeof found->sockets - bytes, "%s%s", bytes == 0 ? "" : ":", path);
  }
  if (found->count++ == 0) {
    found->descriptor = descriptor;
  } else {
    close(descriptor);
  }
}

/* Calls the daemon of a node, if there is one. A failure is of one that may be there. */
static int try_node(const char* directory, const char* node, struct found* found, struct fault* fault)
{
  char path[PATH_BYTES];
  int length = snprintf(path, sizeof path, "%s/%s/scr.sock", directory, node);
  if (node[0] == '.' || length < 0 || (size_t)length >= sizeof path) {
    return SCR_SUCCESS;
  }
  int descriptor = dial_path(path);
  if (descriptor < 0 && errno == ETIMEDOUT) {
    dial_failed(path, fault);
    return fault->number; /* it may be the one, and is not passed over for another */
  }
  if (descriptor >= 0 && is_ours(descriptor)) {
    note(found, path, descriptor);
  } else if (descriptor >= 0) {
    close(descriptor);
  }
  return SCR_SUCCESS;
}

/*
 * Tries the daemon that has the name of this host, as it has where none was given, and then every one below a directory;
 * the descriptor of the one that answers.
 */
static int search(const char* directory, struct dirent** nodes, int count, struct fault* fault)
{
  struct found found = {.descriptor = -1};
  char host[HOST_NAME_MAX + 1] = "";
  int bad = gethostname(host, sizeof host) == 0 ? try_node(directory, host, &found, fault) : SCR_SUCCESS;
  if (!bad && found.count == 1) {
    return found.descriptor;
  }
  for (int i = 0; i < count && !bad; i++) {
    bad = try_node(directory, nodes[i]->d_name, &found, fault);
  }
  if (!bad && found.count == 0) {
    bad = fault_set(fault, SCR_ERR_NODE_LOST,
        "no daemon listens below %s: start one with `scr node`, or set SCR_SOCKET (or SCR_CNTL_BASE, SCR_USER_NAME, "
        "SCR_JOB_ID) as it says", directory);
  } else if (!bad && found.count > 1) {
    bad = fault_set(fault, SCR_ERR_BAD_CONFIGURATION, "%d daemons run on this host: set SCR_SOCKET to the socket of "
        "the one that serves this process, or for all processes to a list, of which rank r of n takes entry "
        "r * entries / n: SCR_SOCKET=%s", found.count, found.sockets);
  }
  if (bad && found.descriptor >= 0) {
    close(found.descriptor);
  }
  return bad ? -1 : found.descriptor;
}

static int has_empty_entry(const char* list)
{
  return list[0] == ':' || strstr(list, "::") != NULL || list[strlen(list) - 1] == ':';
}

/* The entry of this rank in a list; released by the caller, NULL without memory. */
static char* own_entry(const char* list, int rank, int ranks)
{
  long long entries = 1;
  for (const char* c = list; *c != '\0'; c++) {
    entries += *c == ':';
  }
  for (long long skip = rank * entries / ranks; skip > 0; skip--) {
    list = strchr(list, ':') + 1;
  }
  return strndup(list, strcspn(list, ":"));
}

static int connect_to_own(int rank, int ranks, struct fault* fault)
{
  const char* sockets = settings_get("SCR_SOCKET");
  if (sockets != NULL) {
    if (has_empty_entry(sockets)) {
      fault_set(fault, SCR_ERR_BAD_CONFIGURATION,
          "SCR_SOCKET is '%s' and has an empty entry, expected sockets of daemons, separated by colons", sockets);
      return -1;
    }
    char* socket_path = own_entry(sockets, rank, ranks);
    if (socket_path == NULL) {
      fault_set(fault, SCR_ERR_INTERNAL, "out of memory");
      return -1;
    }
    int descriptor = at(socket_path, fault);
    free(socket_path);
    return descriptor;
  }
  char directory[PATH_BYTES];
  if (!control_directory(directory, sizeof directory)) {
    fault_set(fault, SCR_ERR_BAD_CONFIGURATION, "the path of the control directory is too long: set SCR_SOCKET");
    return -1;
  }
  struct dirent** nodes;
  int count = scandir(directory, &nodes, NULL, alphasort);
  if (count < 0) {
    fault_errno(fault, "no daemon: control directory %s cannot be read; start one with `scr node`, or set SCR_SOCKET",
        directory);
    fault->number = SCR_ERR_NODE_LOST;
    return -1;
  }
  int descriptor = search(directory, nodes, count, fault);
  for (int i = 0; i < count; i++) {
    free(nodes[i]);
  }
  free(nodes);
  return descriptor;
}

/* Not in the place of standard output or error: what a program without them writes there is no frame. */
static int above_standard(int descriptor)
{
  if (descriptor < 0 || descriptor > STDERR_FILENO) {
    return descriptor;
  }
  int above = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (above < 0) {
    return descriptor;
  }
  close(descriptor);
  return above;
}

int daemon_connect(int rank, int ranks, struct fault* fault)
{
  return above_standard(connect_to_own(rank, ranks, fault));
}
