/* SPDX-License-Identifier: Apache-2.0 */
/* Products with 4 bits for NEON. See bits_loops.h. */
#include "cpu/bits/bits.h"

#include "cpu/base/vector_arm_neon.h"

#define ORIBI_ISA neon
#define WIDTH     4
#include "cpu/bits/bits_loops.h"
