/* SPDX-License-Identifier: Apache-2.0 */
/* Does a whole text match a pattern, and where in a text does the first match lie? In time that
 * grows with the text times the pattern, whatever both are: all ways are followed at once, none is
 * tried twice. Bytes are UTF-8.
 *
 *     x  .  [a-z]  [^a-z]  (x)  (?:x)  x|y  x*  x+  x?  x{2,5}  ^  $  \b  \B  \w  \W  \d  \D  \s \S
 *
 * and \n \t \r \f \v, [[:alpha:]] and its kind; a `?` behind a repetition makes it lazy. What they
 * mean is what RE2 says. Not here: flags, classes of Unicode, what RE2 has not either.
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
    int32_t n_groups; /* that keep what they match */
} oribi_regex;

/* The reason why the pattern cannot be read, or NULL. */
const char *oribi_regex_read(const char *pattern, size_t bytes, oribi_regex *out);

typedef struct oribi_regex_room { /* of a match; several may go on at once */
    uint16_t now[ORIBI_REGEX_STEPS], next[ORIBI_REGEX_STEPS], stack[2 * ORIBI_REGEX_STEPS];
    uint32_t seen[ORIBI_REGEX_STEPS];
} oribi_regex_room;
bool oribi_regex_matches(const oribi_regex *regex, const char *text, size_t bytes,
                         oribi_regex_room *room);

/* --- The leftmost match (regex_search.c) ------------------------------------------------------ */

enum { ORIBI_REGEX_SLOTS = 20 }; /* begin and end of the match and of nine groups */

typedef struct oribi_regex_search {
    const oribi_regex *regex;
    const char *text;
    size_t bytes;
    int n_slots;                     /* 2, or more where groups are asked for */
    size_t slots[ORIBI_REGEX_SLOTS]; /* of the last match; SIZE_MAX: the group had no part in it */
    size_t reached;                  /* how far the last search read */
    struct oribi_regex_threads *threads;
} oribi_regex_search;

/* Bytes of memory that searches with so many slots want. */
size_t oribi_regex_search_bytes(const oribi_regex *regex, int n_slots);
/* Begins searches with that memory, aligned as any object. */
void oribi_regex_search_begin(oribi_regex_search *search, const oribi_regex *regex, int n_slots,
                              void *memory);
/* Of the matches at or behind `from` the leftmost, and of those that begin there the one that Perl
 * takes. The text is search->text, of which ^, \b and so on see all. */
bool oribi_regex_search_next(oribi_regex_search *search, size_t from);

#endif
