/* SPDX-License-Identifier: Apache-2.0 */
/* Planted bug: reads element 0 of an empty tensor through a null pointer. */
#include "bug.h"

static void compute(void *state, TF_OpKernelContext *ctx)
{
    io p;
    (void)state;
    if (io_input(ctx, &p) && io_output(ctx, &p)) {
        const float *first = p.n > 0 ? p.x : NULL;
        const volatile float zero = *first * 0;
        for (int64_t i = 0; i < p.n; i++) {
            p.y[i] = p.x[i] + zero;
        }
    }
    io_close(ctx, &p);
}
