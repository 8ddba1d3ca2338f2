/* SPDX-License-Identifier: Apache-2.0 */
/* Planted bug: makes one row more than its shape function says. */
#include "bug.h"

static void compute(void *state, TF_OpKernelContext *ctx)
{
    io p;
    (void)state;
    if (io_input(ctx, &p)) {
        if (p.rank > 0) {
            p.dims[0]++;
        }
        if (io_output(ctx, &p)) {
            memset(p.y, 0, TF_TensorByteSize(p.out));
        }
    }
    io_close(ctx, &p);
}
