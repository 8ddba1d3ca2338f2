/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of attention for the compiler's base ISA (SSE2, ...). See attention_loops.h. */
#include "cpu/attention/attention.h"

#include "cpu/base/vector_portable.h"

#define ORIBI_ISA portable
#define WIDTH     4
#include "cpu/attention/attention_loops.h"
