/* SPDX-License-Identifier: Apache-2.0 */
/* Planted bug: an op with a state, so that it is not run twice, whose kernel writes nothing. */
#define STATEFUL 1
#include "bug.h"

static void compute(void *state, TF_OpKernelContext *ctx)
{
    io p;
    (void)state;
    (void)(io_input(ctx, &p) && io_output(ctx, &p));
    io_close(ctx, &p);
}
