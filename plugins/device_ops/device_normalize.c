/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalisation for inference, local response normalisation. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "device_ops/device_walk.h"

/* --- FusedBatchNormV3, _FusedBatchNormEx ----------------------------------------------------- */

enum { X, SCALE, OFFSET, MEAN, VARIANCE, SIDE };

/* mean and variance again, as the reserve spaces too; the last output is empty. */
static bool show_statistics(op_request *r, TF_Tensor *mean, TF_Tensor *variance)
{
    const int64_t none = 0;
    for (int i = 1; i < TF_NumOutputs(r->run.context) && i < 5 && op_is_ok(r); i++) {
        TF_SetOutput(r->run.context, i, i % 2 == 1 ? mean : variance, r->run.status);
    }
    if (TF_NumOutputs(r->run.context) > 5 && op_is_ok(r)) {
        TF_DeleteTensor(TF_AllocateOutput(r->run.context, 5, TF_FLOAT, &none, 1, 0, r->run.status));
    }
    return op_is_ok(r);
}

static bool fill_norm(op_request *r, bool is_nchw, TF_Tensor *const in[], op_norm *p)
{
    const int rank = TF_NumDims(r->x), channel = is_nchw ? 1 : rank - 1;
    if (rank < 2) {
        return op_refuse(r, TF_INVALID_ARGUMENT, "the image has no channels");
    }
    const int64_t channels = TF_Dim(r->x, channel);
    for (int i = SCALE; i <= VARIANCE; i++) {
        if (TF_NumDims(in[i]) != 1 || TF_Dim(in[i], 0) != channels) {
            return op_refuse(r, TF_INVALID_ARGUMENT,
                             "a vector must have one value for each channel");
        }
    }
    if (p->has_side && TF_TensorElementCount(in[SIDE]) != TF_TensorElementCount(r->x)) {
        return op_refuse(r, TF_INVALID_ARGUMENT, "the side input must have the shape of x");
    }
    int64_t inner = 1;
    for (int i = channel + 1; i < rank; i++) {
        inner *= TF_Dim(r->x, i);
    }
    p->inner = (int32_t)inner;
    p->by_inner = walk_divisor(p->inner);
    p->channels = (int32_t)channels;
    p->by_channels = walk_divisor(p->channels);
    return op_output_like_x(r);
}

static void compute_batch_norm(void *state, TF_OpKernelContext *ctx)
{
    op_kernel *kernel = state;
    op_request r;
    op_norm p = *(const op_norm *)kernel->attrs;
    TF_Tensor *in[6] = {0};
    const bool is_open = op_open(&r, ctx, 2);
    in[X] = r.x;
    in[SCALE] = r.y;
    for (int i = OFFSET; is_open && op_is_ok(&r) && i < (p.has_side ? 6 : 5); i++) {
        in[i] = op_other(&r, i);
    }
    if (op_is_ok(&r) && fill_norm(&r, kernel->is_nchw, in, &p) &&
        show_statistics(&r, in[MEAN], in[VARIANCE])) {
        p.n = (int32_t)TF_TensorElementCount(r.x);
        const TF_LaunchArg args[] = {op_memory(r.out),
                                     op_memory(r.x),
                                     op_memory(in[SCALE]),
                                     op_memory(in[OFFSET]),
                                     op_memory(in[MEAN]),
                                     op_memory(in[VARIANCE]),
                                     op_memory(p.has_side ? in[SIDE] : r.x),
                                     op_value(&p, sizeof p)};
        op_enqueue_strips(kernel, &r, p.n, args, 8);
    }
    op_close(&r);
}

static void read_extended(oribi_kit_setup *setup, op_norm *attrs)
{
    char activation[16] = {0};
    int64_t n_side = 0;
    oribi_kit_attr_string(setup, "activation_mode", activation, sizeof activation);
    oribi_kit_attr_int(setup, "num_side_inputs", &n_side);
    attrs->has_side = n_side == 1;
    attrs->has_relu = strcmp(activation, "Relu") == 0;
    if (n_side < 0 || n_side > 1 || (!attrs->has_relu && strcmp(activation, "Identity") != 0)) {
        (void)oribi_kit_setup_fail(
            setup, TF_UNIMPLEMENTED,
            "more than one side input, or an activation that is not Relu or Identity");
    }
}

static void *create_norm(TF_OpKernelConstruction *c, bool is_extended)
{
    char format[8] = {0};
    bool is_training = false;
    oribi_kit_setup setup;
    op_kernel *kernel = op_begin(&setup, c, "normalize", "op_batch_norm", sizeof(op_norm));
    if (kernel != NULL) {
        op_norm *attrs = kernel->attrs;
        oribi_kit_attr_float(&setup, "epsilon", &attrs->epsilon);
        oribi_kit_attr_string(&setup, "data_format", format, sizeof format);
        kernel->is_nchw = strncmp(format, "NC", 2) == 0;
        oribi_kit_attr_bool(&setup, "is_training", &is_training);
        if (is_training) {
            (void)oribi_kit_setup_fail(&setup, TF_UNIMPLEMENTED,
                                       "is_training: this kernel is for inference");
        }
        if (is_extended) {
            read_extended(&setup, attrs);
        }
    }
    return oribi_kit_setup_end(&setup);
}

static void *create_batch_norm(TF_OpKernelConstruction *c)
{
    return create_norm(c, false);
}

static void *create_batch_norm_ex(TF_OpKernelConstruction *c)
{
    return create_norm(c, true);
}

/* --- LRN ------------------------------------------------------------------------------------- */

static void compute_lrn(void *state, TF_OpKernelContext *ctx)
{
    op_kernel *kernel = state;
    op_request r;
    op_lrn p = *(const op_lrn *)kernel->attrs;
    if (op_open(&r, ctx, 1) && TF_NumDims(r.x) != 4) {
        (void)op_refuse(&r, TF_INVALID_ARGUMENT, "the image must have 4 dimensions");
    } else if (op_is_ok(&r) && op_output_like_x(&r)) {
        p.n = (int32_t)TF_TensorElementCount(r.x);
        p.channels = (int32_t)TF_Dim(r.x, 3);
        p.by_channels = walk_divisor(p.channels);
        const TF_LaunchArg args[] = {op_memory(r.out), op_memory(r.x), op_value(&p, sizeof p)};
        op_enqueue(kernel, &r, p.n, 1, args, 3);
    }
    op_close(&r);
}

static void *create_lrn(TF_OpKernelConstruction *c)
{
    int64_t radius = 0;
    oribi_kit_setup setup;
    op_kernel *kernel = op_begin(&setup, c, "normalize", "op_local_response", sizeof(op_lrn));
    if (kernel != NULL) {
        op_lrn *attrs = kernel->attrs;
        oribi_kit_attr_int(&setup, "depth_radius", &radius);
        oribi_kit_attr_float(&setup, "bias", &attrs->bias);
        oribi_kit_attr_float(&setup, "alpha", &attrs->alpha);
        oribi_kit_attr_float(&setup, "beta", &attrs->beta);
        if (radius < 0 || radius > INT_MAX / 2) {
            (void)oribi_kit_setup_fail(&setup, TF_INVALID_ARGUMENT,
                                       "depth_radius is %lld, below 0 or too large",
                                       (long long)radius);
        }
        attrs->radius = (int32_t)radius;
    }
    return oribi_kit_setup_end(&setup);
}

static const op_entry entries[] = {
    {"FusedBatchNorm", "normalize", create_batch_norm, compute_batch_norm, {NULL}},
    {"FusedBatchNormV3", "normalize", create_batch_norm, compute_batch_norm, {NULL}},
    {"_FusedBatchNormEx", "normalize", create_batch_norm_ex, compute_batch_norm, {NULL}},
    {"LRN", "normalize", create_lrn, compute_lrn, {NULL}},
};
const op_table op_normalize_table = {entries, sizeof entries / sizeof *entries};
