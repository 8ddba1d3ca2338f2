/* SPDX-License-Identifier: Apache-2.0 */
/* Variables behind resource handles: the kernels around the contract's variable functions. */
#include <string.h>

#include "cpu/families.h"
#include "cpu/run.h"
#include "tensorflow/c/kernels_experimental.h"
#include "tensorflow/c/resource.h"

enum { NAME_BYTES = 1024 };

typedef struct handle {
    char container[NAME_BYTES], name[NAME_BYTES];
} handle;

static void *handle_create(TF_OpKernelConstruction *construction)
{
    oribi_cpu_setup setup;
    handle *self = oribi_cpu_setup_begin(&setup, construction, sizeof *self);
    if (self != NULL) {
        oribi_cpu_attr_string(&setup, "container", self->container, sizeof self->container);
        oribi_cpu_attr_string(&setup, "shared_name", self->name, sizeof self->name);
        TF_StringView node = TF_OpKernelConstruction_GetName(construction);
        if (self->name[0] == '\0' && node.len < sizeof self->name) {
            memcpy(self->name, node.data, node.len);
        }
    }
    return oribi_cpu_setup_end(&setup);
}

static void handle_compute(void *state, TF_OpKernelContext *context)
{
    const handle *self = state;
    oribi_cpu_run run;
    if (oribi_cpu_begin(&run, context, 0)) {
        TF_Tensor *tensor = TF_VariableHandle(context, self->container, self->name, run.status);
        if (tensor != NULL) {
            TF_SetOutput(context, 0, tensor, run.status);
            TF_DeleteTensor(tensor);
        }
    }
    oribi_cpu_end(&run);
}

static void read_compute(void *state, TF_OpKernelContext *context)
{
    oribi_cpu_run run;
    TF_Tensor *value = NULL;
    (void)state;
    if (oribi_cpu_begin(&run, context, 0)) {
        TF_GetInputTensorFromVariable(context, 0, false, false, false, NULL, &value, run.status);
        if (TF_GetCode(run.status) == TF_OK) {
            TF_SetOutput(context, 0, value, run.status);
        }
        TF_DeleteTensor(value);
    }
    oribi_cpu_end(&run);
}

typedef struct assign {
    bool validate_shape;
} assign;

static void *assign_create(TF_OpKernelConstruction *construction)
{
    oribi_cpu_setup setup;
    assign *self = oribi_cpu_setup_begin(&setup, construction, sizeof *self);
    if (self != NULL) {
        oribi_cpu_attr_bool(&setup, "validate_shape", &self->validate_shape);
    }
    return oribi_cpu_setup_end(&setup);
}

static void assign_compute(void *state, TF_OpKernelContext *context)
{
    const assign *self = state;
    oribi_cpu_run run;
    if (oribi_cpu_begin(&run, context, 0)) {
        TF_AssignVariable(context, 0, 1, self->validate_shape, NULL, run.status);
    }
    oribi_cpu_end(&run);
}

/* Unsigned, so that an overflow wraps as TensorFlow's does. */
#define UPDATE(type)                                                                               \
    for (int64_t i = 0; i < n; i++) {                                                              \
        type *at = (type *)TF_TensorData(to) + i;                                                  \
        const type *from = (const type *)TF_TensorData(by) + i;                                    \
        *at = (type)(op == 0 ? *at + *from : *at - *from);                                         \
    }

static void update(TF_OpKernelContext *context, TF_Tensor *to, TF_Tensor *by, int op)
{
    const int64_t n = TF_TensorElementCount(to);
    (void)context;
    switch ((int)TF_TensorType(to)) {
    case TF_FLOAT:
        UPDATE(float)
        break;
    case TF_DOUBLE:
        UPDATE(double)
        break;
    case TF_INT32:
        UPDATE(uint32_t)
        break;
    default: /* TF_INT64: the rows below admit no other */
        UPDATE(uint64_t)
        break;
    }
    TF_DeleteTensor(to);
    TF_DeleteTensor(by);
}

static void add_compute(void *state, TF_OpKernelContext *context)
{
    oribi_cpu_run run;
    (void)state;
    if (oribi_cpu_begin(&run, context, 0)) {
        TF_AssignUpdateVariable(context, 0, 1, 0, 0, NULL, update, run.status);
    }
    oribi_cpu_end(&run);
}

static void sub_compute(void *state, TF_OpKernelContext *context)
{
    oribi_cpu_run run;
    (void)state;
    if (oribi_cpu_begin(&run, context, 0)) {
        TF_AssignUpdateVariable(context, 0, 1, 1, 0, NULL, update, run.status);
    }
    oribi_cpu_end(&run);
}

static void is_initialized_compute(void *state, TF_OpKernelContext *context)
{
    oribi_cpu_run run;
    (void)state;
    if (oribi_cpu_begin(&run, context, 0)) {
        bool yes = TF_VariableIsInitialized(context, 0, run.status);
        bool *out = TF_GetCode(run.status) == TF_OK ? oribi_cpu_output(&run, 0, NULL, 0) : NULL;
        if (out != NULL) {
            *out = yes;
        }
    }
    oribi_cpu_end(&run);
}

#define NUMBERS                                                                                    \
    (ORIBI_CPU_F32 | ORIBI_CPU_TYPE(TF_DOUBLE) | ORIBI_CPU_TYPE(TF_INT32) |                        \
     ORIBI_CPU_TYPE(TF_INT64))
#define ROW(op, types, make, run, free, reason)                                                    \
    {                                                                                              \
        op, types, NULL, ORIBI_CPU_REFERENCE, ORIBI_CPU_ISA_ANY, make, run, free, 0, 0, reason     \
    }
#define ANY                                                                                        \
    {                                                                                              \
        {                                                                                          \
            NULL, 0                                                                                \
        }                                                                                          \
    }
#define OF_NUMBERS                                                                                 \
    {                                                                                              \
        {                                                                                          \
            "dtype", NUMBERS                                                                       \
        }                                                                                          \
    }

/* clang-format off */
const oribi_cpu_kernel oribi_cpu_variable_kernels[] = {
    ROW("VarHandleOp", ANY, handle_create, handle_compute, oribi_cpu_free, "names a variable"),
    ROW("ReadVariableOp", ANY, NULL, read_compute, NULL, "shares the storage, copies nothing"),
    ROW("AssignVariableOp", ANY, assign_create, assign_compute, oribi_cpu_free, "copies the value"),
    ROW("AssignAddVariableOp", OF_NUMBERS, NULL, add_compute, NULL, "in place under the lock"),
    ROW("AssignSubVariableOp", OF_NUMBERS, NULL, sub_compute, NULL, "in place under the lock"),
    ROW("VarIsInitializedOp", ANY, NULL, is_initialized_compute, NULL, "asks, creates nothing"),
    {NULL, {{NULL, 0}}, NULL, 0, ORIBI_CPU_ISA_ANY, NULL, NULL, NULL, 0, 0, NULL},
};
/* clang-format on */
