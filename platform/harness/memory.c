/* SPDX-License-Identifier: Apache-2.0 */
/* memcpy, memmove and memset of an image that links no C library. Built so that the compiler does
 * not turn the loops into calls of themselves (see the flags of `oribi verify`). */
#include <stdint.h>
#include <string.h>

/* A word at any address where the core allows it. */
#if defined(__ARM_FEATURE_UNALIGNED)
struct word {
    uint32_t bits;
} __attribute__((packed, may_alias));
#define IS_WORDS(a, b) 1
#else
struct word {
    uint32_t bits;
} __attribute__((may_alias));
#define IS_WORDS(a, b) ((((uintptr_t)(a) | (uintptr_t)(b)) & 3u) == 0u)
#endif

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    if (IS_WORDS(t, f)) {
        for (; n >= 16u; n -= 16u, t += 16, f += 16) {
            const struct word *in = (const struct word *)(const void *)f;
            struct word *out = (struct word *)(void *)t;
            const uint32_t a = in[0].bits, b = in[1].bits, c = in[2].bits, d = in[3].bits;
            out[0].bits = a;
            out[1].bits = b;
            out[2].bits = c;
            out[3].bits = d;
        }
        for (; n >= 4u; n -= 4u, t += 4, f += 4) {
            ((struct word *)(void *)t)->bits = ((const struct word *)(const void *)f)->bits;
        }
    }
    for (; n > 0u; n--) {
        *t++ = *f++;
    }
    return to;
}

void *memmove(void *to, const void *from, size_t n)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    if ((uintptr_t)t - (uintptr_t)f >= n) { /* the destination does not begin inside the source */
        for (; IS_WORDS(t, f) && n >= 4u; n -= 4u, t += 4, f += 4) {
            ((struct word *)(void *)t)->bits = ((const struct word *)(const void *)f)->bits;
        }
        for (; n > 0u; n--) {
            *t++ = *f++;
        }
        return to;
    }
    for (; IS_WORDS(t + n, f + n) && n >= 4u; n -= 4u) {
        ((struct word *)(void *)(t + n - 4))->bits =
            ((const struct word *)(const void *)(f + n - 4))->bits;
    }
    for (; n > 0u; n--) {
        t[n - 1u] = f[n - 1u];
    }
    return to;
}

void *memset(void *to, int value, size_t n)
{
    unsigned char *t = to;
    const uint32_t four = 0x01010101u * (unsigned char)value;
    if (IS_WORDS(t, t)) {
        for (; n >= 4u; n -= 4u, t += 4) {
            ((struct word *)(void *)t)->bits = four;
        }
    }
    for (; n > 0u; n--) {
        *t++ = (unsigned char)value;
    }
    return to;
}
