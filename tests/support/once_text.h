/* SPDX-License-Identifier: Apache-2.0 */
/* A text in memory and its hash, as compile_once.c and once_sources.c share them. */
#ifndef ORIBI_TESTS_SUPPORT_ONCE_TEXT_H_
#define ORIBI_TESTS_SUPPORT_ONCE_TEXT_H_

#include <stdbool.h>
#include <stddef.h>

typedef struct text {
    char *data;
    size_t length;
} text;

typedef unsigned __int128 hash; /* FNV-1a of 128 bits: nobody tries to make two texts meet */

void hash_add(hash *h, const char *bytes, size_t n);

/* Whether a word is in a list that NULL ends; whether it starts with one that is. */
bool is_in(const char *word, const char *const *list);
bool starts(const char *word, const char *const *list);

/* Adds what a source is made of, without a preprocessor. False: only a preprocessor can say. */
bool hash_add_sources(hash *h, const char *source, const char *const *flags, int n_flags);

#endif
