#include "settings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

extern char** environ;

static json_t* entries;

/* Simple entries (one KEY=VALUE) by their key, quotes taken off. */
static json_t* simple;

static const char* last_word(const char* entry)
{
  const char* start = entry;
  int quoted = 0;
  for (const char* at = entry; *at != '\0'; at++) {
    if (*at == '"') {
      quoted = !quoted;
    } else if (!quoted && isspace((unsigned char)*at) && at[1] != '\0' && !isspace((unsigned char)at[1])) {
      start = at + 1;
    }
  }
  return start;
}

int settings_is_query(const char* entry)
{
  return strchr(last_word(entry), '=') == NULL;
}

static void note_simple(const char* entry)
{
  while (isspace((unsigned char)*entry)) {
    entry++;
  }
  const char* equals = strchr(entry, '=');
  if (equals == NULL || last_word(entry) != entry) {
    return;
  }
  char* key = strndup(entry, (size_t)(equals - entry));
  const char* value = equals + 1;
  size_t length = strlen(value);
  while (length > 0 && isspace((unsigned char)value[length - 1])) {
    length--;
  }
  if (length >= 2 && value[0] == '"' && value[length - 1] == '"') {
    value++;
    length -= 2;
  }
  if (key != NULL && length == 0) {
    json_object_del(simple, key);
  } else if (key != NULL) {
    json_object_set_new(simple, key, json_stringn(value, length));
  }
  free(key);
}

int settings_add(const char* entry, struct fault* fault)
{
  if (entries == NULL) {
    entries = json_array();
    simple = json_object();
  }
  json_t* text = json_string(entry);
  if (text == NULL) {
    return fault_set(fault, SCR_ERR_BAD_REQUEST, "the entry is not UTF-8 text");
  }
  if (json_array_append_new(entries, text) != 0) {
    return fault_set(fault, SCR_ERR_INTERNAL, "out of memory");
  }
  note_simple(entry);
  return SCR_SUCCESS;
}

void settings_clear(void)
{
  json_decref(entries);
  json_decref(simple);
  entries = NULL;
  simple = NULL;
}

const char* settings_get(const char* name)
{
  const char* value = getenv(name);
  if (value != NULL && value[0] != '\0') {
    return value;
  }
  return json_string_value(json_object_get(simple, name));
}

json_t* settings_entries(void)
{
  return entries == NULL ? json_array() : json_copy(entries);
}

int settings_need_daemon(void)
{
  static const char* const OURS[] = {"SCR_PREFIX=", "SCR_JOB_NAME=", "SCR_CNTL_BASE=", "SCR_USER_NAME=", "SCR_JOB_ID=",
      "SCR_SOCKET="};
  size_t index;
  json_t* entry;
  json_array_foreach (entries, index, entry) {
    const char* text = json_string_value(entry);
    int ours = 0;
    for (size_t i = 0; i < sizeof OURS / sizeof OURS[0]; i++) {
      ours = ours || strncmp(text + strspn(text, " \t"), OURS[i], strlen(OURS[i])) == 0;
    }
    if (!ours) {
      return 1;
    }
  }
  return 0;
}

json_t* settings_environment(void)
{
  json_t* all = json_object();
  for (char** variable = environ; variable != NULL && *variable != NULL; variable++) {
    const char* equals = strchr(*variable, '=');
    if (strncmp(*variable, "SCR_", 4) != 0 || equals == NULL) {
      continue;
    }
    char* key = strndup(*variable, (size_t)(equals - *variable));
    if (key != NULL) {
      json_object_set_new(all, key, json_string(equals + 1)); /* what is not UTF-8 is left out */
    }
    free(key);
  }
  return all;
}
