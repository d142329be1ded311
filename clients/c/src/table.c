#include "table.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64

/* Open addressing: a text is in the first free slot from that of its hash on. At most half of the slots are in use. */
struct table_slot {
  char* text; /* NULL: free */
  uint64_t hash;
  int number;
};

/* FNV-1a. */
static uint64_t hash_of(const char* text)
{
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *text != '\0'; text++) {
    hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
  }
  return hash;
}

/* The slot of a text, or the free one where it belongs. */
static struct table_slot* slot_of(const struct table* table, const char* text, uint64_t hash)
{
  size_t at = hash & (table->room - 1);
  while (table->slots[at].text != NULL
      && (table->slots[at].hash != hash || strcmp(table->slots[at].text, text) != 0)) {
    at = (at + 1) & (table->room - 1);
  }
  return &table->slots[at];
}

int table_find(const struct table* table, const char* text)
{
  if (table->count == 0) {
    return -1;
  }
  const struct table_slot* slot = slot_of(table, text, hash_of(text));
  return slot->text == NULL ? -1 : slot->number;
}

static int grow(struct table* table)
{
  struct table larger = {.room = table->room == 0 ? FIRST_ROOM : table->room * 2, .count = table->count};
  larger.slots = calloc(larger.room, sizeof *larger.slots);
  if (larger.slots == NULL) {
    return -1;
  }
  for (size_t i = 0; i < table->room; i++) {
    if (table->slots[i].text != NULL) {
      *slot_of(&larger, table->slots[i].text, table->slots[i].hash) = table->slots[i];
    }
  }
  free(table->slots);
  *table = larger;
  return 0;
}

int table_add(struct table* table, const char* text, int number)
{
  char* copy = strdup(text);
  if (copy == NULL || (table->count * 2 >= table->room && grow(table) != 0)) {
    free(copy);
    return -1;
  }
  uint64_t hash = hash_of(text);
  *slot_of(table, text, hash) = (struct table_slot){.text = copy, .hash = hash, .number = number};
  table->count++;
  return 0;
}

void table_clear(struct table* table)
{
  for (size_t i = 0; i < table->room; i++) {
    free(table->slots[i].text);
  }
  free(table->slots);
  *table = (struct table){0};
}
