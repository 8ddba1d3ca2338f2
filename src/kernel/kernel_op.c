/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that kernels call (tensorflow/c/kernel_op.h): a node of its own without a graph, whose kernel
 * runs through a runner (runner.h). Runners that are idle are kept, one for each run at once.
 */
#include "tensorflow/c/kernel_op.h"

#include <string.h>

#include "base/alloc.h"
#include "kernel/construction_internal.h"
#include "kernel/runner.h"

enum { MAX_CONSTANTS = 1024 };

struct TF_KernelOp {
    oribi_arena arena;
    const char *name; /* "node/MatMul" */
    const oribi_op_def *def;
    oribi_attrs attrs; /* as the author set them */
    oribi_attrs full;  /* with defaults and what follows from the types */
    oribi_signature signature;
    oribi_node_view view;
    oribi_kernel kernel; /* def is NULL until the op is prepared */
    TF_Tensor **constants;
    int32_t n_constants;
    _Atomic(oribi_runner *) idle; /* only whole lists are taken, hence no ABA */
};

TF_KernelOp *TF_NewKernelOp(TF_OpKernelConstruction *ctx, const char *op_name, TF_Status *status)
{
    const oribi_op_def *def = op_name != NULL ? oribi_op_find(op_name) : NULL;
    TF_SetStatus(status, TF_OK, "");
    if (def == NULL) {
        oribi_fail(status, TF_NOT_FOUND,
                   "node '%s': its kernel calls op '%s', which is not registered; load the plugin "
                   "that has it",
                   ctx->node->name, op_name != NULL ? op_name : "");
        return NULL;
    }
    TF_KernelOp *op = oribi_claim_zero(1, sizeof *op, status);
    if (op == NULL) {
        return NULL;
    }
    op->def = def;
    op->name = oribi_arena_printf(&op->arena, "%s/%s", ctx->node->name, op_name);
    if (op->name == NULL) {
        TF_DeleteKernelOp(op);
        oribi_fail_memory(status);
        return NULL;
    }
    return op;
}

void TF_DeleteKernelOp(TF_KernelOp *op)
{
    if (op == NULL) {
        return;
    }
    for (oribi_runner *runner = atomic_load(&op->idle), *next; runner != NULL; runner = next) {
        next = runner->next;
        oribi_runner_destroy(runner);
    }
    oribi_kernel_destroy(&op->kernel);
    for (int32_t i = 0; i < op->n_constants; i++) {
        TF_DeleteTensor(op->constants[i]);
    }
    oribi_free(op->constants);
    oribi_arena_destroy(&op->arena);
    oribi_free(op);
}

/* --- Attributes and constants ---------------------------------------------------------------- */

/* A failure of an earlier call stays, so that create functions read straight down. */
static bool is_open(const TF_KernelOp *op, TF_Status *status)
{
    ORIBI_TRY(op != NULL && oribi_ok(status));
    return op->kernel.def == NULL ||
           oribi_fail(status, TF_FAILED_PRECONDITION,
                      "op '%s' is prepared: set attributes and constants before", op->name);
}

static void set(TF_KernelOp *op, const oribi_attr *attr, TF_Status *status)
{
    if (is_open(op, status) && !oribi_attrs_set(&op->attrs, &op->arena, attr)) {
        oribi_fail_memory(status);
    }
}

#define ORIBI_SET_ATTR(op, attr_name, attr_kind, member, values, n, listed)                        \
    set(op,                                                                                        \
        &(oribi_attr){.name = attr_name,                                                           \
                      .kind = attr_kind,                                                           \
                      .is_list = listed,                                                           \
                      .count = n,                                                                  \
                      .u.member = values},                                                         \
        status)

void TF_KernelOp_SetAttrType(TF_KernelOp *op, const char *name, TF_DataType value,
                             TF_Status *status)
{
    ORIBI_SET_ATTR(op, name, TF_ATTR_TYPE, type, &value, 1, false);
}

void TF_KernelOp_SetAttrInt(TF_KernelOp *op, const char *name, int64_t value, TF_Status *status)
{
    ORIBI_SET_ATTR(op, name, TF_ATTR_INT, i, &value, 1, false);
}

void TF_KernelOp_SetAttrFloat(TF_KernelOp *op, const char *name, float value, TF_Status *status)
{
    ORIBI_SET_ATTR(op, name, TF_ATTR_FLOAT, f, &value, 1, false);
}

void TF_KernelOp_SetAttrBool(TF_KernelOp *op, const char *name, bool value, TF_Status *status)
{
    const uint8_t byte = value;
    ORIBI_SET_ATTR(op, name, TF_ATTR_BOOL, b, &byte, 1, false);
}

void TF_KernelOp_SetAttrString(TF_KernelOp *op, const char *name, const char *value, size_t length,
                               TF_Status *status)
{
    const oribi_string text = {value, length};
    ORIBI_SET_ATTR(op, name, TF_ATTR_STRING, s, &text, 1, false);
}

void TF_KernelOp_SetAttrIntList(TF_KernelOp *op, const char *name, const int64_t *values, int count,
                                TF_Status *status)
{
    ORIBI_SET_ATTR(op, name, TF_ATTR_INT, i, values, count, true);
}

void TF_KernelOp_SetAttrFloatList(TF_KernelOp *op, const char *name, const float *values, int count,
                                  TF_Status *status)
{
    ORIBI_SET_ATTR(op, name, TF_ATTR_FLOAT, f, values, count, true);
}

void TF_KernelOp_SetAttrTypeList(TF_KernelOp *op, const char *name, const TF_DataType *values,
                                 int count, TF_Status *status)
{
    ORIBI_SET_ATTR(op, name, TF_ATTR_TYPE, type, values, count, true);
}

void TF_KernelOp_CopyAttr(TF_KernelOp *op, const char *name, TF_OpKernelConstruction *ctx,
                          const char *from, TF_Status *status)
{
    const oribi_attr *found = oribi_attrs_find(ctx->node->attrs, from);
    if (!is_open(op, status)) {
        return;
    }
    if (found == NULL) {
        oribi_fail(status, TF_NOT_FOUND, "node '%s' has no attribute '%s'", ctx->node->name, from);
        return;
    }
    oribi_attr renamed = *found;
    renamed.name = name;
    set(op, &renamed, status);
}

/* Is the tensor dense and in the host's memory? */
static bool is_host(const TF_Tensor *tensor)
{
    return tensor->owner_ops == NULL || tensor->owner_ops->is_plain(tensor);
}

void TF_KernelOp_SetConstant(TF_KernelOp *op, int i, const TF_Tensor *value, TF_Status *status)
{
    if (!is_open(op, status)) {
        return;
    }
    if (i < 0 || i >= MAX_CONSTANTS || value == NULL || !is_host(value)) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "op '%s': constant %d needs a dense tensor in the host's memory, and an index "
                   "from 0 to %d",
                   op->name, i, MAX_CONSTANTS - 1);
        return;
    }
    if (i >= op->n_constants) {
        TF_Tensor **grown = oribi_realloc_array(op->constants, (size_t)i + 1, sizeof(TF_Tensor *));
        if (grown == NULL) {
            oribi_fail_memory(status);
            return;
        }
        op->constants = grown;
        while (op->n_constants <= i) {
            op->constants[op->n_constants++] = NULL;
        }
    }
    TF_Tensor *shared = oribi_tensor_share(value);
    if (shared == NULL) {
        oribi_fail_memory(status);
        return;
    }
    TF_DeleteTensor(op->constants[i]);
    op->constants[i] = shared;
}

static TF_Tensor *constant_of(const TF_KernelOp *op, int32_t input)
{
    return input < op->n_constants ? op->constants[input] : NULL;
}

static bool constant_input(void *arg, int32_t input, oribi_constant_view *out_view)
{
    const TF_Tensor *constant = constant_of(arg, input);
    if (constant == NULL) {
        return false;
    }
    *out_view = (oribi_constant_view){.dtype = constant->dtype,
                                      .rank = constant->rank,
                                      .dims = constant->dims,
                                      .data = constant->data};
    return true;
}

static TF_Tensor *dense_constant(void *arg, int32_t input, TF_Status *status)
{
    TF_Tensor *shared = oribi_tensor_share(constant_of(arg, input));
    if (shared == NULL) {
        oribi_fail_memory(status);
    }
    return shared;
}

/* --- The kernel ------------------------------------------------------------------------------ */

static bool check_inputs(const TF_KernelOp *op, const TF_DataType *types, TF_Status *status)
{
    for (int32_t i = 0; i < op->signature.n_inputs; i++) {
        const TF_Tensor *constant = constant_of(op, i);
        if (types[i] != op->signature.input_types[i] ||
            (constant != NULL && constant->dtype != types[i])) {
            return oribi_fail(status, TF_INVALID_ARGUMENT, "op '%s': input %d is %s, not %s%s",
                              op->name, (int)i, oribi_dtype_name(op->signature.input_types[i]),
                              oribi_dtype_name(constant != NULL ? constant->dtype : types[i]),
                              constant != NULL ? ", the type of its constant" : "");
        }
    }
    return true;
}

static bool resolve(TF_KernelOp *op, const TF_DataType *types, int n, TF_Status *status)
{
    op->full = (oribi_attrs){0};
    for (int32_t i = 0; i < op->attrs.count; i++) {
        ORIBI_TRY(oribi_attrs_set(&op->full, &op->arena, &op->attrs.items[i]) ||
                  oribi_fail_memory(status));
    }
    ORIBI_TRY(oribi_op_resolve(op->def, op->name, &op->full, types, n, &op->arena, &op->signature,
                               status));
    if (op->signature.n_inputs != n) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "op '%s' has %d inputs with these attributes, not %d", op->name,
                          (int)op->signature.n_inputs, n);
    }
    return check_inputs(op, types, status);
}

void TF_KernelOp_Prepare(TF_KernelOp *op, const TF_DataType *input_types, int num_inputs,
                         TF_Status *status)
{
    if (!is_open(op, status)) {
        if (op == NULL && oribi_ok(status)) {
            oribi_fail(status, TF_INVALID_ARGUMENT, "there is no op (NULL)");
        }
        return;
    }
    if (num_inputs < 0 || !resolve(op, input_types, num_inputs, status)) {
        return;
    }
    op->view = (oribi_node_view){.name = op->name,
                                 .op = op->def,
                                 .attrs = &op->full,
                                 .signature = &op->signature,
                                 .constant_input = constant_input,
                                 .dense_constant = dense_constant,
                                 .arg = op};
    const oribi_kernel_def *chosen = oribi_kernel_select(&op->view, "CPU", NULL, status);
    if (chosen != NULL && !oribi_kernel_create(chosen, &op->view, &op->kernel, status)) {
        op->kernel = (oribi_kernel){0};
    }
}

int TF_KernelOp_NumOutputs(const TF_KernelOp *op)
{
    return op != NULL && op->kernel.def != NULL ? op->signature.n_outputs : 0;
}

TF_DataType TF_KernelOp_OutputType(const TF_KernelOp *op, int i)
{
    return i >= 0 && i < TF_KernelOp_NumOutputs(op) ? op->signature.output_types[i]
                                                    : (TF_DataType)0;
}

/* --- Running --------------------------------------------------------------------------------- */

static bool check_tensor(const TF_KernelOp *op, const char *what, int i, const TF_Tensor *tensor,
                         TF_DataType type, TF_Status *status)
{
    if (tensor->dtype != type || !is_host(tensor)) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "op '%s': %s %d needs %s in the host's memory, dense; the tensor is %s",
                          op->name, what, i, oribi_dtype_name(type),
                          oribi_dtype_name(tensor->dtype));
    }
    return true;
}

static bool check_call(const TF_KernelOp *op, TF_Tensor *const *inputs, int n_inputs,
                       TF_Tensor *const *outputs, int n_outputs, TF_Status *status)
{
    if (!oribi_ok(status)) { /* of what this call builds on */
        return false;
    }
    if (op == NULL || op->kernel.def == NULL) {
        return oribi_fail(status, TF_FAILED_PRECONDITION,
                          "op '%s' is not prepared: call TF_KernelOp_Prepare in create",
                          op != NULL ? op->name : "");
    }
    const oribi_signature *signature = &op->signature;
    if (n_inputs != signature->n_inputs || n_outputs != signature->n_outputs) {
        return oribi_fail(status, TF_INVALID_ARGUMENT,
                          "op '%s' takes %d inputs and gives %d outputs, not %d and %d", op->name,
                          (int)signature->n_inputs, (int)signature->n_outputs, n_inputs, n_outputs);
    }
    for (int i = 0; i < n_inputs; i++) {
        if (inputs[i] == NULL && constant_of(op, i) == NULL) {
            return oribi_fail(status, TF_INVALID_ARGUMENT, "op '%s': input %d is missing", op->name,
                              i);
        }
        ORIBI_TRY(inputs[i] == NULL ||
                  check_tensor(op, "input", i, inputs[i], signature->input_types[i], status));
    }
    for (int i = 0; i < n_outputs; i++) {
        const TF_DataType type = signature->output_types[i];
        if (outputs[i] != NULL && oribi_dtype_owns(type)) {
            return oribi_fail(status, TF_INVALID_ARGUMENT,
                              "op '%s': output %d is of type %s, which the op makes itself: pass "
                              "NULL",
                              op->name, i, oribi_dtype_name(type));
        }
        ORIBI_TRY(outputs[i] == NULL || check_tensor(op, "output", i, outputs[i], type, status));
    }
    return true;
}

static void give_back(TF_KernelOp *op, oribi_runner *runner)
{
    oribi_runner *head = atomic_load_explicit(&op->idle, memory_order_relaxed);
    do {
        runner->next = head;
    } while (!atomic_compare_exchange_weak_explicit(&op->idle, &head, runner, memory_order_release,
                                                    memory_order_relaxed));
}

static oribi_runner *take_runner(TF_KernelOp *op, TF_Status *status)
{
    oribi_runner *taken = atomic_exchange_explicit(&op->idle, NULL, memory_order_acquire);
    if (taken == NULL) {
        return oribi_runner_create(&op->kernel, status);
    }
    for (oribi_runner *other = taken->next, *next; other != NULL; other = next) {
        next = other->next;
        give_back(op, other);
    }
    return taken;
}

void TF_KernelOp_Run(TF_KernelOp *op, TF_OpKernelContext *ctx, TF_Tensor *const *inputs,
                     int num_inputs, TF_Tensor **outputs, int num_outputs, TF_Status *status)
{
    enum { FEW = 16 };
    TF_Tensor *few[FEW];
    if (!check_call(op, inputs, num_inputs, outputs, num_outputs, status)) {
        return;
    }
    TF_Tensor **all = few;
    if (num_inputs > FEW) {
        all = oribi_alloc_array((size_t)num_inputs, sizeof *all);
    }
    oribi_runner *runner = all != NULL ? take_runner(op, status) : NULL;
    if (runner == NULL) {
        oribi_fail_memory(status);
    } else {
        for (int i = 0; i < num_inputs; i++) {
            all[i] = inputs[i] != NULL ? inputs[i] : constant_of(op, i);
        }
        if (!oribi_runner_run(&runner, ctx, NULL, all, outputs, status)) {
            oribi_status_prefix(status, "op '%s': ", op->name);
        }
    }
    if (runner != NULL) {
        give_back(op, runner);
    }
    if (all != few) {
        oribi_free(all);
    }
}
