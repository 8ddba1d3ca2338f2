/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel creation: the life of oribi_kernel and what a kernel may ask about its node, attributes
 * aside (construction_attrs.c).
 */
#include "kernel/construction_internal.h"

#include <string.h>

#include "base/alloc.h"
#include "micro/geometry/geometry_walk.h"
#include "op/quantisation.h"

bool oribi_kernel_create(const oribi_kernel_def *def, const oribi_node_view *node,
                         oribi_kernel *out_kernel, TF_Status *status)
{
    TF_OpKernelConstruction construction = {.node = node, .def = def};
    void *state = NULL;

    construction.failure = TF_NewStatus();
    if (construction.failure == NULL) {
        return oribi_fail_memory(status);
    }
    if (def->create != NULL) {
        state = def->create(&construction);
    }
    const bool ok = oribi_ok(construction.failure);
    if (ok) {
        *out_kernel = (oribi_kernel){def, state, node, construction.packed};
    } else {
        oribi_status_copy(status, construction.failure);
        oribi_status_prefix(
            status, "node '%s' (op %s): kernel '%s' of %s could not be made: ", node->name,
            node->op != NULL ? node->op->name : "", def->kernel_name, def->provider);
        if (def->destroy != NULL && def->create != NULL) {
            def->destroy(state);
        }
        oribi_packed_release(construction.packed);
    }
    TF_DeleteStatus(construction.failure);
    oribi_arena_destroy(&construction.arena);
    return ok;
}

void oribi_kernel_destroy(oribi_kernel *kernel)
{
    if (kernel != NULL && kernel->def != NULL) {
        if (kernel->def->destroy != NULL) {
            kernel->def->destroy(kernel->state);
        }
        oribi_packed_release(kernel->packed);
        *kernel = (oribi_kernel){0};
    }
}

void TF_OpKernelConstruction_Failure(TF_OpKernelConstruction *ctx, TF_Status *status)
{
    if (!oribi_ok(status) && oribi_ok(ctx->failure)) {
        oribi_status_copy(ctx->failure, status);
    }
}

TF_StringView TF_OpKernelConstruction_GetName(TF_OpKernelConstruction *ctx)
{
    return (TF_StringView){ctx->node->name, strlen(ctx->node->name)};
}

TF_Buffer *TF_OpKernelConstruction_GetNodeDef(TF_OpKernelConstruction *ctx, TF_Status *status)
{
    TF_SetStatus(status, TF_OK, "");
    TF_Buffer *buffer = oribi_node_def_write(ctx->node);
    if (buffer == NULL) {
        oribi_fail_memory(status);
    }
    return buffer;
}

int TF_OpKernelConstruction_NumInputs(TF_OpKernelConstruction *ctx)
{
    return ctx->node->signature->n_inputs;
}

int TF_OpKernelConstruction_NumOutputs(TF_OpKernelConstruction *ctx)
{
    return ctx->node->signature->n_outputs;
}

TF_DataType TF_OpKernelConstruction_InputType(TF_OpKernelConstruction *ctx, int i)
{
    const oribi_signature *signature = ctx->node->signature;
    return i >= 0 && i < signature->n_inputs ? signature->input_types[i] : (TF_DataType)0;
}

TF_DataType TF_OpKernelConstruction_OutputType(TF_OpKernelConstruction *ctx, int i)
{
    const oribi_signature *signature = ctx->node->signature;
    return i >= 0 && i < signature->n_outputs ? signature->output_types[i] : (TF_DataType)0;
}

int TF_OpKernelConstruction_InputShape(TF_OpKernelConstruction *ctx, int i, int64_t *dims,
                                       int max_dims)
{
    const oribi_node_view *node = ctx->node;
    if (i < 0 || i >= node->signature->n_inputs || node->input_shapes == NULL) {
        return -1;
    }
    const oribi_shape *shape = &node->input_shapes[i];
    for (int k = 0; k < shape->rank && k < max_dims; k++) {
        dims[k] = shape->dims[k];
    }
    return shape->rank;
}

bool TF_OpKernelConstruction_InputQuantisation(TF_OpKernelConstruction *ctx, int i,
                                               TF_Quantisation *out)
{
    const oribi_node_view *node = ctx->node;
    return i >= 0 && i < node->signature->n_inputs && node->quantisation != NULL &&
           oribi_quantisation_read(&node->quantisation[i], out);
}

bool TF_OpKernelConstruction_OutputQuantisation(TF_OpKernelConstruction *ctx, int i,
                                                TF_Quantisation *out)
{
    const oribi_node_view *node = ctx->node;
    return i >= 0 && i < node->signature->n_outputs && node->quantisation != NULL &&
           oribi_quantisation_read(&node->quantisation[node->signature->n_inputs + i], out);
}

static bool constant_view(TF_OpKernelConstruction *ctx, int i, oribi_constant_view *view)
{
    const oribi_node_view *node = ctx->node;
    return i >= 0 && i < node->signature->n_inputs && node->constant_input != NULL &&
           node->constant_input(node->arg, i, view);
}

/* Row-major strides for a dense view; NULL: no memory. */
static const int64_t *dense_strides(TF_OpKernelConstruction *ctx, const oribi_constant_view *view)
{
    int64_t *strides = oribi_arena_array(&ctx->arena, (size_t)view->rank + 1, sizeof *strides);
    if (strides != NULL) {
        oribi_geometry_steps(view->dims, view->rank, (int64_t)oribi_dtype_bytes(view->dtype),
                             strides);
    }
    return strides;
}

bool TF_OpKernelConstruction_ConstantView(TF_OpKernelConstruction *ctx, int i,
                                          TF_ConstantView *view)
{
    oribi_constant_view found = {0};
    if (view == NULL || view->struct_size < TF_CONSTANT_VIEW_STRUCT_SIZE ||
        !constant_view(ctx, i, &found)) {
        return false;
    }
    const int64_t *strides = found.strides != NULL ? found.strides : dense_strides(ctx, &found);
    if (strides == NULL) {
        return false;
    }
    view->data = found.data;
    view->dims = found.dims;
    view->strides = strides;
    view->rank = found.rank;
    view->dtype = (int32_t)found.dtype;
    return true;
}

void TF_OpKernelConstruction_ConstantInput(TF_OpKernelConstruction *ctx, int i, TF_Tensor **tensor,
                                           TF_Status *status)
{
    oribi_constant_view view = {0};
    TF_SetStatus(status, TF_OK, "");
    *tensor = NULL;
    if (i < 0 || i >= ctx->node->signature->n_inputs) {
        oribi_fail(status, TF_OUT_OF_RANGE, "node '%s' has no input %d; it has %d", ctx->node->name,
                   i, (int)ctx->node->signature->n_inputs);
    } else if (!constant_view(ctx, i, &view) || ctx->node->dense_constant == NULL) {
        oribi_fail(status, TF_NOT_FOUND, "input %d of node '%s' is not constant", i,
                   ctx->node->name);
    } else {
        *tensor = ctx->node->dense_constant(ctx->node->arg, i, status);
    }
}

void TF_OpKernelConstruction_ReleaseConstant(TF_OpKernelConstruction *ctx, int i)
{
    const oribi_node_view *node = ctx->node;
    if (i >= 0 && i < node->signature->n_inputs && node->release_constant != NULL) {
        node->release_constant(node->arg, i);
    }
}

void TF_OpKernelConstruction_ConstantRead(TF_OpKernelConstruction *ctx, int i, const void *from,
                                          size_t bytes)
{
    const oribi_node_view *node = ctx->node;
    if (i >= 0 && i < node->signature->n_inputs && node->constant_read != NULL) {
        node->constant_read(node->arg, i, from, bytes);
    }
}
