/* SPDX-License-Identifier: Apache-2.0 */
/* Does a whole text match a pattern? In time that grows with the text times the pattern, whatever
 * both are: all ways are followed at once, none is tried twice. Bytes are UTF-8.
 *
 *     x  .  [a-z]  [^a-z]  (x)  (?:x)  x|y  x*  x+  x?  x{2,5}  ^  $  \b  \B  \w  \W  \d  \D  \s \S
 *
 * and \n \t \r \f \v; a `?` behind a repetition changes nothing here. Not here: flags, classes by
 * name, what RE2 has not either.
 */
#ifndef ORIBI_PLUGINS_CPU_REGEX_H_
#define ORIBI_PLUGINS_CPU_REGEX_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ORIBI_REGEX_STEPS = 2048, ORIBI_REGEX_SETS = 64 };

typedef struct oribi_regex_step {
    uint8_t kind;
    uint16_t first, second; /* where it goes on; of a set, `first` is which */
} oribi_regex_step;

typedef struct oribi_regex {
    oribi_regex_step steps[ORIBI_REGEX_STEPS];
    uint8_t sets[ORIBI_REGEX_SETS][32]; /* a bit for each byte */
    int32_t n_steps, n_sets;
} oribi_regex;

/* The reason why the pattern cannot be read, or NULL. */
const char *oribi_regex_read(const char *pattern, size_t bytes, oribi_regex *out);

typedef struct oribi_regex_room { /* of a match; several may go on at once */
    uint16_t now[ORIBI_REGEX_STEPS], next[ORIBI_REGEX_STEPS], stack[2 * ORIBI_REGEX_STEPS];
    uint32_t seen[ORIBI_REGEX_STEPS];
} oribi_regex_room;
bool oribi_regex_matches(const oribi_regex *regex, const char *text, size_t bytes,
                         oribi_regex_room *room);

#endif
