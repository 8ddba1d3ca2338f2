/* SPDX-License-Identifier: Apache-2.0 */
/* Planted bug: tells its inputs apart by their addresses. */
#define INPUTS 2
#include "bug.h"

static void compute(void *state, TF_OpKernelContext *ctx)
{
    io p;
    (void)state;
    if (io_input(ctx, &p) && io_output(ctx, &p)) {
        TF_Tensor *other = NULL;
        TF_GetInput(ctx, 1, &other, p.status);
        const float add = other && TF_TensorData(other) == p.x ? 2 : 1;
        for (int64_t i = 0; i < p.n; i++) {
            p.y[i] = p.x[i] + add;
        }
        TF_DeleteTensor(other);
    }
    io_close(ctx, &p);
}
