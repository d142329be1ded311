/* Checks of the tests: the first that fails ends the program, with its place. */
#ifndef SCR_CHECK_H
#define SCR_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                         \
  do {                                                                           \
    if (!(condition)) {                                                          \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);    \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)

#define CHECK_INT(expected, value)                                               \
  do {                                                                           \
    long long expected_ = (expected);                                            \
    long long value_ = (value);                                                  \
    if (expected_ != value_) {                                                   \
      fprintf(stderr, "%s:%d: %s is %lld, expected %lld\n", __FILE__, __LINE__, #value, value_, expected_); \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)

#define CHECK_TEXT(expected, value)                                              \
  do {                                                                           \
    const char* expected_ = (expected);                                          \
    const char* value_ = (value);                                                \
    if (value_ == NULL || strcmp(expected_, value_) != 0) {                      \
      fprintf(stderr, "%s:%d: %s is '%s', expected '%s'\n", __FILE__, __LINE__, #value, \
          value_ == NULL ? "NULL" : value_, expected_);                          \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)

#endif
