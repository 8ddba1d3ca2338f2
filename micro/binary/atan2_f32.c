/* SPDX-License-Identifier: Apache-2.0 */
/* Angles of points (b, a), whose elements meet by broadcasting. */
#include "micro/float_rules.h"

#include "micro/arc.h"
#include "micro/binary/binary_f32.h"

#define ORIBI_MICRO_BINARY   oribi_micro_atan2_f32
#define ORIBI_MICRO_OF(x, y) oribi_micro_atan2(x, y)
#include "micro/binary/binary_f32_body.h"
