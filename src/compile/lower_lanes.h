/* SPDX-License-Identifier: Apache-2.0 */
/* Weights in lanes, for the families whose kernels want them (micro/lanes_prepare.h). */
#ifndef ORIBI_COMPILE_LOWER_LANES_H_
#define ORIBI_COMPILE_LOWER_LANES_H_

#include "compile/lower.h"
#include "micro/lanes_prepare.h"

/* Packs a layer that fits into the arena and places it as `filter`. NULL: no memory. */
const int32_t *oribi_lanes_place(oribi_lowering *lowering, oribi_call *call,
                                 const struct oribi_micro_lanes_spec *spec);
/* The members of an output named `output`. */
void oribi_lanes_output(oribi_call *call, const struct oribi_micro_lanes_output *output);

#endif
