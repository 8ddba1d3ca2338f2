/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is carved out of larger blocks, made visible to AddressSanitizer: what an arena, a
 * slab or a plan has not handed out may not be touched. Without the sanitizer nothing is left.
 * Not here: what valgrind sees.
 */
#ifndef ORIBI_BASE_POISON_H_
#define ORIBI_BASE_POISON_H_

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define ORIBI_HAS_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ORIBI_HAS_POISON 1
#endif
#endif
#ifndef ORIBI_HAS_POISON
#define ORIBI_HAS_POISON 0
#endif

#if ORIBI_HAS_POISON
#include <sanitizer/asan_interface.h>
enum { ORIBI_POISON_GAP = 16 }; /* bytes behind each thing, so that its neighbour is not next */
#else
enum { ORIBI_POISON_GAP = 0 };
#endif

/* From now on nobody may touch the bytes. `from` is 8-byte aligned, or the first few are spared. */
static inline void oribi_poison(const void *from, size_t bytes)
{
#if ORIBI_HAS_POISON
    __asan_poison_memory_region(from, bytes);
#else
    (void)from;
    (void)bytes;
#endif
}

/* The bytes belong to somebody again; exact at the end. */
static inline void oribi_unpoison(const void *from, size_t bytes)
{
#if ORIBI_HAS_POISON
    __asan_unpoison_memory_region(from, bytes);
#else
    (void)from;
    (void)bytes;
#endif
}

#endif
