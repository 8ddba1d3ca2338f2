/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of attention for AVX2 and FMA. See attention_loops.h. */
#include "cpu/attention/attention.h"

#include "cpu/base/vector_x86_avx2.h"

#define ORIBI_ISA avx2
#define WIDTH     8
#include "cpu/attention/attention_loops.h"
