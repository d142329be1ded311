/* Texts with a number each. */
#ifndef SCR_TABLE_H
#define SCR_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct table_slot;

/* All zero: empty. Not for several threads at once. */
struct table {
  struct table_slot* slots;
  size_t room;
  size_t count;
};

/* The number of a text; -1: it is not there. */
int table_find(const struct table* table, const char* text);

/* Adds a text that is not there, with a number from 0 on, and keeps a copy of it; returns 0, or -1 without memory. */
int table_add(struct table* table, const char* text, int number);

/* Forgets all. */
void table_clear(struct table* table);

#endif
