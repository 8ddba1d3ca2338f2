/* SPDX-License-Identifier: Apache-2.0 */
/* The three functions that kernels ask of the C library, declared here because a freestanding
 * compiler need not have string.h.
 */
#ifndef ORIBI_MICRO_MEMORY_H_
#define ORIBI_MICRO_MEMORY_H_

#include <stddef.h>

#include "micro/port.h"

#if defined(__STDC_HOSTED__) && __STDC_HOSTED__
#include <string.h>
#else
void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
#endif

#endif
