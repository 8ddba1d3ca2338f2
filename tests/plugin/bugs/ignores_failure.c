/* SPDX-License-Identifier: Apache-2.0 */
/* Planted bug: sets its output from a block of its own when it gets none, and writes nowhere. */
#include "bug.h"

static void compute(void *state, TF_OpKernelContext *ctx)
{
    io p;
    (void)state;
    if (io_input(ctx, &p)) {
        (void)io_output(ctx, &p);
        for (int64_t i = 0; p.y && i < p.n; i++) {
            p.y[i] = p.x[i] + 1;
        }
        TF_SetStatus(p.status, TF_OK, "");
    }
    io_close(ctx, &p);
}
