/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: the only place that calls malloc. Replaceable hooks, fault injection for tests, checked
 * size arithmetic. Not here: arenas (arena.h).
 * Exception by contract: TF_TString text and TF_Buffer strings handed to plugins use the C heap.
 */
#ifndef ORIBI_BASE_ALLOC_H_
#define ORIBI_BASE_ALLOC_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Hooks of the process. Set before the first allocation; both threads-safe; alignment is a power
 * of two. A NULL from allocate means out of memory. */
typedef struct oribi_alloc_hooks {
    void *self;
    void *(*allocate)(void *self, size_t bytes, size_t alignment);
    void (*release)(void *self, void *block);
} oribi_alloc_hooks;

void oribi_alloc_set_hooks(const oribi_alloc_hooks *hooks); /* NULL restores the C heap */

/* All return NULL when out of memory; bytes 0 gives a unique block. Free with oribi_free. */
void *oribi_alloc(size_t bytes);
void *oribi_alloc_zero(size_t count, size_t size);  /* checked product, zero-filled */
void *oribi_alloc_array(size_t count, size_t size); /* checked product */
void *oribi_alloc_aligned(size_t bytes, size_t alignment);
void *oribi_realloc_array(void *block, size_t count, size_t size); /* keeps block on failure */
char *oribi_strdup(const char *text);
char *oribi_strndup(const char *text, size_t length);
void oribi_free(void *block); /* NULL ok */
/* Allocations of this thread that failed so far: whether memory ran out inside foreign code. */
uint64_t oribi_alloc_failures(void);

/* Tests. The n-th allocation from now (1 is the next) fails once, and, with `sticky`, all later
 * ones too; 0 turns it off. count: allocations since the start of the process. */
void oribi_alloc_fail_at(uint64_t n, bool sticky);
uint64_t oribi_alloc_count(void);
int64_t oribi_alloc_live(void); /* blocks allocated and not freed */

/* Sizes of things in memory, never above PTRDIFF_MAX: false when a result would be, and *out is
 * untouched then. `out` may be the address of an argument. */
bool oribi_size_mul(size_t a, size_t b, size_t *out);
bool oribi_size_add(size_t a, size_t b, size_t *out);
/* The smallest multiple of power_of_two that is not below n. */
bool oribi_size_round_up(size_t n, size_t power_of_two, size_t *out);
/* Product of dims (each >= 0) times element_bytes; false for a negative dim too. Dims of 0 do not
 * excuse the others: their product must fit all the same, as strides are made from it. */
bool oribi_size_of_dims(const int64_t *dims, int rank, size_t element_bytes, size_t *out_bytes);

#endif
