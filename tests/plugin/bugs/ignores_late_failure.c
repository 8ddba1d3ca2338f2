/* SPDX-License-Identifier: Apache-2.0 */
/* Planted bug: asks for eight temporaries and does not look at what became of the last one. */
#include "bug.h"

static void compute(void *state, TF_OpKernelContext *ctx)
{
    io p;
    TF_Tensor *temp[8] = {NULL};
    (void)state;
    if (io_input(ctx, &p)) {
        for (int i = 0; i < 8 && TF_GetCode(p.status) == TF_OK; i++) {
            temp[i] = TF_AllocateTemp(ctx, TF_FLOAT, p.dims, p.rank, NULL, p.status);
        }
        if (temp[6]) {
            TF_SetStatus(p.status, TF_OK, "");
        }
        if (TF_GetCode(p.status) == TF_OK && io_output(ctx, &p)) {
            for (int64_t i = 0; i < p.n; i++) {
                p.y[i] = temp[7] ? p.x[i] + 1 : 0;
            }
        }
        for (int i = 0; i < 8; i++) {
            TF_DeleteTensor(temp[i]);
        }
    }
    io_close(ctx, &p);
}
