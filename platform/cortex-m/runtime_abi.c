/* SPDX-License-Identifier: Apache-2.0 */
/* memcpy, memmove and memset under the names of Arm's run-time ABI (RTABI32, 5.3.4), which clang
 * calls in their place: the digit promises alignment, and memset takes its arguments in another
 * order. */
#include <string.h>

#define COPY(name)                                                                                 \
    void name(void *to, const void *from, size_t n);                                               \
    void name(void *to, const void *from, size_t n)

COPY(__aeabi_memcpy)
{
    (void)memcpy(to, from, n);
}
COPY(__aeabi_memcpy4)
{
    (void)memcpy(to, from, n);
}
COPY(__aeabi_memcpy8)
{
    (void)memcpy(to, from, n);
}
COPY(__aeabi_memmove)
{
    (void)memmove(to, from, n);
}
COPY(__aeabi_memmove4)
{
    (void)memmove(to, from, n);
}
COPY(__aeabi_memmove8)
{
    (void)memmove(to, from, n);
}

#define SET(name)                                                                                  \
    void name(void *to, size_t n, int value);                                                      \
    void name(void *to, size_t n, int value)
#define CLEAR(name)                                                                                \
    void name(void *to, size_t n);                                                                 \
    void name(void *to, size_t n)

SET(__aeabi_memset)
{
    (void)memset(to, value, n);
}
SET(__aeabi_memset4)
{
    (void)memset(to, value, n);
}
SET(__aeabi_memset8)
{
    (void)memset(to, value, n);
}
CLEAR(__aeabi_memclr)
{
    (void)memset(to, 0, n);
}
CLEAR(__aeabi_memclr4)
{
    (void)memset(to, 0, n);
}
CLEAR(__aeabi_memclr8)
{
    (void)memset(to, 0, n);
}
