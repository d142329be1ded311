#include "idle.h"

#include <string.h>

#include "places.h"

static json_t* route(json_t* body)
{
  char path[SCR_MAX_FILENAME * 2];
  const char* name = json_string_value(json_object_get(body, "name"));
  const char* directory = json_string_value(json_object_get(body, "directory"));
  if (name == NULL || directory == NULL || !places_normalise(directory, name, path)) {
    return json_object();
  }
  return json_pack("{s:s}", "file", path);
}

json_t* idle_answer(const char* verb, json_t* body)
{
  if (strcmp(verb, "init") == 0) {
    return json_pack("{s:i, s:s, s:i}", "run", 1, "node", "none", "version", 1);
  }
  if (strcmp(verb, "route") == 0) {
    return route(body);
  }
  /* One answer has all that the other calls look for. */
  return json_pack("{s:b, s:b, s:b, s:s, s:s}", "available", 0, "need", 0, "exit", 0, "name", "none", "directory", "/");
}
