/* SPDX-License-Identifier: Apache-2.0 */
/* The heap: a 16-byte note before each block (size, distance to the block that the hook gave, which
 * hook gave it), so that blocks can grow and be freed whatever hook is set by then. Not here:
 * arenas (arena.c), slabs of handles (../tensor/handle.c).
 */
#include "base/alloc.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <malloc.h>
#endif

#include "base/thread.h"

typedef struct note {
    size_t bytes;    /* asked for */
    uint32_t offset; /* from the hook's block to the caller's */
    uint32_t hooked; /* 1: came from the hooks, 0: from the C heap */
} note;

enum { NOTE_BYTES = 16 };
_Static_assert(sizeof(note) <= NOTE_BYTES, "the note fits before a 16-byte aligned block");

static oribi_alloc_hooks current_hooks;
static _Atomic uint64_t allocation_count;
static _Atomic int64_t live_count;
static _Atomic uint64_t fail_number; /* value of allocation_count to fail at; 0: off */
static atomic_bool fail_sticky;
static ORIBI_THREAD_LOCAL uint64_t failure_count;

void oribi_alloc_set_hooks(const oribi_alloc_hooks *hooks)
{
    if (hooks != NULL) {
        current_hooks = *hooks;
    } else {
        current_hooks.allocate = NULL; /* blocks that the old hooks gave go back to them */
    }
}

static bool must_fail(void)
{
    uint64_t number = 1 + atomic_fetch_add_explicit(&allocation_count, 1, memory_order_relaxed);
    uint64_t fail = atomic_load_explicit(&fail_number, memory_order_relaxed);
    if (fail == 0 || number < fail) {
        return false;
    }
    return number == fail || atomic_load_explicit(&fail_sticky, memory_order_relaxed);
}

void oribi_alloc_fail_at(uint64_t n, bool sticky)
{
    atomic_store(&fail_sticky, sticky);
    atomic_store(&fail_number, n == 0 ? 0 : atomic_load(&allocation_count) + n);
}

uint64_t oribi_alloc_count(void)
{
    return atomic_load(&allocation_count);
}

uint64_t oribi_alloc_failures(void)
{
    return failure_count;
}

int64_t oribi_alloc_live(void)
{
    return atomic_load(&live_count);
}

#ifdef _WIN32 /* whose heap gives blocks of a larger alignment by other functions */
static void *heap_allocate(size_t bytes, size_t alignment)
{
    return _aligned_malloc(bytes, alignment);
}

static void heap_free(void *block)
{
    _aligned_free(block);
}
#else
static void *heap_allocate(size_t bytes, size_t alignment)
{
    void *block = NULL;
    if (alignment <= _Alignof(max_align_t)) {
        return malloc(bytes);
    }
    return posix_memalign(&block, alignment, bytes) == 0 ? block : NULL;
}

static void heap_free(void *block)
{
    free(block);
}
#endif

static note *note_of(void *block)
{
    return (note *)(void *)((char *)block - NOTE_BYTES);
}

void *oribi_alloc_aligned(size_t bytes, size_t alignment)
{
    size_t offset = alignment < NOTE_BYTES ? NOTE_BYTES : alignment;
    size_t total = 0;
    if (must_fail() || alignment > UINT32_MAX || !oribi_size_add(bytes, offset, &total)) {
        failure_count++;
        return NULL;
    }
    bool hooked = current_hooks.allocate != NULL;
    char *base = hooked ? current_hooks.allocate(current_hooks.self, total, offset)
                        : heap_allocate(total, offset);
    if (base == NULL) {
        failure_count++;
        return NULL;
    }
    atomic_fetch_add_explicit(&live_count, 1, memory_order_relaxed);
    char *block = base + offset;
    *note_of(block) = (note){.bytes = bytes, .offset = (uint32_t)offset, .hooked = hooked};
    return block;
}

void oribi_free(void *block)
{
    if (block == NULL) {
        return;
    }
    note taken = *note_of(block);
    char *base = (char *)block - taken.offset;
    atomic_fetch_sub_explicit(&live_count, 1, memory_order_relaxed);
    if (taken.hooked != 0) {
        current_hooks.release(current_hooks.self, base);
    } else {
        heap_free(base);
    }
}

void *oribi_alloc(size_t bytes)
{
    return oribi_alloc_aligned(bytes, NOTE_BYTES);
}

void *oribi_alloc_array(size_t count, size_t size)
{
    size_t bytes = 0;
    return oribi_size_mul(count, size, &bytes) ? oribi_alloc(bytes) : NULL;
}

void *oribi_alloc_zero(size_t count, size_t size)
{
    void *block = oribi_alloc_array(count, size);
    if (block != NULL) {
        memset(block, 0, count * size);
    }
    return block;
}

void *oribi_realloc_array(void *block, size_t count, size_t size)
{
    void *grown = oribi_alloc_array(count, size);
    if (grown == NULL || block == NULL) {
        return grown;
    }
    size_t old_bytes = note_of(block)->bytes;
    memcpy(grown, block, old_bytes < count * size ? old_bytes : count * size);
    oribi_free(block);
    return grown;
}

char *oribi_strndup(const char *text, size_t length)
{
    size_t bytes = 0;
    char *copy = oribi_size_add(length, 1, &bytes) ? oribi_alloc(bytes) : NULL;
    if (copy != NULL) {
        if (length > 0) {
            memcpy(copy, text, length);
        }
        copy[length] = '\0';
    }
    return copy;
}

char *oribi_strdup(const char *text)
{
    return oribi_strndup(text, strlen(text));
}

bool oribi_size_mul(size_t a, size_t b, size_t *out)
{
    ptrdiff_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) {
        return false;
    }
    *out = (size_t)product;
    return true;
}

bool oribi_size_add(size_t a, size_t b, size_t *out)
{
    ptrdiff_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) {
        return false;
    }
    *out = (size_t)sum;
    return true;
}

bool oribi_size_round_up(size_t n, size_t power_of_two, size_t *out)
{
    size_t above = 0;
    if (!oribi_size_add(n, power_of_two - 1, &above)) {
        return false;
    }
    *out = above & ~(power_of_two - 1);
    return true;
}

bool oribi_size_of_dims(const int64_t *dims, int rank, size_t element_bytes, size_t *out_bytes)
{
    ptrdiff_t bytes = element_bytes == 0 ? 1 : (ptrdiff_t)element_bytes;
    bool empty = element_bytes == 0;
    for (int i = 0; i < rank; i++) {
        if (dims[i] < 0) {
            return false;
        }
        empty = empty || dims[i] == 0;
        if (dims[i] != 0 && __builtin_mul_overflow(bytes, dims[i], &bytes)) {
            return false;
        }
    }
    *out_bytes = empty ? 0 : (size_t)bytes;
    return true;
}
