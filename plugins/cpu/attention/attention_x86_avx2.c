/* SPDX-License-Identifier: Apache-2.0 */
/* The softmax inside attention for AVX2 and FMA. See attention_loops.h. */
#define ORIBI_ISA avx2
#define WIDTH     8
#include "cpu/attention/attention_loops.h"
