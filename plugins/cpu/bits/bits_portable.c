/* SPDX-License-Identifier: Apache-2.0 */
/* Products with 4 bits in portable C. See bits_loops.h. */
#include "cpu/bits/bits.h"

#include "cpu/base/vector_portable.h"

#define ORIBI_ISA portable
#define WIDTH     4
#include "cpu/bits/bits_loops.h"
