/* SPDX-License-Identifier: Apache-2.0 */
/* Arena: many allocations, one release. One per lifetime (process, session, run). One thread at a
 * time. Blocks come from base/alloc.h.
 */
#ifndef ORIBI_BASE_ARENA_H_
#define ORIBI_BASE_ARENA_H_

#include <stdarg.h>
#include <stddef.h>

typedef struct oribi_arena {
    struct oribi_arena_block *blocks;
    size_t used_bytes; /* asked for by callers */
} oribi_arena;

void oribi_arena_init(oribi_arena *arena); /* allocates nothing; {0} is the same */
void oribi_arena_destroy(oribi_arena *arena);
void *oribi_arena_alloc(oribi_arena *arena, size_t bytes); /* 16-byte aligned; NULL: no memory */
void *oribi_arena_array(oribi_arena *arena, size_t count, size_t size); /* checked, zero-filled */
char *oribi_arena_strdup(oribi_arena *arena, const char *text);
char *oribi_arena_strndup(oribi_arena *arena, const char *text, size_t length);
void *oribi_arena_memdup(oribi_arena *arena, const void *data, size_t bytes);
char *oribi_arena_printf(oribi_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *oribi_arena_vprintf(oribi_arena *arena, const char *format, va_list args);

#endif
