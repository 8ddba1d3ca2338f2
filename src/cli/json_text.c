/* SPDX-License-Identifier: Apache-2.0 */
/* Text of anybody's as text that can be shown: a string of JSON, or a line of a terminal. The same
 * rules as the library's own (base/json.c), which the command does not see.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

size_t cli_utf8_bytes(const char *text, size_t left)
{
    const unsigned char *at = (const unsigned char *)text;
    const unsigned char first = left > 0 ? at[0] : 0xff;
    size_t bytes = first < 0x80                    ? 1
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
    bool overlong = (first == 0xe0 && at[1] < 0xa0) || (first == 0xf0 && at[1] < 0x90);
    bool surrogate = first == 0xed && at[1] >= 0xa0;
    bool beyond = first == 0xf4 && at[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : bytes;
}

/* Those of ASCII, and C1's, of which terminals take some for the beginning of a command. */
static bool is_control(const char *at, size_t bytes)
{
    const unsigned char *u = (const unsigned char *)at;

    return (bytes == 1 && (u[0] < 0x20 || u[0] == 0x7f)) ||
           (bytes == 2 && u[0] == 0xc2 && u[1] < 0xa0);
}

char *cli_json_text(const char *text, size_t length)
{
    char *out = cli_alloc(6 * length + 1);
    size_t n = 0;

    for (size_t i = 0; i < length;) {
        size_t taken = cli_utf8_bytes(text + i, length - i);
        if (taken == 0) {
            memcpy(out + n, "\xef\xbf\xbd", 3); /* U+FFFD: no character stood here */
            n += 3;
            taken = 1;
        } else if (text[i] == '"' || text[i] == '\\') {
            out[n++] = '\\';
            out[n++] = text[i];
        } else if (is_control(text + i, taken)) {
            n += (size_t)snprintf(out + n, 7, "\\u%04x",
                                  (unsigned)(unsigned char)text[i + taken - 1]);
        } else {
            memcpy(out + n, text + i, taken);
            n += taken;
        }
        i += taken;
    }
    out[n] = 0;
    return out;
}
