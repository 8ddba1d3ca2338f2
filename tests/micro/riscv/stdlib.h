/* SPDX-License-Identifier: Apache-2.0 */
/* As much of <stdlib.h> as the tests of micro/ ask for: runtime.c. */
#ifndef ORIBI_TESTS_MICRO_RISCV_STDLIB_H_
#define ORIBI_TESTS_MICRO_RISCV_STDLIB_H_

#include <stddef.h>

void *malloc(size_t bytes);
void free(void *memory);

#endif
