/* SPDX-License-Identifier: Apache-2.0 */
/* The text of micro/ as it was when the library was built: what emitted code carries. The table is
 * made by cmake/micro_table.cmake. */
#ifndef ORIBI_COMPILE_KERNEL_TEXTS_H_
#define ORIBI_COMPILE_KERNEL_TEXTS_H_

#include <stddef.h>

typedef struct oribi_kernel_text {
    const char *name; /* "conv_s8.c" */
    const unsigned char *text;
    size_t bytes;
} oribi_kernel_text;

extern const oribi_kernel_text oribi_kernel_texts[]; /* ends with name NULL */

#endif
