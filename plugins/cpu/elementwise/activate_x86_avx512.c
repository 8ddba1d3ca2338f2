/* SPDX-License-Identifier: Apache-2.0 */
/* Activations of rows for AVX-512. See activate_loops.h. */
#define ORIBI_ISA avx512
#include "cpu/elementwise/activate_loops.h"
