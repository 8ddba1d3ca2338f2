/* SPDX-License-Identifier: Apache-2.0 */
/* Every character that C does not take becomes '_'. That two names do not become one:
 * ../plan/names.c.
 */
#include "compile/common/c_names.h"

#include <string.h>

enum { SAFE_BYTES = 200 };
enum { NAME_BYTES = 96 };

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

char *oribi_compile_identifier(oribi_arena *arena, const char *text)
{
    size_t length = strlen(text);
    length = length > NAME_BYTES ? NAME_BYTES : length;
    const bool needs_letter = length == 0 || !is_plain(text[0]) || text[0] <= '9';
    char *name = oribi_arena_printf(arena, "%s%.*s", needs_letter ? "t_" : "", (int)length, text);
    for (char *at = name; at != NULL && *at != 0; at++) {
        *at = is_plain(*at) ? *at : '_';
    }
    return name != NULL && oribi_compile_is_keyword(name) ? oribi_arena_printf(arena, "%s_", name)
                                                          : name;
}

char *oribi_compile_member(oribi_arena *arena, const char *text, const char *own)
{
    char *name = oribi_compile_identifier(arena, text);
    const bool is_taken =
        name != NULL && (oribi_compile_is_word(name) || (own != NULL && strcmp(name, own) == 0));
    return is_taken ? oribi_arena_printf(arena, "%s_", name) : name;
}

char *oribi_compile_upper(oribi_arena *arena, const char *text)
{
    char *upper = oribi_arena_strdup(arena, text);
    for (char *at = upper; at != NULL && *at != 0; at++) {
        *at = *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at;
    }
    return upper;
}

void oribi_compile_append_safe(oribi_text *text, const char *string)
{
    char previous = 0;
    for (size_t i = 0; string[i] != 0 && i < SAFE_BYTES; i++) {
        char c = string[i];
        if (c < ' ' || c > '~' || strchr("\"\\$'`<>&?%", c) != NULL ||
            (previous == '*' && c == '/') || (previous == '/' && (c == '*' || c == '/'))) {
            c = '_';
        }
        oribi_text_append_n(text, &c, 1);
        previous = c;
    }
}
