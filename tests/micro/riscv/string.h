/* SPDX-License-Identifier: Apache-2.0 */
/* As much of <string.h> as the tests of micro/ ask for: platform/harness/memory.c and runtime.c. */
#ifndef ORIBI_TESTS_MICRO_RISCV_STRING_H_
#define ORIBI_TESTS_MICRO_RISCV_STRING_H_

#include "platform/include/string.h"

int memcmp(const void *a, const void *b, size_t n);
int strcmp(const char *a, const char *b); /* of functions that are left out */

#endif
