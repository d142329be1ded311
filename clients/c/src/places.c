#include "places.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "table.h"

#define PATH_BYTES (SCR_MAX_FILENAME * 2)
#define MAX_COMPONENT_BYTES 255

/* What the JSON of an entry has beside path and base name. */
#define ENTRY_BYTES 33

/* A file of an output. */
struct file {
  char* path; /* in the prefix directory */
  char* name; /* below the directory in the cache */
};

/* A directory that a name was in. */
struct known_directory {
  char path[PATH_BYTES];  /* "": none */
  char real[PATH_MAX];
  int is_there;
};

struct places {
  char prefix[PATH_BYTES];      /* as the run knows it */
  char real_prefix[PATH_MAX];   /* with its links followed */
  char directory[PATH_BYTES];   /* the rank's, in the cache */
  int is_output;
  json_t* by_path;              /* restart: path relative to the prefix -> name below the directory */
  json_t* by_base;              /* restart: base name -> name, or null where several files have it */
  struct file* files;           /* output: in the order of the names */
  int count;
  int room;
  struct table routed;          /* output: path relative to the prefix -> number of the file */
  struct table aliases;         /* output: the same for absolute paths that lead there through links */
  struct table names;           /* output: names that are taken */
  struct table used;            /* output: numbers of subdirectories in use */
  json_t* first_free;           /* output: base name -> where to go on searching */
  json_t* directories;          /* directory of a name -> its real path; null: nothing of it is there yet */
  struct known_directory last;  /* the one that was asked for last */
  size_t list_bytes;            /* what the list takes in a message, at most where no character needs an escape */
  json_t* made;                 /* output: directories that are there */
  char last_made[PATH_BYTES];   /* the one that was asked for last */
};

/* ---- paths ---- */

/*
 * head/tail, from the first bytes of head; the slash is left out where head is "/" or empty. Returns 0 where that and
 * the final zero do not fit into the room. (snprintf takes longer than all else that a call of route does.)
 */
static int join(char* path, size_t room, const char* head, size_t head_bytes, const char* tail)
{
  size_t tail_bytes = strlen(tail);
  if (head_bytes == 1 && head[0] == '/') {
    head_bytes = 0;
  }
  if (head_bytes + 1 + tail_bytes + 1 > room) {
    return 0;
  }
  memcpy(path, head, head_bytes);
  path[head_bytes] = '/';
  memcpy(path + head_bytes + 1, tail, tail_bytes + 1);
  return 1;
}

int places_working_directory(char* path, struct fault* fault)
{
  if (getcwd(path, PATH_MAX) != NULL) {
    return SCR_SUCCESS;
  }
  return errno == ERANGE ? fault_set(fault, SCR_ERR_BAD_REQUEST,
      "the working directory has more than %d bytes: use absolute names, or another directory", PATH_MAX - 1)
                         : fault_errno(fault, "the working directory cannot be read");
}

int places_normalise(const char* directory, const char* name, char* path)
{
  char whole[PATH_BYTES * 2];
  int is_absolute = name[0] == '/';
  if (!join(whole, sizeof whole, is_absolute ? "/" : directory, is_absolute ? 1 : strlen(directory), name)) {
    return 0;
  }
  size_t end = 0;
  char* rest = NULL;
  for (char* component = strtok_r(whole, "/", &rest); component != NULL; component = strtok_r(NULL, "/", &rest)) {
    size_t bytes = strlen(component);
    if (strcmp(component, "..") == 0) {
      while (end > 0 && path[--end] != '/') {
      }
    } else if (strcmp(component, ".") != 0) {
      if (end + 1 + bytes + 1 > PATH_BYTES) {
        return 0;
      }
      path[end] = '/';
      memcpy(path + end + 1, component, bytes);
      end += 1 + bytes;
    }
  }
  if (end == 0) {
    path[end++] = '/';
  }
  path[end] = '\0';
  return 1;
}

static int bad_name(const struct places* places, const char* name, const char* why, struct fault* fault)
{
  return fault_set(fault, SCR_ERR_BAD_REQUEST,
      "'%s' %s; it cannot be a file of a dataset below the prefix directory %s", name, why, places->prefix);
}

static int outside(const struct places* places, const char* name, const char* how, struct fault* fault)
{
  return fault_set(fault, SCR_ERR_OUTSIDE_PREFIX, "'%s' %s the prefix directory %s", name, how, places->prefix);
}

/* Where links that lead nowhere, or in a circle, hide it; else it cannot be looked at, and errno says why. */
static int unknown_place(const struct places* places, const char* name, struct fault* fault)
{
  int leads_nowhere = errno == ENOENT || errno == ENOTDIR || errno == ELOOP;
  fault_errno(fault, leads_nowhere ? "'%s' goes through a link of which it cannot be said that it is inside the prefix "
      "directory %s" : "'%s' cannot be looked at, to say whether it is inside the prefix directory %s", name,
      places->prefix);
  return fault->number = leads_nowhere ? SCR_ERR_OUTSIDE_PREFIX : fault->number;
}

/* What of a real path is below the real prefix: "" for the prefix itself, NULL for what is not below it. */
static const char* below(const char* prefix, const char* real)
{
  size_t length = strlen(prefix);
  if (strcmp(prefix, "/") == 0) {
    return real + 1;
  }
  if (strncmp(prefix, real, length) != 0 || (real[length] != '\0' && real[length] != '/')) {
    return NULL;
  }
  return real[length] == '/' ? real + length + 1 : real + length;
}

static int is_ours(const char* relative)
{
  return strncmp(relative, ".scr", 4) == 0 && (relative[4] == '\0' || relative[4] == '/');
}

/*
 * Real path of the longest part that is there, with the rest appended as it is.
 * Returns 1 if all of it is there, 0 if not, -1 with errno where links lead nowhere or in a circle, or it is not known.
 */
static int real_path(const char* path, char* real)
{
  char existing[PATH_BYTES];
  struct stat status;
  snprintf(existing, sizeof existing, "%s", path);
  size_t end = strlen(existing);
  while (lstat(existing, &status) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) {
      return -1;
    }
    if (end <= 1) {
      return -1;
    }
    while (end > 1 && existing[--end] != '/') {
    }
    existing[end] = '\0';
  }
  if (realpath(existing, real) == NULL) {
    return -1;
  }
  const char* tail = path + strlen(existing);
  if (*tail == '\0') {
    return 1;
  }
  if (!join(real, PATH_MAX, real, strlen(real), tail + (*tail == '/'))) {
    errno = ENAMETOOLONG;
    return -1;
  }
  return 0;
}

/* Whether the part of it that is there ends in something that is not a directory. */
static int goes_through_a_file(const char* real)
{
  char part[PATH_MAX];
  struct stat status;
  snprintf(part, sizeof part, "%s", real);
  while (stat(part, &status) != 0) {
    char* slash = strrchr(part, '/');
    if (slash == NULL || slash == part) {
      return 0;
    }
    *slash = '\0';
  }
  return !S_ISDIR(status.st_mode);
}

/* ---- one phase ---- */

static struct places* make(const char* prefix, const char* directory)
{
  struct places* places = calloc(1, sizeof *places);
  if (places == NULL) {
    return NULL;
  }
  places->by_path = json_object();
  places->directories = json_object();
  int fits = snprintf(places->directory, sizeof places->directory, "%s", directory) < (int)sizeof places->directory
      && places_normalise("/", prefix, places->prefix);
  if (!fits || places->by_path == NULL || places->directories == NULL) {
    places_free(places);
    return NULL;
  }
  if (real_path(places->prefix, places->real_prefix) < 0) {
    snprintf(places->real_prefix, sizeof places->real_prefix, "%s", places->prefix);
  }
  return places;
}

struct places* places_for_output(const char* prefix, const char* directory)
{
  struct places* places = make(prefix, directory);
  if (places != NULL) {
    places->is_output = 1;
    places->first_free = json_object();
    places->made = json_object();
  }
  return places;
}

static int note_readable(struct places* places, json_t* file)
{
  json_t* path = json_object_get(file, "path");
  json_t* name = json_object_get(file, "name");
  if (!json_is_string(path) || !json_is_string(name)) {
    return 0;
  }
  const char* text = json_string_value(path);
  const char* slash = strrchr(text, '/');
  const char* base = slash == NULL ? text : slash + 1;
  json_object_set(places->by_path, text, name);
  if (json_object_get(places->by_base, base) == NULL) {
    json_object_set(places->by_base, base, name);
  } else {
    json_object_set_new(places->by_base, base, json_null());
  }
  return 1;
}

struct places* places_for_restart(const char* prefix, const char* directory, json_t* files)
{
  struct places* places = make(prefix, directory);
  if (places == NULL) {
    return NULL;
  }
  places->by_base = json_object();
  size_t index;
  json_t* file;
  int good = json_is_array(files);
  json_array_foreach (files, index, file) {
    good = good && note_readable(places, file);
  }
  if (!good) {
    places_free(places);
    return NULL;
  }
  return places;
}

void places_free(struct places* places)
{
  if (places == NULL) {
    return;
  }
  for (int i = 0; i < places->count; i++) {
    free(places->files[i].path);
    free(places->files[i].name);
  }
  free(places->files);
  table_clear(&places->routed);
  table_clear(&places->aliases);
  table_clear(&places->names);
  table_clear(&places->used);
  json_decref(places->by_path);
  json_decref(places->by_base);
  json_decref(places->first_free);
  json_decref(places->directories);
  json_decref(places->made);
  free(places);
}

json_t* places_list(const struct places* places)
{
  json_t* list = json_array();
  for (int i = 0; i < places->count; i++) {
    /* That they are UTF-8 is known. */
    json_t* entry = json_object();
    json_object_set_new_nocheck(entry, "path", json_string_nocheck(places->files[i].path));
    json_object_set_new_nocheck(entry, "name", json_string_nocheck(places->files[i].name));
    json_array_append_new(list, entry);
  }
  return list;
}

/* ---- names in the cache ---- */

/* The number that a base name is, 0 where it is none: 1 to 8 digits without leading zero. */
static unsigned number_of(const char* base)
{
  unsigned value = 0;
  size_t digits = strspn(base, "0123456789");
  if (base[digits] != '\0' || digits < 1 || digits > 8 || base[0] == '0') {
    return 0;
  }
  for (; *base != '\0'; base++) {
    value = value * 10 + (unsigned)(*base - '0');
  }
  return value;
}

static int is_taken(const struct places* places, const char* name)
{
  return table_find(&places->names, name) >= 0;
}

static int take(struct places* places, const char* name)
{
  return table_add(&places->names, name, 0);
}

int places_next_name(struct places* places, const char* base, char* name)
{
  size_t base_bytes = strlen(base);
  char number[16];
  int is_subdirectory = number_of(base) > 0 && table_find(&places->used, base) >= 0;
  if (!is_subdirectory && !is_taken(places, base)) {
    memcpy(name, base, base_bytes + 1);
    return take(places, name);
  }
  json_int_t k = json_integer_value(json_object_get(places->first_free, base));
  for (k = k == 0 ? 1 : k;; k++) {
    int digits = snprintf(number, sizeof number, "%u", (unsigned)k);
    join(name, SCR_MAX_FILENAME + 16, number, (size_t)digits, base);
    if (!is_taken(places, number) && !is_taken(places, name)) {
      break;
    }
  }
  return json_object_set_new(places->first_free, base, json_integer(k + 1))
      || (table_find(&places->used, number) < 0 && table_add(&places->used, number, 0)) || take(places, name);
}

/* ---- routing ---- */

/* Real path of the directory that a name is in. is_there: whether files may be in it already. */
static int real_directory(struct places* places, const char* directory, const char* name, const char** real,
    int* is_there, struct fault* fault)
{
  struct known_directory* last = &places->last;
  if (strcmp(last->path, directory) != 0) {
    json_t* known = json_object_get(places->directories, directory);
    if (known == NULL) {
      char found[PATH_MAX];
      int there = real_path(directory, found);
      if (there < 0) {
        return unknown_place(places, name, fault);
      }
      if (below(places->real_prefix, found) != NULL && goes_through_a_file(found)) {
        return bad_name(places, name, "goes through a file as if that were a directory", fault);
      }
      known = json_pack("{s:s, s:b}", "real", found, "there", there);
      if (known == NULL || json_object_set_new(places->directories, directory, known) != 0) {
        return bad_name(places, name, "is not UTF-8 text", fault);
      }
    }
    strcpy(last->path, directory);
    strcpy(last->real, json_string_value(json_object_get(known, "real")));
    last->is_there = json_is_true(json_object_get(known, "there"));
  }
  *real = last->real;
  *is_there = last->is_there;
  return SCR_SUCCESS;
}

/* Looks at a file that may be there already: follows its own link, refuses directories. */
static int look_at(const struct places* places, const char* name, char* real, struct fault* fault)
{
  struct stat status;
  char target[PATH_MAX];
  if (lstat(real, &status) != 0) {
    return SCR_SUCCESS;
  }
  if (S_ISLNK(status.st_mode)) {
    if (realpath(real, target) == NULL || lstat(target, &status) != 0) {
      return unknown_place(places, name, fault);
    }
    snprintf(real, PATH_MAX, "%s", target);
  }
  if (S_ISDIR(status.st_mode) && below(places->real_prefix, real) != NULL) {
    return bad_name(places, name, "is a directory", fault);
  }
  return SCR_SUCCESS;
}

static int names_directory(const char* name)
{
  const char* slash = strrchr(name, '/');
  const char* last = slash == NULL ? name : slash + 1;
  return last[0] == '\0' || strcmp(last, ".") == 0 || strcmp(last, "..") == 0;
}

/* As the daemon: what no file system takes would be found only when the dataset is flushed. */
static int has_long_component(const char* path)
{
  for (size_t bytes; *path != '\0'; path += bytes) {
    path += *path == '/';
    bytes = strcspn(path, "/");
    if (bytes > MAX_COMPONENT_BYTES) {
      return 1;
    }
  }
  return 0;
}

/* Path relative to the prefix of a normalised absolute one. relative: room for PATH_MAX bytes. */
static int place(struct places* places, const char* absolute, const char* name, char* relative, struct fault* fault)
{
  char real[PATH_MAX];
  char directory[PATH_BYTES];
  const char* real_parent = NULL;
  int is_there = 0;
  const char* slash = strrchr(absolute, '/');
  size_t directory_bytes = slash == absolute ? 1 : (size_t)(slash - absolute);
  memcpy(directory, absolute, directory_bytes);
  directory[directory_bytes] = '\0';
  if (slash[1] == '\0') {
    return outside(places, name, "is outside", fault);
  }
  if (has_long_component(absolute)) {
    return bad_name(places, name, "has a component of more than 255 bytes", fault);
  }
  int bad = real_directory(places, directory, name, &real_parent, &is_there, fault);
  if (bad) {
    return bad;
  }
  if (!join(real, sizeof real, real_parent, strlen(real_parent), slash + 1)) {
    return bad_name(places, name, "is too long", fault);
  }
  if (is_there && (bad = look_at(places, name, real, fault))) {
    return bad;
  }
  const char* inside = below(places->real_prefix, real);
  if (inside == NULL) {
    return outside(places, name, below(places->prefix, absolute) == NULL ? "is outside"
        : "leads, through a symbolic link, out of", fault);
  }
  if (inside[0] == '\0' || names_directory(name)) {
    return bad_name(places, name, "names a directory", fault);
  }
  if (is_ours(inside)) {
    return bad_name(places, name, "is inside .scr, which is ours", fault);
  }
  memcpy(relative, inside, strlen(inside) + 1);
  return SCR_SUCCESS;
}

/* Makes a directory and those above it that are missing. */
static int make_directories(char* path)
{
  for (char* slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    int failed = mkdir(path, 0777) != 0 && errno != EEXIST;
    *slash = '/';
    if (failed) {
      return -1;
    }
  }
  return mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : -1;
}

int places_make_directory_of(const char* file)
{
  char directory[PATH_BYTES];
  size_t bytes = (size_t)(strrchr(file, '/') - file);
  if (bytes == 0) {
    return 0; /* the root */
  }
  if (bytes >= sizeof directory) {
    errno = ENAMETOOLONG;
    return -1;
  }
  memcpy(directory, file, bytes);
  directory[bytes] = '\0';
  return make_directories(directory);
}

/* Makes the directory of a file, once. */
static int make_directory_of(struct places* places, const char* file, struct fault* fault)
{
  char directory[PATH_BYTES];
  size_t bytes = (size_t)(strrchr(file, '/') - file);
  if (strncmp(places->last_made, file, bytes) == 0 && places->last_made[bytes] == '\0') {
    return SCR_SUCCESS;
  }
  memcpy(directory, file, bytes);
  directory[bytes] = '\0';
  if (json_object_get(places->made, directory) != NULL) {
    memcpy(places->last_made, directory, bytes + 1);
    return SCR_SUCCESS;
  }
  if (mkdir(directory, 0777) != 0 && errno != EEXIST && make_directories(directory) != 0) {
    return fault_errno(fault, "directory %s in the cache cannot be made", directory);
  }
  json_object_set_new(places->made, directory, json_true());
  return SCR_SUCCESS;
}

/* The file below the rank's directory. */
static int in_cache(const struct places* places, const char* name, char* file, struct fault* fault)
{
  if (!join(file, SCR_MAX_FILENAME, places->directory, strlen(places->directory), name)) {
    return fault_set(fault, SCR_ERR_BAD_REQUEST, "the path of '%s' below %s has more than %d bytes", name,
        places->directory, SCR_MAX_FILENAME - 1);
  }
  return SCR_SUCCESS;
}

/* The answer for a file of an output. */
static int routed(struct places* places, int number, char* file, struct fault* fault)
{
  int bad = in_cache(places, places->files[number].name, file, fault);
  return bad ? bad : make_directory_of(places, file, fault);
}

static int is_utf8(const char* text)
{
  const char* at = text;
  while (*at != '\0' && (*at & 0x80) == 0) {
    at++;
  }
  if (*at == '\0') {
    return 1; /* ASCII */
  }
  json_t* checked = json_string(text);
  json_decref(checked);
  return checked != NULL;
}

/* Notes a path and a name, in the list and for the next time; returns the number of the file, -1 without memory. */
static int note(struct places* places, const char* path, const char* relative, const char* name)
{
  if (places->count == places->room) {
    int room = places->room == 0 ? 16 : places->room * 2;
    struct file* larger = realloc(places->files, (size_t)room * sizeof *larger);
    if (larger == NULL) {
      return -1;
    }
    places->files = larger;
    places->room = room;
  }
  struct file file = {.path = strdup(path), .name = strdup(name)};
  if (file.path == NULL || file.name == NULL || table_add(&places->routed, relative, places->count) != 0) {
    free(file.path);
    free(file.name);
    return -1;
  }
  places->files[places->count] = file;
  return places->count++;
}

/* Takes up a file that was not routed before. */
static int add(struct places* places, const char* path, const char* relative, char* file, struct fault* fault)
{
  char name[SCR_MAX_FILENAME + 16];
  const char* slash = strrchr(relative, '/');
  const char* base = slash == NULL ? relative : slash + 1;
  size_t path_bytes = strlen(path);
  /* Nothing is listed of which the program does not hear: so there is room for the longest name that it could get. */
  if (strlen(places->directory) + strlen("/99999999/") + strlen(base) >= SCR_MAX_FILENAME
      || path_bytes >= SCR_MAX_FILENAME) {
    return bad_name(places, path, "is too long, there or in the cache", fault);
  }
  places->list_bytes += path_bytes + strlen(base) + ENTRY_BYTES;
  if (places->list_bytes > PLACES_MAX_LIST_BYTES) {
    return fault_set(fault, SCR_ERR_BAD_REQUEST, "'%s' is one file too many: what a rank writes in one dataset must be "
        "named in one message of %d bytes, about 100,000 files", path, PLACES_MAX_LIST_BYTES);
  }
  if (!is_utf8(path)) {
    return bad_name(places, path, "is not UTF-8 text", fault);
  }
  int number = places_next_name(places, base, name) == 0 ? note(places, path, relative, name) : -1;
  return number < 0 ? fault_set(fault, SCR_ERR_INTERNAL, "out of memory") : routed(places, number, file, fault);
}

/* The number of a file that was routed before, by any name; -1 if it was not. */
static int routed_before(const struct places* places, const char* absolute)
{
  const char* relative = below(places->prefix, absolute);
  /* What is a real path once, with no link in it, stays so for the phase. */
  int known = relative == NULL ? -1 : table_find(&places->routed, relative);
  return known >= 0 ? known : table_find(&places->aliases, absolute);
}

/* An output's file: the same answer for the same file, a new one for a new file. */
static int route_output(struct places* places, const char* name, const char* absolute, char* file, struct fault* fault)
{
  char relative[PATH_MAX];
  char path[PATH_MAX + PATH_BYTES];
  int known = names_directory(name) ? -1 : routed_before(places, absolute);
  if (known >= 0) {
    return routed(places, known, file, fault);
  }
  int bad = place(places, absolute, name, relative, fault);
  if (bad) {
    return bad;
  }
  known = table_find(&places->routed, relative);
  if (known < 0) {
    join(path, sizeof path, places->prefix, strlen(places->prefix), relative);
    bad = add(places, path, relative, file, fault);
    known = table_find(&places->routed, relative);
  } else {
    bad = routed(places, known, file, fault);
  }
  if (known >= 0 && routed_before(places, absolute) < 0 && table_add(&places->aliases, absolute, known) != 0) {
    return fault_set(fault, SCR_ERR_INTERNAL, "out of memory");
  }
  return bad;
}

static int find(struct places* places, const char* relative, const char* name, char* file, struct fault* fault)
{
  const char* slash = strrchr(name, '/');
  json_t* found = json_object_get(places->by_path, relative);
  if (found == NULL) {
    found = json_object_get(places->by_base, slash == NULL ? name : slash + 1);
  }
  if (json_is_string(found)) {
    return in_cache(places, json_string_value(found), file, fault);
  }
  return fault_set(fault, SCR_ERR_NO_SUCH_FILE, "'%s': %s", name, found == NULL
      ? "this rank wrote no file of that name in this checkpoint"
      : "ambiguous: this rank wrote several files of that name; give the path");
}

int places_route(struct places* places, const char* name, char* file, struct fault* fault)
{
  char directory[PATH_MAX] = "/";
  char absolute[PATH_BYTES];
  char relative[PATH_MAX] = "";
  if (name[0] == '\0') {
    return fault_set(fault, SCR_ERR_BAD_REQUEST, "a file needs a name; it is empty");
  }
  if (strlen(name) >= SCR_MAX_FILENAME) {
    return fault_set(fault, SCR_ERR_BAD_REQUEST, "'%.64s...' has %zu bytes, at most %d are taken", name, strlen(name),
        SCR_MAX_FILENAME - 1);
  }
  int bad = name[0] == '/' ? SCR_SUCCESS : places_working_directory(directory, fault);
  if (bad) {
    return bad;
  }
  if (!places_normalise(directory, name, absolute)) {
    return bad_name(places, name, "is too long, made absolute", fault);
  }
  if (!places->is_output) {
    /* Where the name leads elsewhere, its base name may still be enough. */
    struct fault ignored;
    if (place(places, absolute, name, relative, &ignored) != SCR_SUCCESS) {
      relative[0] = '\0';
    }
    return find(places, relative, name, file, fault);
  }
  return route_output(places, name, absolute, file, fault);
}
