/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8: which bytes are a character, and how text of anybody's is shown. No state; nothing is
 * trusted.
 * Source   Unicode 15, table 3-7 (well-formed byte sequences).
 */
#ifndef ORIBI_FORMAT_UTF8_H_
#define ORIBI_FORMAT_UTF8_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* Bytes of the well-formed character at text, of which `left` are there; 0: none stands there. */
size_t oribi_utf8_bytes(const char *text, size_t left);
/* Writes a character, 1 to 4 bytes; 0: no character has this number (a surrogate, or too large). */
size_t oribi_utf8_put(uint32_t code, char out[4]);
/* Is the character at `at` a control of ASCII or C1? Terminals take some of both for commands. */
bool oribi_utf8_is_control(const char *at, size_t bytes);
/* Appends text as a terminal may get it: bytes that are no UTF-8, and controls, as \xNN. Ends of
 * lines and tabs stay. */
void oribi_utf8_show(oribi_text *out, const char *text, size_t length);

#endif
