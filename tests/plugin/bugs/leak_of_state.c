/* SPDX-License-Identifier: Apache-2.0 */
/* Planted bug: deletes its state, not what the state owns. */
#define CREATE create
#define DELETE destroy
#include "tensorflow/c/kernels.h"
static void *create(TF_OpKernelConstruction *ctx);
static void destroy(void *state);
#include "bug.h"

typedef struct state {
    char *owned;
} state;

static void *create(TF_OpKernelConstruction *ctx)
{
    state *made = malloc(sizeof *made);
    (void)ctx;
    if (made) {
        made->owned = malloc(100);
    }
    return made;
}

static void destroy(void *object)
{
    free(object);
}

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
