/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of attention for NEON. See attention_loops.h. */
#include "cpu/attention/attention.h"

#include "cpu/base/vector_arm_neon.h"

#define ORIBI_ISA neon
#define WIDTH     4
#include "cpu/attention/attention_loops.h"
