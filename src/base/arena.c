/* SPDX-License-Identifier: Apache-2.0 */
/* Arena: a chain of blocks that double in size; the newest is carved from its front. Not here: the
 * heap (alloc.c).
 */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/poison.h"

enum { FIRST_BYTES = 4096, LARGEST_BYTES = 1 << 16, GRAIN = 16 };

struct oribi_arena_block {
    struct oribi_arena_block *next;
    size_t used, capacity;
    size_t reserved; /* keeps the bytes 16-byte aligned */
    unsigned char bytes[];
};
_Static_assert(offsetof(struct oribi_arena_block, bytes) % GRAIN == 0, "bytes are aligned");

void oribi_arena_init(oribi_arena *arena)
{
    *arena = (oribi_arena){0};
}

void oribi_arena_destroy(oribi_arena *arena)
{
    if (arena == NULL) {
        return;
    }
    struct oribi_arena_block *block = arena->blocks;
    while (block != NULL) {
        struct oribi_arena_block *next = block->next;
        oribi_unpoison(block->bytes, block->capacity);
        oribi_free(block);
        block = next;
    }
    *arena = (oribi_arena){0};
}

static struct oribi_arena_block *add_block(oribi_arena *arena, size_t bytes)
{
    struct oribi_arena_block *head = arena->blocks;
    size_t capacity = head == NULL                      ? FIRST_BYTES
                      : head->capacity >= LARGEST_BYTES ? LARGEST_BYTES
                                                        : head->capacity * 2;
    bool alone = bytes > capacity / 2;
    size_t total = 0;
    capacity = alone ? bytes : capacity;
    if (!oribi_size_add(capacity, sizeof(struct oribi_arena_block), &total)) {
        return NULL;
    }
    struct oribi_arena_block *block = oribi_alloc(total);
    if (block == NULL) {
        return NULL;
    }
    *block = (struct oribi_arena_block){.capacity = capacity};
    oribi_poison(block->bytes, capacity);
    if (alone && head != NULL) { /* behind the head, whose rest stays usable */
        block->next = head->next;
        head->next = block;
    } else {
        block->next = head;
        arena->blocks = block;
    }
    return block;
}

void *oribi_arena_alloc(oribi_arena *arena, size_t bytes)
{
    size_t taken = 0;
    if (!oribi_size_add(bytes == 0 ? 1 : bytes, ORIBI_POISON_GAP, &taken) ||
        !oribi_size_round_up(taken, GRAIN, &taken)) {
        return NULL;
    }
    struct oribi_arena_block *block = arena->blocks;
    if (block == NULL || block->capacity - block->used < taken) {
        block = add_block(arena, taken);
    }
    if (block == NULL) {
        return NULL;
    }
    void *result = block->bytes + block->used;
    oribi_unpoison(result, bytes);
    block->used += taken;
    arena->used_bytes += bytes;
    return result;
}

void *oribi_arena_array(oribi_arena *arena, size_t count, size_t size)
{
    size_t bytes = 0;
    void *block = oribi_size_mul(count, size, &bytes) ? oribi_arena_alloc(arena, bytes) : NULL;
    if (block != NULL) {
        memset(block, 0, bytes);
    }
    return block;
}

void *oribi_arena_memdup(oribi_arena *arena, const void *data, size_t bytes)
{
    void *copy = oribi_arena_alloc(arena, bytes);
    if (copy != NULL && bytes > 0) {
        memcpy(copy, data, bytes);
    }
    return copy;
}

char *oribi_arena_strndup(oribi_arena *arena, const char *text, size_t length)
{
    size_t bytes = 0;
    char *copy = oribi_size_add(length, 1, &bytes) ? oribi_arena_alloc(arena, bytes) : NULL;
    if (copy != NULL) {
        if (length > 0) {
            memcpy(copy, text, length);
        }
        copy[length] = '\0';
    }
    return copy;
}

char *oribi_arena_strdup(oribi_arena *arena, const char *text)
{
    return oribi_arena_strndup(arena, text, strlen(text));
}

char *oribi_arena_vprintf(oribi_arena *arena, const char *format, va_list args)
{
    char few[160]; /* most are printed once */
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(few, sizeof few, format, args);
    char *text = length < 0 ? NULL : oribi_arena_alloc(arena, (size_t)length + 1);
    if (text != NULL && (size_t)length < sizeof few) {
        memcpy(text, few, (size_t)length + 1);
    } else if (text != NULL) {
        (void)vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    return text;
}

char *oribi_arena_printf(oribi_arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = oribi_arena_vprintf(arena, format, args);
    va_end(args);
    return text;
}
