/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of attention for AVX-512. See attention_loops.h. */
#include "cpu/attention/attention.h"

#include "cpu/base/vector_x86_avx512.h"

#define ORIBI_ISA avx512
#define WIDTH     16
#include "cpu/attention/attention_loops.h"
