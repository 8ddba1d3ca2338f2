/* SPDX-License-Identifier: Apache-2.0 */
/* Linear unit whose slope below 0 is the other side, of elements that meet by broadcasting. */
#include "micro/float_rules.h"

#include "micro/binary/binary_f32.h"

#define ORIBI_MICRO_BINARY   oribi_micro_prelu_f32
#define ORIBI_MICRO_OF(x, y) ((x) < 0.0F ? (x) * (y) : (x))
#include "micro/binary/binary_f32_body.h"
