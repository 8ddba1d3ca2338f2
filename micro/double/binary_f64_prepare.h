/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ORIBI_MICRO_BINARY_F64_PREPARE_H_
#define ORIBI_MICRO_BINARY_F64_PREPARE_H_

#include "micro/double/binary_f64.h"

/* The code of the function whose kernel of floats is <name>_f32, or of the comparison that is
 * TensorFlow's op of that name; -1: there is none of doubles. */
int32_t oribi_micro_binary_f64_find(const char *name);

#endif
