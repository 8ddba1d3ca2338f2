/* SPDX-License-Identifier: Apache-2.0 */
/* Planted bug: forgets a block of the heap when it gets no output. */
#include "bug.h"

static void compute(void *state, TF_OpKernelContext *ctx)
{
    io p;
    (void)state;
    if (io_input(ctx, &p)) {
        char *volatile scratch = malloc(100);
        if (io_output(ctx, &p)) {
            for (int64_t i = 0; i < p.n; i++) {
                p.y[i] = p.x[i] + 1;
            }
            free(scratch);
        }
    }
    io_close(ctx, &p);
}
