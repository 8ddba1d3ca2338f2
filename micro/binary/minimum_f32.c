/* SPDX-License-Identifier: Apache-2.0 */
/* The lesser; a NaN of either side, of elements that meet by broadcasting. */
#include "micro/float_rules.h"

#include "micro/binary/binary_f32.h"

#define ORIBI_MICRO_BINARY   oribi_micro_minimum_f32
#define ORIBI_MICRO_OF(x, y) ((x) < (y) || (x) != (x) ? (x) : (y))
#include "micro/binary/binary_f32_body.h"
