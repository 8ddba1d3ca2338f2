/* SPDX-License-Identifier: Apache-2.0 */
/* Planted bug: makes a tensor on the side and forgets it. */
#include "bug.h"

static void compute(void *state, TF_OpKernelContext *ctx)
{
    io p;
    (void)state;
    if (io_input(ctx, &p) && io_output(ctx, &p)) {
        (void)TF_AllocateTensor(TF_FLOAT, p.dims, p.rank, (size_t)p.n * sizeof(float));
        for (int64_t i = 0; i < p.n; i++) {
            p.y[i] = p.x[i] + 1;
        }
    }
    io_close(ctx, &p);
}
