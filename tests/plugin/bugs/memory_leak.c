/* SPDX-License-Identifier: Apache-2.0 */
/* Planted bug: forgets a block of the heap. */
#include "bug.h"

static void *volatile kept;

static void compute(void *state, TF_OpKernelContext *ctx)
{
    io p;
    (void)state;
    if (io_input(ctx, &p) && io_output(ctx, &p)) {
        kept = malloc(100);
        for (int64_t i = 0; i < p.n; i++) {
            p.y[i] = p.x[i] + 1;
        }
    }
    io_close(ctx, &p);
}
