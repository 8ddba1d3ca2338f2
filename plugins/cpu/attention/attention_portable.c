/* SPDX-License-Identifier: Apache-2.0 */
/* The softmax inside attention for the compiler's base ISA (SSE2, ...). See attention_loops.h. */
#define ORIBI_ISA portable
#define WIDTH     4
#include "cpu/attention/attention_loops.h"
