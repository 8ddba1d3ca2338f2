/* SPDX-License-Identifier: Apache-2.0 */
/* Batch normalisation for inference, local response normalisation. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "device_ops/walk.h"

/* --- FusedBatchNormV3, _FusedBatchNormEx ----------------------------------------------------- */

enum { X, SCALE, OFFSET, MEAN, VARIANCE, SIDE };

/* mean and variance again, as the reserve spaces too; the last output is empty. */
static bool show_statistics(op_request *r, TF_Tensor *mean, TF_Tensor *variance)
{
    const int64_t none = 0;
    for (int i = 1; i < TF_NumOutputs(r->ctx) && i < 5 && op_is_ok(r); i++) {
        TF_SetOutput(r->ctx, i, i % 2 == 1 ? mean : variance, r->status);
    }
    if (TF_NumOutputs(r->ctx) > 5 && op_is_ok(r)) {
        TF_DeleteTensor(TF_AllocateOutput(r->ctx, 5, TF_FLOAT, &none, 1, 0, r->status));
    }
    return op_is_ok(r);
}

static bool fill_norm(op_request *r, bool is_nchw, TF_Tensor *const in[], op_norm *p)
{
    const int rank = TF_NumDims(r->x), channel = is_nchw ? 1 : rank - 1;
    if (rank < 2) {
        return op_refuse(r, TF_INVALID_ARGUMENT, "a picture without channels");
    }
    const int64_t channels = TF_Dim(r->x, channel);
    for (int i = SCALE; i <= VARIANCE; i++) {
        if (TF_NumDims(in[i]) != 1 || TF_Dim(in[i], 0) != channels) {
            return op_refuse(r, TF_INVALID_ARGUMENT,
                             "a vector that is not as long as the channels");
        }
    }
    if (p->has_side && TF_TensorElementCount(in[SIDE]) != TF_TensorElementCount(r->x)) {
        return op_refuse(r, TF_INVALID_ARGUMENT, "a side input of another shape");
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

static void read_extended(TF_OpKernelConstruction *c, op_norm *attrs, TF_Status *status)
{
    char activation[16] = {0};
    int64_t n_side = 0;
    TF_OpKernelConstruction_GetAttrString(c, "activation_mode", activation, sizeof activation - 1,
                                          status);
    if (TF_GetCode(status) == TF_OK) {
        TF_OpKernelConstruction_GetAttrInt64(c, "num_side_inputs", &n_side, status);
    }
    attrs->has_side = n_side == 1;
    attrs->has_relu = strcmp(activation, "Relu") == 0;
    if (TF_GetCode(status) == TF_OK &&
        (n_side < 0 || n_side > 1 || (!attrs->has_relu && strcmp(activation, "Identity") != 0))) {
        TF_SetStatus(status, TF_UNIMPLEMENTED,
                     "more than one side input, or an activation that is not Relu or Identity");
    }
}

static void *create_norm(TF_OpKernelConstruction *c, bool is_extended)
{
    TF_Status *status = TF_NewStatus();
    char format[8] = {0};
    unsigned char is_training = 0;
    op_kernel *kernel = op_create("normalize", "op_batch_norm", status);
    op_norm *attrs = kernel != NULL ? calloc(1, sizeof *attrs) : NULL;
    if (attrs == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of memory");
        return op_finish(c, kernel, status);
    }
    kernel->attrs = attrs;
    TF_OpKernelConstruction_GetAttrFloat(c, "epsilon", &attrs->epsilon, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_OpKernelConstruction_GetAttrString(c, "data_format", format, sizeof format - 1, status);
        kernel->is_nchw = strncmp(format, "NC", 2) == 0;
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_OpKernelConstruction_GetAttrBool(c, "is_training", &is_training, status);
    }
    if (TF_GetCode(status) == TF_OK && is_training) {
        TF_SetStatus(status, TF_UNIMPLEMENTED, "is_training: this kernel is for inference");
    }
    if (TF_GetCode(status) == TF_OK && is_extended) {
        read_extended(c, attrs, status);
    }
    return op_finish(c, kernel, status);
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
        (void)op_refuse(&r, TF_INVALID_ARGUMENT, "a picture that has not 4 dimensions");
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
    static const char *const names[] = {"bias", "alpha", "beta"};
    TF_Status *status = TF_NewStatus();
    int64_t radius = 0;
    op_kernel *kernel = op_create("normalize", "op_local_response", status);
    op_lrn *attrs = kernel != NULL ? calloc(1, sizeof *attrs) : NULL;
    if (attrs == NULL) {
        TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "out of memory");
        return op_finish(c, kernel, status);
    }
    kernel->attrs = attrs;
    TF_OpKernelConstruction_GetAttrInt64(c, "depth_radius", &radius, status);
    float *const to[] = {&attrs->bias, &attrs->alpha, &attrs->beta};
    for (int i = 0; i < 3 && TF_GetCode(status) == TF_OK; i++) {
        TF_OpKernelConstruction_GetAttrFloat(c, names[i], to[i], status);
    }
    if (TF_GetCode(status) == TF_OK && (radius < 0 || radius > INT_MAX / 2)) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "depth_radius below 0, or too large a one");
    }
    attrs->radius = (int32_t)radius;
    return op_finish(c, kernel, status);
}

static const op_entry entries[] = {
    {"FusedBatchNorm", "normalize", create_batch_norm, compute_batch_norm, {NULL}},
    {"FusedBatchNormV3", "normalize", create_batch_norm, compute_batch_norm, {NULL}},
    {"_FusedBatchNormEx", "normalize", create_batch_norm_ex, compute_batch_norm, {NULL}},
    {"LRN", "normalize", create_lrn, compute_lrn, {NULL}},
};
const op_table op_normalize_table = {entries, sizeof entries / sizeof *entries};
