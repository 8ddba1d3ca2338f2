/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of 512 bytes: a head for each file, then its bytes; two empty ones at the end. */
#include "compile/tar.h"

#include <string.h>

enum { BLOCK = 512, NAME = 100, PREFIX = 155 };

/* Where the members of a head begin. */
enum {
    AT_MODE = 100,
    AT_USER = 108,
    AT_GROUP = 116,
    AT_SIZE = 124,
    AT_TIME = 136,
    AT_SUM = 148,
    AT_TYPE = 156,
    AT_MAGIC = 257,
    AT_PREFIX = 345
};

static void put_octal(char *at, int digits, uint64_t value)
{
    for (int i = digits - 1; i >= 0; i--) {
        at[i] = (char)('0' + value % 8);
        value /= 8;
    }
}

/* Writes the name, cut in two where it is long. */
static int put_name(char *head, const char *name)
{
    const size_t length = strlen(name);
    if (length <= NAME) {
        memcpy(head, name, length);
        return 1;
    }
    for (size_t i = length - 1; i > 0; i--) {
        if (name[i] == '/' && i <= PREFIX && length - i - 1 <= NAME) {
            memcpy(head, name + i + 1, length - i - 1);
            memcpy(head + AT_PREFIX, name, i);
            return 1;
        }
    }
    return 0;
}

static void pad(oribi_text *out, size_t bytes)
{
    static const char zeros[BLOCK];
    while (bytes > 0) {
        const size_t n = bytes < BLOCK ? bytes : BLOCK;
        oribi_text_append_n(out, zeros, n);
        bytes -= n;
    }
}

void oribi_tar_add(oribi_text *out, const char *name, const void *data, size_t bytes, int64_t time)
{
    char head[BLOCK] = {0};
    unsigned sum = 0;
    if (!put_name(head, name) || (uint64_t)bytes >> 33 != 0) {
        out->failed = true;
        return;
    }
    put_octal(head + AT_MODE, 7, 0644);
    put_octal(head + AT_USER, 7, 0);
    put_octal(head + AT_GROUP, 7, 0);
    put_octal(head + AT_SIZE, 11, bytes);
    put_octal(head + AT_TIME, 11, time > 0 ? (uint64_t)time : 0);
    memset(head + AT_SUM, ' ', 8);
    head[AT_TYPE] = '0';
    memcpy(head + AT_MAGIC,
           "ustar\0"
           "00",
           8);
    for (int i = 0; i < BLOCK; i++) {
        sum += (unsigned char)head[i];
    }
    put_octal(head + AT_SUM, 6, sum);
    oribi_text_append_n(out, head, BLOCK);
    oribi_text_append_n(out, data, bytes);
    pad(out, (BLOCK - bytes % BLOCK) % BLOCK);
}

void oribi_tar_end(oribi_text *out)
{
    pad(out, 2 * (size_t)BLOCK);
}
