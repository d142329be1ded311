#include "tcp.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dial.h"

#define SUFFIX ".tcp"
#define TOKEN_CHARS 64

/* What a token file says: "127.0.0.1:40123 <64 hexadecimal digits>". */
struct door {
  struct sockaddr_in address;
  char token[TOKEN_CHARS + 1];
};

int tcp_is_meant(const char* path)
{
  size_t length = strlen(path);
  return length > strlen(SUFFIX) && strcmp(path + length - strlen(SUFFIX), SUFFIX) == 0;
}

static int parse(const char* text, struct door* door)
{
  char host[INET_ADDRSTRLEN];
  unsigned port;
  int end = 0;
  if (sscanf(text, "%15[0-9.]:%5u %64[0-9a-f]\n%n", host, &port, door->token, &end) != 3 || text[end] != '\0'
      || strlen(door->token) != TOKEN_CHARS || port < 1 || port > 65535) {
    return 0;
  }
  door->address = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
  return inet_pton(AF_INET, host, &door->address.sin_addr) == 1;
}

/* Otherwise another user could place a file there, and redirect our writes. */
static int is_ours(int file)
{
  struct stat status;
  return fstat(file, &status) == 0 && (status.st_uid == geteuid() || status.st_uid == 0 || geteuid() == 0);
}

static int read_door(const char* path, struct door* door, struct fault* fault)
{
  char text[256];
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    fault_errno(fault, "no daemon: token file %s cannot be read (start one with `scr node` and SCR_BRIDGE_TCP=0)", path);
    return fault->number = SCR_ERR_NODE_LOST;
  }
  int ours = is_ours(file);
  ssize_t bytes = read(file, text, sizeof text - 1);
  close(file);
  if (!ours) {
    return fault_set(fault, SCR_ERR_NOT_AUTHORIZED, "token file %s belongs to another user", path);
  }
  text[bytes < 0 ? 0 : bytes] = '\0';
  return parse(text, door) ? SCR_SUCCESS
      : fault_set(fault, SCR_ERR_BAD_CONFIGURATION, "%s is not a token file of a daemon", path);
}

static int show_token(int descriptor, const char* token)
{
  char frame[4 + 128] = {0};
  int bytes = snprintf(frame + 4, sizeof frame - 4, "{\"type\":\"token\",\"token\":\"%s\"}", token);
  frame[3] = (char)bytes;
  ssize_t sent = send(descriptor, frame, 4 + (size_t)bytes, MSG_NOSIGNAL);
  return sent == 4 + bytes;                            /* a new connection has room for it */
}

int tcp_connect(const char* path, struct fault* fault)
{
  struct door door;
  int on = 1;
  if (read_door(path, &door, fault) != SCR_SUCCESS) {
    return -1;
  }
  char where[FAULT_MESSAGE_BYTES / 4];
  snprintf(where, sizeof where, "port %d, which %s names", ntohs(door.address.sin_port), path);
  int descriptor = dial((struct sockaddr*)&door.address, sizeof door.address, DIAL_MS);
  if (descriptor < 0) {
    return dial_failed(where, fault);
  }
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (!show_token(descriptor, door.token)) {
    dial_failed(where, fault);
    close(descriptor);
    return -1;
  }
  return descriptor;
}
