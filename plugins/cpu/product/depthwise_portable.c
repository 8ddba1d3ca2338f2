/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise loops in plain C; the loops themselves stand in depthwise_tile.inc. */
#include "cpu/product/depthwise.h"
#include "cpu/base/vector_portable.h"

#define DEPTHWISE_ROWS   1
#define DEPTHWISE_SMALL  /* so many loops of 4 lanes take 20 KB, which every processor would load  \
                          */
#include "cpu/product/depthwise_tile.inc"

const oribi_depthwise_variant oribi_depthwise_portable = {"portable", loops, loop_any, loop_some};
