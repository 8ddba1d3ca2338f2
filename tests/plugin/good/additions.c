/* SPDX-License-Identifier: Apache-2.0 */
/* What contract 1.3 adds, as a plugin uses it: ops inside a kernel, kernels with data, versions of
 * an operator, variants, memory of other libraries, quantisation. additions_test.c runs it.
 */
#include <stdlib.h>
#include <string.h>

#include "oribi/kernel_kit.h"
#include "tensorflow/c/dlpack.h"
#include "tensorflow/c/kernel_op.h"
#include "tensorflow/c/quantisation.h"
#include "tensorflow/c/shape_inference.h"
#include "tensorflow/c/variant.h"

ORIBI_PLUGIN("additions", "1.0", "Apache-2.0");

/* --- Attend: softmax(x times x transposed), of two ops ---------------------------------------- */

typedef struct attend {
    TF_KernelOp *product, *softmax;
} attend;

static void *attend_create(TF_OpKernelConstruction *ctx)
{
    static const TF_DataType types[2] = {TF_FLOAT, TF_FLOAT};
    attend *self = calloc(1, sizeof *self);
    TF_Status *status = TF_NewStatus();
    self->product = TF_NewKernelOp(ctx, "MatMul", status);
    TF_KernelOp_SetAttrBool(self->product, "transpose_b", true, status);
    TF_KernelOp_Prepare(self->product, types, 2, status);
    if (TF_GetCode(status) == TF_OK) {
        self->softmax = TF_NewKernelOp(ctx, "Softmax", status);
        TF_KernelOp_Prepare(self->softmax, types, 1, status);
    }
    TF_OpKernelConstruction_Failure(ctx, status);
    TF_DeleteStatus(status);
    return self;
}

static void attend_compute(void *kernel, TF_OpKernelContext *ctx)
{
    const attend *self = kernel;
    TF_Status *status = TF_NewStatus();
    TF_Tensor *x = NULL, *scores = NULL, *y = NULL;
    TF_GetInput(ctx, 0, &x, status);
    TF_Tensor *const both[2] = {x, x};
    TF_KernelOp_Run(self->product, ctx, both, 2, &scores, 1, status);
    if (scores != NULL) {
        const int64_t dims[2] = {TF_Dim(x, 0), TF_Dim(x, 0)};
        y = TF_AllocateOutput(ctx, 0, TF_FLOAT, dims, 2, TF_TensorByteSize(scores), status);
        TF_KernelOp_Run(self->softmax, ctx, &scores, 1, &y, 1, status);
    }
    TF_OpKernelContext_Failure(ctx, status);
    TF_DeleteTensor(x);
    TF_DeleteTensor(scores);
    TF_DeleteTensor(y);
    TF_DeleteStatus(status);
}

static void attend_delete(void *kernel)
{
    attend *self = kernel;
    TF_DeleteKernelOp(self->product);
    TF_DeleteKernelOp(self->softmax);
    free(self);
}

/* --- Gate: one set of functions, a factor for each version ------------------------------------ */

static void gate_compute(void *data, void *kernel, TF_OpKernelContext *ctx)
{
    const float factor = *(const float *)data;
    oribi_kit_run run;
    (void)kernel;
    if (oribi_kit_begin(&run, ctx, 1)) {
        int64_t dims[4];
        const int rank = oribi_kit_dims(&run, run.in[0], dims, 4);
        float *y = rank < 0 ? NULL : oribi_kit_output(&run, 0, dims, rank);
        const float *x = TF_TensorData(run.in[0]);
        for (int64_t i = 0; y != NULL && i < TF_TensorElementCount(run.in[0]); i++) {
            y[i] = x[i] * factor;
        }
    }
    oribi_kit_end(&run);
}

/* --- Pack and Unpack: a tensor of floats as one object ---------------------------------------- */

typedef struct pack {
    TF_VariantHead head;
    int64_t count;
    float values[];
} pack;

static TF_VariantHead *pack_copy(const TF_VariantHead *object)
{
    const pack *from = (const pack *)(const void *)object;
    const size_t bytes = sizeof *from + (size_t)from->count * sizeof(float);
    pack *made = malloc(bytes);
    if (made != NULL) {
        memcpy(made, from, bytes);
    }
    return made != NULL ? &made->head : NULL;
}

static void pack_destroy(TF_VariantHead *object)
{
    free(object);
}

static const TF_VariantType pack_type = {TF_VARIANT_TYPE_STRUCT_SIZE, "acme.Pack", pack_copy,
                                         pack_destroy};

static bool pack_run(const void *state, oribi_kit_run *run)
{
    const int64_t count = TF_TensorElementCount(run->in[0]);
    (void)state;
    if (oribi_kit_output(run, 0, NULL, 0) == NULL) {
        return false;
    }
    pack *object = malloc(sizeof *object + (size_t)count * sizeof(float));
    if (object == NULL) {
        return oribi_kit_fail(run, TF_RESOURCE_EXHAUSTED, "no memory");
    }
    object->head.type = &pack_type;
    object->count = count;
    memcpy(object->values, TF_TensorData(run->in[0]), (size_t)count * sizeof(float));
    TF_TensorSetVariant(run->out[0], 0, &object->head, run->status);
    return oribi_kit_is_ok(run);
}
ORIBI_KIT_COMPUTE(pack, 1)

static bool unpack_run(const void *state, oribi_kit_run *run)
{
    (void)state;
    const pack *object =
        (const pack *)(const void *)TF_TensorVariant(run->in[0], 0, "acme.Pack", run->status);
    float *y = object != NULL ? oribi_kit_output(run, 0, &object->count, 1) : NULL;
    if (y != NULL) {
        memcpy(y, object->values, (size_t)object->count * sizeof(float));
    }
    return y != NULL;
}
ORIBI_KIT_COMPUTE(unpack, 1)

/* --- Lend: a copy of x, made by code that knows DLPack alone -----------------------------------
 */

static void copy_floats(const DLTensor *from, const DLTensor *to)
{
    for (int64_t i = 0; i < to->shape[0]; i++) { /* both are dense, and `to` has one axis */
        ((float *)to->data)[i] = ((const float *)from->data)[i];
    }
}

static bool lend_run(const void *state, oribi_kit_run *run)
{
    const int64_t count = TF_TensorElementCount(run->in[0]);
    (void)state;
    if (oribi_kit_output(run, 0, &count, 1) == NULL) {
        return false;
    }
    DLManagedTensorVersioned *from =
        TF_TensorToDLPack(run->in[0], TF_DLPACK_READ_ONLY, run->status);
    DLManagedTensorVersioned *to =
        from != NULL ? TF_TensorToDLPack(run->out[0], 0, run->status) : NULL;
    if (to != NULL) {
        copy_floats(&from->dl_tensor, &to->dl_tensor);
        to->deleter(to);
    }
    if (from != NULL) {
        from->deleter(from);
    }
    return to != NULL;
}
ORIBI_KIT_COMPUTE(lend, 1)

/* --- Units: the real numbers behind stored bytes; its shape function looks as well -------------
 */

typedef struct units {
    float scale;
    int32_t zero;
} units;

static void units_read(oribi_kit_setup *setup, units *state)
{
    TF_Quantisation said = {.struct_size = TF_QUANTISATION_STRUCT_SIZE};
    if (!TF_OpKernelConstruction_InputQuantisation(setup->construction, 0, &said) ||
        said.count != 1) {
        oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT, "x has no scale");
        return;
    }
    state->scale = said.scales[0];
    state->zero = said.zero_points[0];
    if (TF_OpKernelConstruction_OutputQuantisation(setup->construction, 0, &said)) {
        oribi_kit_setup_fail(setup, TF_INVALID_ARGUMENT, "floats with a scale");
    }
}

static void units_loop(const units *state, const int8_t *x, float *y, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        y[i] = state->scale * (float)(x[i] - state->zero);
    }
}
ORIBI_KIT_UNARY(units, units, int8_t, float, 2)

static void units_shape(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    TF_Quantisation said = {.struct_size = TF_QUANTISATION_STRUCT_SIZE};
    TF_ShapeHandle *shape = TF_NewShapeHandle();
    if (!TF_ShapeInferenceContextInputQuantisation(ctx, 0, &said)) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "x is not quantised");
    } else {
        TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
        TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    }
    TF_DeleteShapeHandle(shape);
}

/* --- Registration ------------------------------------------------------------------------------
 */

typedef struct served {
    const char *operator_name;
    int since, until;
} served;

static void define(const char *name, const char *input, const char *output, const served *serves,
                   void (*shape)(TF_ShapeInferenceContext *, TF_Status *))
{
    TF_Status *status = TF_NewStatus();
    TF_OpDefinitionBuilder *op = TF_NewOpDefinitionBuilder(name);
    TF_OpDefinitionBuilderAddInput(op, input);
    TF_OpDefinitionBuilderAddOutput(op, output);
    if (serves != NULL) {
        TF_OpDefinitionBuilderServes(op, "acme", serves->operator_name, serves->since,
                                     serves->until);
    }
    if (shape != NULL) {
        TF_OpDefinitionBuilderSetShapeInferenceFunction(op, shape);
    }
    TF_RegisterOpDefinition(op, status);
    TF_DeleteStatus(status);
}

static void add(const char *name, TF_KernelBuilder *builder)
{
    TF_Status *status = TF_NewStatus();
    TF_RegisterKernelBuilder(name, builder, status);
    TF_DeleteStatus(status);
}

static void add_gate(const char *op, float *factor)
{
    const TF_KernelFunctions functions = {
        .struct_size = TF_KERNEL_FUNCTIONS_STRUCT_SIZE, .data = factor, .compute = gate_compute};
    add(op, TF_NewKernelBuilderWithData(op, "CPU", &functions));
}

void TF_InitKernel(void)
{
    static const served first = {"Gate", 1, 6}, second = {"Gate", 7, 0};
    static float two = 2, three = 3;
    define("Acme>Attend", "x: float", "y: float", NULL, NULL);
    define("Acme>GateFirst", "x: float", "y: float", &first, NULL);
    define("Acme>GateSecond", "x: float", "y: float", &second, NULL);
    define("Acme>Pack", "x: float", "y: variant", NULL, NULL);
    define("Acme>Unpack", "x: variant", "y: float", NULL, NULL);
    define("Acme>Lend", "x: float", "y: float", NULL, NULL);
    define("Acme>Units", "x: int8", "y: float", NULL, units_shape);
    add("Attend",
        TF_NewKernelBuilder("Acme>Attend", "CPU", attend_create, attend_compute, attend_delete));
    add_gate("Acme>GateFirst", &two);
    add_gate("Acme>GateSecond", &three);
    add("Pack", TF_NewKernelBuilder("Acme>Pack", "CPU", NULL, pack_compute, NULL));
    add("Unpack", TF_NewKernelBuilder("Acme>Unpack", "CPU", NULL, unpack_compute, NULL));
    add("Lend", TF_NewKernelBuilder("Acme>Lend", "CPU", NULL, lend_compute, NULL));
    add("Units",
        TF_NewKernelBuilder("Acme>Units", "CPU", units_create, units_compute, oribi_kit_free));
}
