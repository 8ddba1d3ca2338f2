/* SPDX-License-Identifier: Apache-2.0 */
/* Activations of rows for AVX2 and FMA. See activate_loops.h. */
#define ORIBI_ISA avx2
#include "cpu/elementwise/activate_loops.h"
