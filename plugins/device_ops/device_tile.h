/* SPDX-License-Identifier: Apache-2.0 */
/* Products, which convolutions and matrix products are; see device_tile.c. */
#ifndef ORIBI_PLUGINS_DEVICE_OPS_TILE_H_
#define ORIBI_PLUGINS_DEVICE_OPS_TILE_H_

#include "device_ops/device_op.h"

typedef struct tile_plan {
    const op_code *code; /* NULL: nothing to do */
    op_shape shape;
} tile_plan;

/* The form of least work, and its launch. Weights lie column by column (w[1] is 1), unless
 * `is_dots`: then x and weights lie along the sum (x[3] and w[0] are 1) and there is one tap. */
void tile_choose(const op_tile *t, bool has_vectors, bool is_dots, tile_plan *out);
/* Memories: result, x, weights, bias, what is added. Nothing for no results. */
void tile_enqueue(op_kernel *kernel, op_request *r, const op_tile *t, bool is_dots,
                  const TF_LaunchArg memories[5]);
/* The product of a TF_Gemm as c, x, w; see device_ops_plan_product. */
bool tile_of_gemm(const TF_Gemm *gemm, bool has_vectors, op_tile *out, bool *out_is_swapped,
                  bool *out_is_dots, TF_Status *status);

#endif
