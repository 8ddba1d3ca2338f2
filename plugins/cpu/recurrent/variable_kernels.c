/* SPDX-License-Identifier: Apache-2.0 */
/* Variables behind resource handles: the kernels around the contract's variable functions. */
#include <string.h>

#include "cpu/base/families.h"
#include "cpu/base/cpu.h"
#include "tensorflow/c/kernels_experimental.h"
#include "tensorflow/c/resource.h"

enum { NAME_BYTES = 1024 };

typedef struct handle {
    char container[NAME_BYTES], name[NAME_BYTES];
} handle;

static void handle_read(oribi_kit_setup *setup, handle *self)
{
    oribi_kit_attr_string(setup, "container", self->container, sizeof self->container);
    oribi_kit_attr_string(setup, "shared_name", self->name, sizeof self->name);
    TF_StringView node = TF_OpKernelConstruction_GetName(setup->construction);
    if (self->name[0] == '\0' && node.len < sizeof self->name) {
        memcpy(self->name, node.data, node.len);
    }
}
ORIBI_KIT_CREATE(handle, handle)

static void handle_compute(void *state, TF_OpKernelContext *context)
{
    const handle *self = state;
    oribi_kit_run run;
    if (oribi_kit_begin(&run, context, 0)) {
        TF_Tensor *tensor = TF_VariableHandle(context, self->container, self->name, run.status);
        if (tensor != NULL) {
            TF_SetOutput(context, 0, tensor, run.status);
            TF_DeleteTensor(tensor);
        }
    }
    oribi_kit_end(&run);
}

static void read_compute(void *state, TF_OpKernelContext *context)
{
    oribi_kit_run run;
    TF_Tensor *value = NULL;
    (void)state;
    if (oribi_kit_begin(&run, context, 0)) {
        TF_GetInputTensorFromVariable(context, 0, false, false, false, NULL, &value, run.status);
        if (TF_GetCode(run.status) == TF_OK) {
            TF_SetOutput(context, 0, value, run.status);
        }
        TF_DeleteTensor(value);
    }
    oribi_kit_end(&run);
}

typedef struct assign {
    bool validate_shape;
} assign;

static void assign_read(oribi_kit_setup *setup, assign *self)
{
    oribi_kit_attr_bool(setup, "validate_shape", &self->validate_shape);
}
ORIBI_KIT_CREATE(assign, assign)

static void assign_compute(void *state, TF_OpKernelContext *context)
{
    const assign *self = state;
    oribi_kit_run run;
    if (oribi_kit_begin(&run, context, 0)) {
        TF_AssignVariable(context, 0, 1, self->validate_shape, NULL, run.status);
    }
    oribi_kit_end(&run);
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
    oribi_kit_run run;
    (void)state;
    if (oribi_kit_begin(&run, context, 0)) {
        TF_AssignUpdateVariable(context, 0, 1, 0, 0, NULL, update, run.status);
    }
    oribi_kit_end(&run);
}

static void sub_compute(void *state, TF_OpKernelContext *context)
{
    oribi_kit_run run;
    (void)state;
    if (oribi_kit_begin(&run, context, 0)) {
        TF_AssignUpdateVariable(context, 0, 1, 1, 0, NULL, update, run.status);
    }
    oribi_kit_end(&run);
}

static void is_initialized_compute(void *state, TF_OpKernelContext *context)
{
    oribi_kit_run run;
    (void)state;
    if (oribi_kit_begin(&run, context, 0)) {
        bool yes = TF_VariableIsInitialized(context, 0, run.status);
        bool *out = TF_GetCode(run.status) == TF_OK ? oribi_kit_output(&run, 0, NULL, 0) : NULL;
        if (out != NULL) {
            *out = yes;
        }
    }
    oribi_kit_end(&run);
}

#define NUMBERS                                                                                    \
    (ORIBI_CPU_F32 | ORIBI_KIT_TYPE(TF_DOUBLE) | ORIBI_KIT_TYPE(TF_INT32) |                        \
     ORIBI_KIT_TYPE(TF_INT64))
#define ROW(op, types, make, run, free, reason)                                                    \
    {                                                                                              \
        op, types, NULL, ORIBI_CPU_REFERENCE, 0, ORIBI_ISA_any, 0, make, run, free, reason         \
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
    ROW("VarHandleOp", ANY, handle_create, handle_compute, oribi_kit_free, "names a variable"),
    ROW("ReadVariableOp", ANY, NULL, read_compute, NULL, "shares the storage, copies nothing"),
    ROW("AssignVariableOp", ANY, assign_create, assign_compute, oribi_kit_free, "copies the value"),
    ROW("AssignAddVariableOp", OF_NUMBERS, NULL, add_compute, NULL, "in place under the lock"),
    ROW("AssignSubVariableOp", OF_NUMBERS, NULL, sub_compute, NULL, "in place under the lock"),
    ROW("VarIsInitializedOp", ANY, NULL, is_initialized_compute, NULL, "asks, creates nothing"),
    {.op_name = NULL},
};
/* clang-format on */
