/* SPDX-License-Identifier: Apache-2.0 */
/* How far an operator may write over the input that it still reads, when it works through windows
 * in the order of its output and keeps a copy of each window while it writes.
 */
#ifndef ORIBI_COMPILE_OVERLAP_H_
#define ORIBI_COMPILE_OVERLAP_H_

#include "compile/lower/lower.h"

typedef struct oribi_overlap { /* pairs are (height, width) */
    int32_t in[2], out[2], stride[2], before[2];
    int32_t in_bytes, out_bytes; /* of a pixel */
    int32_t batch;
} oribi_overlap;

/* Adds the alias of input 0 that these windows allow, if any. */
void oribi_overlap_add(oribi_call *call, const oribi_overlap *windows);

#endif
