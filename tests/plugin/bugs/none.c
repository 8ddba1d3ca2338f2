/* SPDX-License-Identifier: Apache-2.0 */
/* Planted bug: none; the tool must find nothing here. */
#include "bug.h"

static void compute(void *state, TF_OpKernelContext *ctx)
{
    io p;
    (void)state;
    if (io_input(ctx, &p) && io_output(ctx, &p)) {
        for (int64_t i = 0; i < p.n; i++) {
            p.y[i] = p.x[i] + 1;
        }
    }
    io_close(ctx, &p);
}
