/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise loops for NEON; the loops themselves stand in depthwise_tile.inc. */
#include "cpu/depthwise.h"

#if defined(__aarch64__)
#include "cpu/vector_arm_neon.h"

#define DEPTHWISE_ROWS 2
#include "cpu/depthwise_tile.inc"

const oribi_depthwise_variant oribi_depthwise_neon = {"neon", loops, loop_any};
#else
typedef int oribi_depthwise_neon_absent; /* a file needs a declaration */
#endif
