/* SPDX-License-Identifier: Apache-2.0 */
/* Planted bug: reads elements that it has written already when it works in place. */
#include "bug.h"

static void compute(void *state, TF_OpKernelContext *ctx)
{
    io p;
    const int candidate = 0;
    int forwarded = -1;
    (void)state;
    if (io_input(ctx, &p)) {
        TF_DeleteTensor(p.in); /* so that it may be taken over */
        p.in = NULL;
        p.out = TF_ForwardInputOrAllocateOutput(ctx, &candidate, 1, 0, p.dims, p.rank, &forwarded,
                                                p.status);
        if (p.out) {
            TF_GetInput(ctx, 0, &p.in, p.status);
            p.x = TF_TensorData(p.in);
            p.y = TF_TensorData(p.out);
            for (int64_t i = 0; i < p.n; i++) {
                p.y[i] = p.x[i] + 2 * p.x[p.n - 1 - i];
            }
        }
    }
    io_close(ctx, &p);
}
