/* SPDX-License-Identifier: Apache-2.0 */
/* What the families of floats hand over where elements are doubles. */
#ifndef ORIBI_COMPILE_LOWER_F64_H_
#define ORIBI_COMPILE_LOWER_F64_H_

#include "compile/lower/float/lower_f32.h"
#include "micro/double/reduce_f64.h"

/* Is input 0 of doubles? */
bool oribi_lower_is_f64(const oribi_lowering *lowering, const oribi_call *call);
oribi_lower_function oribi_lower_unary_f64, oribi_lower_binary_f64, oribi_lower_softmax_f64;
/* The code of a reduction; -1: there is none of doubles. */
int32_t oribi_lower_reduction_f64(const oribi_call *call);

#endif
