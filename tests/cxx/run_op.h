/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one op of a loaded plugin on tensors, with attributes given as text: resolves the node, asks
 * the shape function, chooses and creates the kernel, computes, and compares what the shape
 * function said with what came out. Not here: sessions and models (tests/session).
 */
#ifndef ORIBI_TESTS_CXX_RUN_OP_H_
#define ORIBI_TESTS_CXX_RUN_OP_H_

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "device/pool.h"
#include "kernel/kernel.h"
#include "op/spec.h"

enum { RUN_OP_MOST = 64 }; /* inputs, outputs */

typedef struct run_op {
    oribi_op_entry entry; /* holds what parsed attribute values need */
    oribi_attrs attrs;
    oribi_signature signature;
    oribi_shape shapes[RUN_OP_MOST], inferred[RUN_OP_MOST];
    TF_Tensor *outputs[RUN_OP_MOST];
    int n_outputs;
    oribi_node_view node;
    oribi_kernel kernel;
    bool has_kernel;
} run_op;

/* "name=value;name=value", values as in attribute specs; a '\;' is part of a value. */
static inline bool run_op_parse(run_op *self, const oribi_op_def *op, const char *text,
                                TF_Status *status)
{
    while (text != NULL && *text != '\0') {
        char name[64], value[4096];
        size_t n = strcspn(text, "="), m = 0;
        snprintf(name, sizeof name, "%.*s", (int)n, text);
        for (text += n + (text[n] == '='); *text != '\0' && *text != ';'; text++) {
            text += text[0] == '\\' && text[1] == ';';
            value[m] = *text;
            m += m + 1 < sizeof value;
        }
        value[m] = '\0';
        text += *text == ';';
        const oribi_attr_def *def = oribi_op_find_attr(op, name);
        oribi_spec spec = {.entry = &self->entry, .what = "Attr", .text = value};
        const oribi_attr *attr = NULL;
        if (def == NULL ||
            !oribi_value_parse(&spec, value, def->kind, def->is_list, def->name, &attr) ||
            !oribi_attrs_set(&self->attrs, &self->entry.arena, attr)) {
            return oribi_fail(status, TF_INVALID_ARGUMENT, "test: attribute '%s' of '%s' = '%s'",
                              name, op->name, value);
        }
    }
    return true;
}

/* Does the real shape agree with the inferred one? */
static inline bool run_op_fits(const oribi_shape *inferred, const TF_Tensor *tensor)
{
    bool fits = inferred->rank < 0 || inferred->rank == TF_NumDims(tensor);
    for (int i = 0; fits && i < inferred->rank; i++) {
        fits = inferred->dims[i] < 0 || inferred->dims[i] == TF_Dim(tensor, i);
    }
    return fits;
}

static inline bool run_op_infer(run_op *self, const oribi_op_def *op, const char *attrs,
                                TF_Tensor *const *inputs, int n_inputs, TF_Status *status)
{
    TF_DataType types[RUN_OP_MOST];
    int64_t dims[16];
    for (int i = 0; i < n_inputs; i++) {
        types[i] = TF_TensorType(inputs[i]);
        for (int k = 0; k < TF_NumDims(inputs[i]); k++) {
            dims[k] = TF_Dim(inputs[i], k);
        }
        ORIBI_TRY(
            oribi_shape_copy(&self->entry.arena, dims, TF_NumDims(inputs[i]), &self->shapes[i]));
    }
    ORIBI_TRY(run_op_parse(self, op, attrs, status));
    ORIBI_TRY(oribi_op_resolve(op, "node", &self->attrs, types, n_inputs, &self->entry.arena,
                               &self->signature, status));
    self->n_outputs = self->signature.n_outputs;
    return oribi_op_infer_shapes(op, "node", &self->attrs, &self->signature, self->shapes, inputs,
                                 NULL, &self->entry.arena, self->inferred, status);
}

/* All of it; outputs are the caller's to read until run_op_end, which also follows a failure. */
static inline bool run_op_begin(run_op *self, const char *op_name, const char *attrs,
                                TF_Tensor *const *inputs, int n_inputs, oribi_pool *pool,
                                TF_Status *status)
{
    memset(self, 0, sizeof *self);
    const oribi_op_def *op = oribi_op_find(op_name);
    if (op == NULL) {
        return oribi_fail(status, TF_NOT_FOUND, "test: no op '%s'", op_name);
    }
    ORIBI_TRY(run_op_infer(self, op, attrs, inputs, n_inputs, status));
    self->node = (oribi_node_view){.name = "node",
                                   .op = op,
                                   .attrs = &self->attrs,
                                   .signature = &self->signature,
                                   .input_shapes = self->shapes,
                                   .output_shapes = self->inferred};
    const oribi_kernel_def *def = oribi_kernel_select(&self->node, "CPU", NULL, status);
    if (def == NULL) {
        return false;
    }
    ORIBI_TRY(oribi_kernel_create(def, &self->node, &self->kernel, status));
    self->has_kernel = true;
    ORIBI_TRY(oribi_kernel_run_once(&self->kernel, inputs, self->outputs, pool, status));
    for (int i = 0; i < self->n_outputs; i++) {
        if (!run_op_fits(&self->inferred[i], self->outputs[i])) {
            return oribi_fail(status, TF_INTERNAL,
                              "test: output %d of '%s' has another shape than inferred", i,
                              op_name);
        }
    }
    return true;
}

static inline void run_op_end(run_op *self)
{
    for (int i = 0; i < self->n_outputs; i++) {
        TF_DeleteTensor(self->outputs[i]);
    }
    if (self->has_kernel) {
        oribi_kernel_destroy(&self->kernel);
    }
    for (oribi_held_tensor *held = self->entry.tensors; held != NULL; held = held->next) {
        TF_DeleteTensor(held->tensor);
    }
    oribi_arena_destroy(&self->entry.arena);
}

#endif
