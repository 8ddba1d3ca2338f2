/* SPDX-License-Identifier: Apache-2.0 */
/* Planted bug: sums a temporary that nobody has written. */
#include "bug.h"

static void compute(void *state, TF_OpKernelContext *ctx)
{
    io p;
    (void)state;
    if (io_input(ctx, &p) && io_output(ctx, &p)) {
        TF_AllocatorAttributes host = {TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE, 1};
        TF_Tensor *temp = TF_AllocateTemp(ctx, TF_FLOAT, p.dims, p.rank, &host, p.status);
        for (int64_t i = 0; temp && i < p.n; i++) {
            p.y[i] = p.x[i] + ((const float *)TF_TensorData(temp))[i];
        }
        TF_DeleteTensor(temp);
    }
    io_close(ctx, &p);
}
