/* SPDX-License-Identifier: Apache-2.0 */
/* Planted bug: wants what the tool cannot guess. */
#include "bug.h"

static void compute(void *state, TF_OpKernelContext *ctx)
{
    io p;
    (void)state;
    if (io_input(ctx, &p) && p.rank == 7 && io_output(ctx, &p)) {
        memset(p.y, 0, TF_TensorByteSize(p.out));
    } else {
        TF_SetStatus(p.status, TF_INVALID_ARGUMENT, "wants rank 7");
    }
    io_close(ctx, &p);
}
