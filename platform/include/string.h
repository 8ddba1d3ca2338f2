/* SPDX-License-Identifier: Apache-2.0 */
/* The part of <string.h> that emitted code asks for, where no C library is linked. */
#ifndef ORIBI_PLATFORM_INCLUDE_STRING_H_
#define ORIBI_PLATFORM_INCLUDE_STRING_H_

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int value, size_t n);

#endif
