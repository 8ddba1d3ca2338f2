/* SPDX-License-Identifier: Apache-2.0 */
/* ResizeNearestNeighbor and ResizeBilinear, with TensorFlow's three ways to place pixels. */
#include <limits.h>
#include <stdlib.h>

#include "device_ops/device_walk.h"

typedef struct resize_attrs {
    bool align_corners, half_pixel_centers;
} resize_attrs;

static bool fill(op_request *r, const resize_attrs *attrs, bool is_nearest, op_resize *g)
{
    int64_t size[2] = {0};
    oribi_dims dims = {0};
    int n = 0;
    if (!op_read_ints(r, r->y, size, 2, &n)) {
        return false;
    }
    if (TF_NumDims(r->x) != 4 || n != 2 || size[0] < 1 || size[1] < 1 || TF_Dim(r->x, 1) < 1 ||
        TF_Dim(r->x, 2) < 1) {
        return op_refuse(
            r, TF_INVALID_ARGUMENT,
            "images must have 4 dimensions, and the size must be two positive numbers");
    }
    for (int i = 0; i < 4; i++) {
        (void)oribi_dims_add(&dims, i == 1 || i == 2 ? size[i - 1] : TF_Dim(r->x, i));
    }
    if (!op_output(r, &dims)) {
        return false;
    }
    g->n = (int32_t)TF_TensorElementCount(r->out);
    g->channels = (int32_t)dims.at[3];
    g->by_channels = walk_divisor(g->channels);
    g->offset = attrs->half_pixel_centers ? 0.5f : 0.0f;
    g->rounds = is_nearest && attrs->align_corners;
    for (int i = 0; i < 2; i++) {
        g->in[i] = (int32_t)TF_Dim(r->x, 1 + i);
        g->out[i] = (int32_t)size[i];
        g->by_out[i] = walk_divisor(g->out[i]);
        g->scale[i] = attrs->align_corners && size[i] > 1
                          ? (float)(g->in[i] - 1) / (float)(g->out[i] - 1)
                          : (float)g->in[i] / (float)g->out[i];
    }
    return true;
}

static void run_resize(void *kernel, TF_OpKernelContext *ctx, bool is_nearest)
{
    op_request r;
    op_resize g = {0};
    if (op_open(&r, ctx, 2) && fill(&r, ((const op_kernel *)kernel)->attrs, is_nearest, &g)) {
        const TF_LaunchArg args[] = {op_memory(r.out), op_memory(r.x), op_value(&g, sizeof g)};
        op_enqueue(kernel, &r, g.n, 1, args, 3);
    }
    op_close(&r);
}

static void compute_nearest(void *kernel, TF_OpKernelContext *ctx)
{
    run_resize(kernel, ctx, true);
}

static void compute_bilinear(void *kernel, TF_OpKernelContext *ctx)
{
    run_resize(kernel, ctx, false);
}

static void *create(TF_OpKernelConstruction *c, const char *function)
{
    oribi_kit_setup setup;
    op_kernel *kernel = op_begin(&setup, c, "resize", function, sizeof(resize_attrs));
    if (kernel != NULL) {
        resize_attrs *attrs = kernel->attrs;
        oribi_kit_attr_bool(&setup, "align_corners", &attrs->align_corners);
        oribi_kit_attr_bool(&setup, "half_pixel_centers", &attrs->half_pixel_centers);
        if (attrs->align_corners && attrs->half_pixel_centers) {
            (void)oribi_kit_setup_fail(
                &setup, TF_INVALID_ARGUMENT,
                "align_corners and half_pixel_centers cannot be used together");
        }
    }
    return oribi_kit_setup_end(&setup);
}

static void *create_nearest(TF_OpKernelConstruction *c)
{
    return create(c, "op_resize_nearest");
}

static void *create_bilinear(TF_OpKernelConstruction *c)
{
    return create(c, "op_resize_bilinear");
}

static const op_entry entries[] = {
    {"ResizeNearestNeighbor", "resize", create_nearest, compute_nearest, {"size"}},
    {"ResizeBilinear", "resize", create_bilinear, compute_bilinear, {"size"}},
};
const op_table op_resize_table = {entries, sizeof entries / sizeof *entries};
