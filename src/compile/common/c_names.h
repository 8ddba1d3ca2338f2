/* SPDX-License-Identifier: Apache-2.0 */
/* Text of a model or of the caller, which is hostile, as C may have it: identifiers, and what is
 * put into comments and strings. Which words C has itself: words.c.
 */
#ifndef ORIBI_COMPILE_COMMON_C_NAMES_H_
#define ORIBI_COMPILE_COMMON_C_NAMES_H_

#include <stdbool.h>

#include "base/arena.h"
#include "base/text.h"

/* Is it a word of C or C++? Also: a macro, type or function of a header? */
bool oribi_compile_is_keyword(const char *name);
bool oribi_compile_is_word(const char *name);

/* Makes a C identifier of a model's string; NULL: no memory. */
char *oribi_compile_identifier(oribi_arena *arena, const char *text);
/* The same for a member of a struct, which no macro or type of a header may be called, nor
 * this one (NULL: none is) of ours beside it. What is gets a '_' at its end. NULL: no memory. */
char *oribi_compile_member(oribi_arena *arena, const char *text, const char *own);
#define ORIBI_OWN_POOL   "weights"
#define ORIBI_OWN_DEVICE "error"
char *oribi_compile_upper(oribi_arena *arena, const char *text);
/* Text of a model that is safe inside a comment, a C string, CMake or JSON: printable ASCII, no
 * quotes, backslashes, comment marks or dollar signs; cut at 200 bytes. Appends to text. */
void oribi_compile_append_safe(oribi_text *text, const char *string);

#endif
