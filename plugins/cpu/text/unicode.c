/* SPDX-License-Identifier: Apache-2.0 */
/* See unicode.h.
 * Source   Unicode 15, tables 3-5 to 3-7 (well-formed sequences) and section 3.9 (what of an
 *          ill-formed one is passed over: the longest beginning of a well-formed one).
 */
#include "cpu/text/unicode.h"

enum { LEAD = 0xd800, TRAIL = 0xdc00, AFTER = 0xe000, PLANE = 0x10000 };

bool oribi_unicode_named(const char *name, oribi_unicode *out)
{
    static const char *const names[] = {"utf8", "utf16be", "utf32be"};
    char plain[16];
    size_t n = 0;
    for (; *name != '\0' && n < sizeof plain - 1; name++) {
        if (*name != '-' && *name != '_') {
            plain[n++] = (char)(*name >= 'A' && *name <= 'Z' ? *name - 'A' + 'a' : *name);
        }
    }
    plain[n] = '\0';
    for (int i = 0; i < 3 && *name == '\0'; i++) {
        if (strcmp(plain, names[i]) == 0) {
            *out = (oribi_unicode)i;
            return true;
        }
    }
    return false;
}

static bool is_surrogate(uint32_t code)
{
    return code >= LEAD && code < AFTER;
}

/* The first byte says how many follow, and within what bounds the next one lies. */
static bool next_utf8(const unsigned char *at, size_t n, uint32_t *out_code, size_t *out_bytes)
{
    const unsigned first = at[0];
    const size_t more = first < 0xc2   ? 0
                        : first < 0xe0 ? 1
                        : first < 0xf0 ? 2
                        : first < 0xf5 ? 3
                                       : 0;
    unsigned low = 0x80, high = 0xbf;
    *out_bytes = 1;
    *out_code = first & (0x3fu >> more);
    if (more == 0) {
        *out_code = first;
        return first < 0x80;
    }
    low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : low;
    high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : high;
    for (size_t i = 1; i <= more; i++, (*out_bytes)++) {
        if (i >= n || at[i] < low || at[i] > high) {
            return false;
        }
        *out_code = *out_code << 6 | (at[i] & 0x3fu);
        low = 0x80;
        high = 0xbf;
    }
    return true;
}

static uint32_t unit(const unsigned char *at, int bytes)
{
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++) {
        value = value << 8 | at[i];
    }
    return value;
}

static bool next_utf16(const unsigned char *at, size_t n, uint32_t *out_code, size_t *out_bytes)
{
    *out_bytes = n < 2 ? n : 2;
    if (n < 2) {
        return false;
    }
    *out_code = unit(at, 2);
    if (!is_surrogate(*out_code)) {
        return true;
    }
    if (*out_code >= TRAIL) {
        return false;
    }
    if (n < 4) { /* the end of a text belongs to its last character */
        *out_bytes = n;
        return false;
    }
    const uint32_t second = unit(at + 2, 2);
    if (!is_surrogate(second) || second < TRAIL) {
        return false;
    }
    *out_bytes = 4;
    *out_code = PLANE + ((*out_code - LEAD) << 10) + (second - TRAIL);
    return true;
}

static bool next_utf32(const unsigned char *at, size_t n, uint32_t *out_code, size_t *out_bytes)
{
    *out_bytes = n < 4 ? n : 4;
    *out_code = n < 4 ? 0 : unit(at, 4);
    return n >= 4 && *out_code <= ORIBI_UNICODE_LAST && !is_surrogate(*out_code);
}

bool oribi_unicode_next(oribi_unicode encoding, oribi_cpu_span rest, uint32_t *out_code,
                        size_t *out_bytes)
{
    const unsigned char *at = (const unsigned char *)rest.at;
    return encoding == ORIBI_UTF8       ? next_utf8(at, rest.n, out_code, out_bytes)
           : encoding == ORIBI_UTF16_BE ? next_utf16(at, rest.n, out_code, out_bytes)
                                        : next_utf32(at, rest.n, out_code, out_bytes);
}

static void put_bytes(oribi_unicode_writer *writer, uint32_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0; i--, writer->bytes++) {
        if (writer->bytes < writer->room) {
            writer->to[writer->bytes] = (char)(value >> 8 * i & 0xff);
        }
    }
}

/* A character, or a surrogate without its other half: UTF-8 has none of those. */
static void write_code(oribi_unicode_writer *writer, uint32_t code)
{
    if (writer->encoding == ORIBI_UTF32_BE) {
        put_bytes(writer, code, 4);
        return;
    }
    if (writer->encoding == ORIBI_UTF16_BE) {
        if (code >= PLANE) {
            put_bytes(writer, LEAD + ((code - PLANE) >> 10), 2);
            code = TRAIL + ((code - PLANE) & 0x3ff);
        }
        put_bytes(writer, code, 2);
        return;
    }
    code = is_surrogate(code) ? ORIBI_UNICODE_REPLACEMENT : code;
    const int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < PLANE ? 2 : 3;
    static const unsigned char marks[] = {0, 0xc0, 0xe0, 0xf0};
    put_bytes(writer, marks[more] | code >> 6 * more, 1);
    for (int i = more - 1; i >= 0; i--) {
        put_bytes(writer, 0x80 | (code >> 6 * i & 0x3f), 1);
    }
}

void oribi_unicode_end(oribi_unicode_writer *writer)
{
    if (writer->lead != 0) {
        write_code(writer, writer->lead);
        writer->lead = 0;
    }
}

void oribi_unicode_put(oribi_unicode_writer *writer, uint32_t code)
{
    if (writer->lead != 0 && code >= TRAIL && code < AFTER) {
        code = PLANE + ((writer->lead - LEAD) << 10) + (code - TRAIL);
        writer->lead = 0;
    }
    oribi_unicode_end(writer);
    if (code >= LEAD && code < TRAIL) {
        writer->lead = code;
    } else {
        write_code(writer, code);
    }
}
