/* SPDX-License-Identifier: Apache-2.0 */
/* Growing text and the nearest word. Not here: JSON (../format), status messages (../tensor). */
#include "base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

bool oribi_string_same(oribi_string a, oribi_string b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

bool oribi_string_is(oribi_string string, const char *text)
{
    return oribi_string_same(string, (oribi_string){text, strlen(text)});
}

/* Room for `more` bytes and a NUL. */
static bool text_reserve(oribi_text *text, size_t more)
{
    size_t needed = 0;
    if (text->failed || !oribi_size_add(text->length, more, &needed) || needed == SIZE_MAX) {
        text->failed = true;
        return false;
    }
    needed++;
    if (needed <= text->capacity) {
        return true;
    }
    size_t capacity = text->capacity < 64 ? 64 : text->capacity;
    while (capacity < needed) {
        capacity = capacity > SIZE_MAX / 2 ? needed : capacity * 2;
    }
    char *grown = oribi_realloc_array(text->data, capacity, 1);
    if (grown == NULL) {
        text->failed = true;
        return false;
    }
    text->data = grown;
    text->capacity = capacity;
    return true;
}

void oribi_text_append_n(oribi_text *text, const void *bytes, size_t length)
{
    if (!text_reserve(text, length)) {
        return;
    }
    if (length > 0) {
        memcpy(text->data + text->length, bytes, length);
    }
    text->length += length;
    text->data[text->length] = '\0';
}

void oribi_text_append(oribi_text *text, const char *string)
{
    oribi_text_append_n(text, string, strlen(string));
}

void oribi_text_vprintf(oribi_text *text, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    const size_t room = text->capacity - text->length;
    int length = vsnprintf(room > 0 ? text->data + text->length : NULL, room, format, args);
    if (length >= 0 && (size_t)length < room && !text->failed) {
        text->length += (size_t)length;
    } else if (length >= 0 && text_reserve(text, (size_t)length)) {
        (void)vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    } else {
        text->failed = true;
        if (room > 0) {
            text->data[text->length] = '\0';
        }
    }
    va_end(again);
}

void oribi_text_printf(oribi_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    oribi_text_vprintf(text, format, args);
    va_end(args);
}

void oribi_text_destroy(oribi_text *text)
{
    if (text == NULL) {
        return;
    }
    oribi_free(text->data);
    *text = (oribi_text){0};
}

const char *oribi_text_string(const oribi_text *text)
{
    return text->data != NULL ? text->data : "";
}

/* --- Did you mean ---------------------------------------------------------------------------- */

enum { LONGEST_WORD = 63, EDIT_COST = 2, CASE_COST = 1 };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Edit distance with swaps of neighbours; a change of case costs half an edit. Both words have at
 * most LONGEST_WORD characters. */
static unsigned distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned rows[3][LONGEST_WORD + 1];
    unsigned *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++) {
        above[j] = (unsigned)j * EDIT_COST;
        before[j] = 0;
    }
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = (unsigned)i * EDIT_COST;
        for (size_t j = 1; j <= b_length; j++) {
            char x = a[i - 1], y = b[j - 1];
            unsigned change = x == y ? 0 : lower(x) == lower(y) ? CASE_COST : EDIT_COST;
            row[j] = least(above[j - 1] + change, least(above[j], row[j - 1]) + EDIT_COST);
            if (i > 1 && j > 1 && lower(x) == lower(b[j - 2]) && lower(a[i - 2]) == lower(y)) {
                row[j] = least(row[j], before[j - 2] + EDIT_COST);
            }
        }
        unsigned *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[b_length];
}

const char *oribi_text_did_you_mean(const char *word, const char *const *candidates, size_t n)
{
    size_t length = strlen(word);
    if (length == 0 || length > LONGEST_WORD) {
        return NULL;
    }
    /* Up to a third of the word may be wrong, one letter in short words; case is nearly free. */
    unsigned best = (length < 6 ? 1u : (unsigned)(length / 3)) * EDIT_COST + EDIT_COST;
    const char *nearest = NULL;
    for (size_t i = 0; i < n; i++) {
        size_t other = strlen(candidates[i]);
        if (other == 0 || other > LONGEST_WORD) {
            continue;
        }
        unsigned d = distance(word, length, candidates[i], other);
        if (d < best) {
            best = d;
            nearest = candidates[i];
        }
    }
    return nearest;
}
