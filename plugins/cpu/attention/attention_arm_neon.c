/* SPDX-License-Identifier: Apache-2.0 */
/* The softmax inside attention for NEON. See attention_loops.h. */
#define ORIBI_ISA neon
#define WIDTH     4
#include "cpu/attention/attention_loops.h"
