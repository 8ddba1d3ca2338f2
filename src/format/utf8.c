/* SPDX-License-Identifier: Apache-2.0 */
/* See utf8.h. */
#include "format/utf8.h"

size_t oribi_utf8_bytes(const char *text, size_t left)
{
    const unsigned char *at = (const unsigned char *)text;
    const unsigned char first = left > 0 ? at[0] : 0xff;
    const size_t bytes = first < 0x80                    ? 1
                         : first >= 0xc2 && first < 0xe0 ? 2
                         : first >= 0xe0 && first < 0xf0 ? 3
                         : first >= 0xf0 && first < 0xf5 ? 4
                                                         : 0;
    if (bytes == 0 || bytes > left) {
        return 0;
    }
    for (size_t i = 1; i < bytes; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    const bool is_overlong = (first == 0xe0 && at[1] < 0xa0) || (first == 0xf0 && at[1] < 0x90);
    const bool is_surrogate = first == 0xed && at[1] >= 0xa0;
    const bool is_beyond = first == 0xf4 && at[1] >= 0x90;
    return is_overlong || is_surrogate || is_beyond ? 0 : bytes;
}

size_t oribi_utf8_put(uint32_t code, char out[4])
{
    static const uint32_t marks[] = {0, 0, 0xc0, 0xe0, 0xf0}; /* of the first byte, by length */
    const size_t bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
        return 0;
    }
    for (size_t i = bytes; i-- > 1; code >>= 6) {
        out[i] = (char)(0x80 | (code & 0x3f));
    }
    out[0] = (char)(marks[bytes] | code);
    return bytes;
}

bool oribi_utf8_is_control(const char *at, size_t bytes)
{
    const unsigned char *u = (const unsigned char *)at;
    return (bytes == 1 && (u[0] < 0x20 || u[0] == 0x7f)) ||
           (bytes == 2 && u[0] == 0xc2 && u[1] < 0xa0);
}

void oribi_utf8_show(oribi_text *out, const char *text, size_t length)
{
    for (size_t i = 0, taken; i < length; i += taken) {
        taken = oribi_utf8_bytes(text + i, length - i);
        const bool is_kept = text[i] == '\n' || text[i] == '\t' ||
                             (taken > 0 && !oribi_utf8_is_control(text + i, taken));
        taken = taken == 0 ? 1 : taken;
        if (is_kept) {
            oribi_text_append_n(out, text + i, taken);
            continue;
        }
        for (size_t k = 0; k < taken; k++) {
            oribi_text_printf(out, "\\x%02x", (unsigned)(unsigned char)text[i + k]);
        }
    }
}
