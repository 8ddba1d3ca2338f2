/* SPDX-License-Identifier: Apache-2.0 */
/* The text of micro/ as it was when the library was built: what emitted code carries. The archive
 * has the table in itself, the shared library in oribi_kernel_texts.so, which only those load who
 * compile. The table is made by cmake/micro_table.cmake. */
#ifndef ORIBI_COMPILE_KERNEL_TEXTS_H_
#define ORIBI_COMPILE_KERNEL_TEXTS_H_

#include <stdbool.h>
#include <stddef.h>

#include "tensorflow/c/tf_status.h"

typedef struct oribi_kernel_text {
    const char *name; /* "conv_s8.c" */
    const unsigned char *text;
    size_t bytes;
} oribi_kernel_text;

#ifdef ORIBI_KERNEL_TEXTS_HERE /* said by the table */
extern const oribi_kernel_text oribi_kernel_text_table[];
#else
extern const oribi_kernel_text oribi_kernel_text_table[] __attribute__((weak));
#endif

/* Ends with name NULL; empty where the file is missing. */
const oribi_kernel_text *oribi_kernel_texts(void);
/* False, with what to do, where it is missing. */
bool oribi_kernel_texts_check(TF_Status *status);

#endif
