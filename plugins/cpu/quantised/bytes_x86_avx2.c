/* SPDX-License-Identifier: Apache-2.0 */
/* Floats to bytes and back for AVX2. See bytes_loops.h. */
#include "cpu/quantised/bytes_table_x86_avx2.h"

#define ORIBI_ISA avx2
#include "cpu/quantised/bytes_loops.h"
