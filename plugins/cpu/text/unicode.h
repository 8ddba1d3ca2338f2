/* SPDX-License-Identifier: Apache-2.0 */
/* Characters of texts in three encodings: read one by one, whatever the bytes are, and written. */
#ifndef ORIBI_PLUGINS_CPU_UNICODE_H_
#define ORIBI_PLUGINS_CPU_UNICODE_H_

#include "cpu/text/texts.h"

typedef enum oribi_unicode { ORIBI_UTF8, ORIBI_UTF16_BE, ORIBI_UTF32_BE } oribi_unicode;

enum { ORIBI_UNICODE_REPLACEMENT = 0xfffd, ORIBI_UNICODE_LAST = 0x10ffff };

/* The encoding of a name, in which case and - and _ say nothing; false: none of ours. */
bool oribi_unicode_named(const char *name, oribi_unicode *out);

/* The character at the beginning of a text that has a byte at least, and its bytes; false: what
 * stands there is none, and *out_bytes counts what to pass over. */
bool oribi_unicode_next(oribi_unicode encoding, oribi_cpu_span rest, uint32_t *out_code,
                        size_t *out_bytes);

/* Counts the bytes of characters, and writes those for which `to` has room. Two surrogates become
 * the character that they mean, as in a text of UTF-16. */
typedef struct oribi_unicode_writer {
    oribi_unicode encoding;
    char *to;
    size_t room, bytes;
    uint32_t lead; /* a first surrogate, whose second one has not come; 0: none */
} oribi_unicode_writer;

void oribi_unicode_put(oribi_unicode_writer *writer, uint32_t code);
void oribi_unicode_end(oribi_unicode_writer *writer);

#endif
