/* SPDX-License-Identifier: Apache-2.0 */
/* Power, of elements that meet by broadcasting. */
#include "micro/float_rules.h"

#include "micro/binary/binary_f32.h"
#include "micro/math_f64.h"

#define ORIBI_MICRO_BINARY   oribi_micro_pow_f32
#define ORIBI_MICRO_OF(x, y) oribi_micro_pow(x, y)
#include "micro/binary/binary_f32_body.h"
