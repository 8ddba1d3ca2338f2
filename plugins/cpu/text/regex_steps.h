/* SPDX-License-Identifier: Apache-2.0 */
/* What the steps of a pattern's automaton mean, for the two ways to follow them: regex.c, whether a
 * whole text matches, and regex_search.c, where a match lies.
 */
#ifndef ORIBI_PLUGINS_CPU_REGEX_STEPS_H_
#define ORIBI_PLUGINS_CPU_REGEX_STEPS_H_

#include "cpu/text/regex.h"

enum {
    ORIBI_REGEX_SET,   /* reads a byte of set `first` */
    ORIBI_REGEX_SPLIT, /* goes on at `first` and, less gladly, at `second` */
    ORIBI_REGEX_JUMP,
    ORIBI_REGEX_SAVE, /* the place in the text goes to slot `first` */
    ORIBI_REGEX_BEGIN,
    ORIBI_REGEX_END,
    ORIBI_REGEX_EDGE,
    ORIBI_REGEX_NO_EDGE,
    ORIBI_REGEX_MATCH
};

static inline bool oribi_regex_is_word(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static inline bool oribi_regex_has(const uint8_t set[32], unsigned c)
{
    return (set[c / 8] >> c % 8 & 1) != 0;
}

/* Does a step that reads nothing let pass at this place of the text? */
static inline bool oribi_regex_holds(const oribi_regex_step *step, const char *text, size_t bytes,
                                     size_t at)
{
    const bool before = at > 0 && oribi_regex_is_word((unsigned char)text[at - 1]);
    const bool is_edge = before != (at < bytes && oribi_regex_is_word((unsigned char)text[at]));
    switch (step->kind) {
    case ORIBI_REGEX_BEGIN:
        return at == 0;
    case ORIBI_REGEX_END:
        return at == bytes;
    case ORIBI_REGEX_EDGE:
        return is_edge;
    case ORIBI_REGEX_NO_EDGE:
        return !is_edge;
    default:
        return true;
    }
}

#endif
