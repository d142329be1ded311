#include "idle.h"

#include <string.h>

#include "places.h"
#include "scr.h"

static int route(json_t* body, json_t** reply, struct fault* fault)
{
  char file[SCR_MAX_FILENAME * 2];
  const char* name = json_string_value(json_object_get(body, "name"));
  const char* directory = json_string_value(json_object_get(body, "directory"));
  if (!places_normalise(directory, name, file)) {
    return fault_set(fault, SCR_ERR_BAD_REQUEST, "'%s' has too many bytes with its directory", name);
  }
  if (places_make_directory_of(file) != 0) {
    return fault_errno(fault, "the directory of %s cannot be made", file);
  }
  *reply = json_pack("{s:s}", "file", file);
  return *reply == NULL ? fault_set(fault, SCR_ERR_INTERNAL, "out of memory") : SCR_SUCCESS;
}

int idle_call(const char* verb, json_t* body, json_t** reply, struct fault* fault)
{
  int bad = SCR_SUCCESS;
  if (strcmp(verb, "route") == 0) {
    bad = route(body, reply, fault);
  } else if (strcmp(verb, "have-restart") == 0) {
    *reply = json_pack("{s:b}", "available", 0);
  } else if (strcmp(verb, "need-checkpoint") == 0) {
    *reply = json_pack("{s:b}", "need", 0);
  } else if (strcmp(verb, "should-exit") == 0) {
    *reply = json_pack("{s:b}", "exit", 0);
  } else if (strcmp(verb, "flush-test") == 0 || strcmp(verb, "flush-wait") == 0) {
    *reply = json_pack("{s:b, s:b}", "flushed", 1, "wanted", 0); /* files are where the program calls them */
  } else if (strcmp(verb, "start-output") == 0) {
    *reply = json_pack("{s:s, s:s}", "directory", "/", "name", "none");
  } else {
    *reply = json_object();
  }
  json_decref(body);
  return bad;
}
