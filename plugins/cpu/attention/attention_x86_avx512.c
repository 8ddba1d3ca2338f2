/* SPDX-License-Identifier: Apache-2.0 */
/* The softmax inside attention for AVX-512. See attention_loops.h. */
#define ORIBI_ISA avx512
#define WIDTH     16
#include "cpu/attention/attention_loops.h"
