/* SPDX-License-Identifier: Apache-2.0 */
/* Planted bug: counts its calls into its result. */
#include "bug.h"

static int calls;

static void compute(void *state, TF_OpKernelContext *ctx)
{
    io p;
    (void)state;
    if (io_input(ctx, &p) && io_output(ctx, &p)) {
        calls++;
        for (int64_t i = 0; i < p.n; i++) {
            p.y[i] = p.x[i] + (float)calls;
        }
    }
    io_close(ctx, &p);
}
