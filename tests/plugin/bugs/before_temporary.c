/* SPDX-License-Identifier: Apache-2.0 */
/* Planted bug: writes one element before the start of a temporary. */
#include "bug.h"

static void compute(void *state, TF_OpKernelContext *ctx)
{
    io p;
    (void)state;
    if (io_input(ctx, &p) && io_output(ctx, &p)) {
        TF_Tensor *temp = TF_AllocateTemp(ctx, TF_FLOAT, p.dims, p.rank, NULL, p.status);
        float *scratch = temp ? TF_TensorData(temp) : NULL;
        for (int64_t i = 0; scratch && i < p.n; i++) {
            scratch[i - 1] = p.x[i];
            p.y[i] = scratch[i - 1] + 1;
        }
        TF_DeleteTensor(temp);
    }
    io_close(ctx, &p);
}
