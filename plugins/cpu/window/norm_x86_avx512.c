/* SPDX-License-Identifier: Apache-2.0 */
/* F32 normalisation loops for AVX-512. See norm_loops.h. */
#define ORIBI_ISA avx512
#define WIDTH     16
#include "cpu/window/norm_loops.h"
