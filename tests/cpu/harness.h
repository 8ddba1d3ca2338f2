/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one row of the cpu plugin's kernel list on tensors: builds the node from an op name,
 * attributes and inputs, creates the kernel, computes once. Include after cmocka.h.
 */
#ifndef ORIBI_TESTS_CPU_HARNESS_H_
#define ORIBI_TESTS_CPU_HARNESS_H_

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "built_in.h"
#include "cpu/base/cpu.h"
#include "device/pool.h"
#include "kernel/kernel.h"
#include "tensorflow/c/tf_tstring.h"

enum { HARNESS_MOST = 10 }; /* inputs, outputs */

/* A node under test. {0} first; harness_destroy at the end. */
typedef struct harness {
    const char *op;
    oribi_arena arena;
    oribi_attrs attrs;
    oribi_signature signature;
    oribi_node_view view;
    TF_Tensor *inputs[HARNESS_MOST], *outputs[HARNESS_MOST];
    int n_inputs, n_outputs;
    uint32_t constants; /* bit i: input i is known when the kernel is made */
    bool is_stopped;    /* hosted.h: the run was cancelled before it began */
    bool is_allocated;  /* hosted.h: the kernel asked for memory of output 0 */
    oribi_pool *pool;   /* of harness_run, or NULL */
    TF_Status *status;
} harness;

/* Registers the ops once per process. */
static inline void harness_ops(void)
{
    static bool is_done;
    if (!is_done) {
        oribi_ops_core_init();
        is_done = true;
    }
}

static inline void harness_init(harness *h, const char *op)
{
    harness_ops();
    memset(h, 0, sizeof *h);
    h->op = op;
    h->status = TF_NewStatus();
}

static inline void harness_drop_outputs(harness *h)
{
    for (int i = 0; i < HARNESS_MOST; i++) {
        TF_DeleteTensor(h->outputs[i]);
        h->outputs[i] = NULL;
    }
}

static inline void harness_destroy(harness *h)
{
    harness_drop_outputs(h);
    for (int i = 0; i < h->n_inputs; i++) {
        TF_DeleteTensor(h->inputs[i]);
    }
    oribi_arena_destroy(&h->arena);
    TF_DeleteStatus(h->status);
}

static inline TF_Tensor *harness_tensor(TF_DataType dtype, const int64_t *dims, int rank)
{
    size_t bytes = dtype == TF_STRING ? sizeof(TF_TString) : TF_DataTypeSize(dtype);
    for (int i = 0; i < rank; i++) {
        bytes *= (size_t)dims[i];
    }
    return TF_AllocateTensor(dtype, dims, rank, bytes);
}

/* New input, its memory for the caller to fill. */
static inline void *harness_input(harness *h, TF_DataType dtype, const int64_t *dims, int rank)
{
    assert_in_range(h->n_inputs, 0, HARNESS_MOST - 1);
    TF_Tensor *tensor = harness_tensor(dtype, dims, rank);
    assert_non_null(tensor);
    h->inputs[h->n_inputs++] = tensor;
    return TF_TensorData(tensor);
}

static inline void harness_input_ints(harness *h, int n, const int32_t *values)
{
    int64_t dim = n;
    int32_t *data = harness_input(h, TF_INT32, &dim, 1);
    for (int i = 0; i < n; i++) {
        data[i] = values[i];
    }
}

static inline void harness_input_int(harness *h, int32_t value)
{
    *(int32_t *)harness_input(h, TF_INT32, NULL, 0) = value;
}

static inline float *harness_input_floats(harness *h, int rank, const int64_t *dims)
{
    return harness_input(h, TF_FLOAT, dims, rank);
}

static inline bool harness_constant_input(void *arg, int32_t input, oribi_constant_view *out)
{
    const harness *h = arg;
    if ((h->constants >> input & 1U) == 0) {
        return false;
    }
    const TF_Tensor *tensor = h->inputs[input];
    *out = (oribi_constant_view){tensor->dtype, tensor->rank, tensor->dims, NULL,
                                 TF_TensorData(tensor)};
    return true;
}

static inline TF_Tensor *harness_dense_constant(void *arg, int32_t input, TF_Status *status)
{
    const TF_Tensor *from = ((const harness *)arg)->inputs[input];
    const size_t bytes = TF_TensorByteSize(from);
    TF_Tensor *copy = TF_AllocateTensor(from->dtype, from->dims, from->rank, bytes);
    TF_SetStatus(status, copy != NULL ? TF_OK : TF_RESOURCE_EXHAUSTED, "no memory for a constant");
    if (copy != NULL && bytes > 0) {
        memcpy(TF_TensorData(copy), TF_TensorData(from), bytes);
    }
    return copy;
}

/* Resolves attributes and types; once, after the inputs are there. */
static inline bool harness_resolve(harness *h)
{
    TF_DataType types[HARNESS_MOST];
    const oribi_op_def *op = oribi_op_find(h->op);
    if (op == NULL) {
        print_error("op %s is not registered\n", h->op);
        return false;
    }
    for (int i = 0; i < h->n_inputs; i++) {
        types[i] = TF_TensorType(h->inputs[i]);
    }
    if (!oribi_op_resolve(op, "test", &h->attrs, types, h->n_inputs, &h->arena, &h->signature,
                          h->status)) {
        print_error("%s: %s\n", h->op, TF_Message(h->status));
        return false;
    }
    h->n_outputs = h->signature.n_outputs;
    h->view =
        (oribi_node_view){.name = "test", .op = op, .attrs = &h->attrs, .signature = &h->signature};
    if (h->constants != 0) {
        h->view.constant_input = harness_constant_input;
        h->view.dense_constant = harness_dense_constant;
        h->view.arg = h;
    }
    return true;
}

/* Is the row for this node, on this processor? */
static inline bool harness_row_fits(const harness *h, const oribi_cpu_kernel *row)
{
    if (strcmp(row->op_name, h->op) != 0 || !oribi_cpu_has(row->isa)) {
        return false;
    }
    for (int i = 0; i < ORIBI_KIT_MAX_CONSTRAINTS && row->types[i].attr != NULL; i++) {
        const oribi_attr *attr = oribi_attrs_find(&h->attrs, row->types[i].attr);
        if (attr == NULL || (row->types[i].types >> attr->u.type[0] & 1) == 0) {
            return false;
        }
    }
    return true;
}

/* Computes with one row; on success the outputs are in h->outputs, else h->status says why. */
static inline bool harness_run(harness *h, const oribi_cpu_kernel *row)
{
    oribi_kernel_def def = {.op_name = row->op_name,
                            .device_type = "CPU",
                            .label = "",
                            .kernel_name = row->op_name,
                            .provider = "built-in",
                            .priority = row->priority,
                            .strided_outputs = row->strided_outputs,
                            .create = row->create,
                            .compute = row->compute,
                            .destroy = row->destroy};
    oribi_kernel kernel = {0};
    harness_drop_outputs(h);
    TF_SetStatus(h->status, TF_OK, "");
    if (!oribi_kernel_create(&def, &h->view, &kernel, h->status)) {
        return false;
    }
    bool good = oribi_kernel_run_once(&kernel, h->inputs, h->outputs, h->pool, h->status);
    oribi_kernel_destroy(&kernel);
    return good;
}

/* Calls visit for each row that fits; returns how many did. */
static inline int harness_each_row(const harness *h,
                                   void (*visit)(void *arg, const oribi_cpu_kernel *row), void *arg)
{
    int n = 0;
    for (const oribi_cpu_family *family = oribi_cpu_families; family->name != NULL; family++) {
        for (const oribi_cpu_kernel *row = family->kernels; row->op_name != NULL; row++) {
            if (harness_row_fits(h, row)) {
                visit(arg, row);
                n++;
            }
        }
    }
    return n;
}

/* The row that reference outputs come from, or NULL. */
static inline const oribi_cpu_kernel *harness_reference(const harness *h)
{
    for (const oribi_cpu_family *family = oribi_cpu_families; family->name != NULL; family++) {
        for (const oribi_cpu_kernel *row = family->kernels; row->op_name != NULL; row++) {
            if (row->priority == ORIBI_CPU_REFERENCE && harness_row_fits(h, row)) {
                return row;
            }
        }
    }
    return NULL;
}

static inline double harness_value(const TF_Tensor *tensor, int64_t i)
{
    const void *data = TF_TensorData(tensor);
    switch (TF_TensorType(tensor)) {
    case TF_FLOAT:
        return (double)((const float *)data)[i];
    case TF_DOUBLE:
        return ((const double *)data)[i];
    case TF_INT8:
        return ((const int8_t *)data)[i];
    case TF_INT16:
        return ((const int16_t *)data)[i];
    case TF_INT32:
        return ((const int32_t *)data)[i];
    case TF_UINT16:
    case TF_HALF:
    case TF_BFLOAT16:
        return ((const uint16_t *)data)[i];
    case TF_UINT32:
        return ((const uint32_t *)data)[i];
    case TF_INT64:
        return (double)((const int64_t *)data)[i];
    case TF_UINT64:
        return (double)((const uint64_t *)data)[i];
    default:
        return ((const uint8_t *)data)[i];
    }
}

static inline bool harness_same_text(const TF_Tensor *is, const TF_Tensor *want, int64_t i,
                                     const char *what)
{
    const TF_TString *a = (const TF_TString *)TF_TensorData(is) + i;
    const TF_TString *b = (const TF_TString *)TF_TensorData(want) + i;
    const size_t n = TF_StringGetSize(a);
    const bool same = n == TF_StringGetSize(b) &&
                      memcmp(TF_StringGetDataPointer(a), TF_StringGetDataPointer(b), n) == 0;
    if (!same) {
        print_error("%s: text %lld is '%.*s', expected '%.*s'\n", what, (long long)i, (int)n,
                    TF_StringGetDataPointer(a), (int)TF_StringGetSize(b),
                    TF_StringGetDataPointer(b));
    }
    return same;
}

/* Equal, both NaN, or within a relative distance; a difference is printed. `scale` is added to the
 * reference's magnitude: results of cancellation are judged by what went in. */
static inline bool harness_close(const TF_Tensor *is, const TF_Tensor *want, double relative,
                                 double scale, const char *what)
{
    bool same = TF_TensorType(is) == TF_TensorType(want) && TF_NumDims(is) == TF_NumDims(want);
    for (int i = 0; same && i < TF_NumDims(is); i++) {
        same = TF_Dim(is, i) == TF_Dim(want, i);
    }
    if (!same) {
        print_error("%s: type %d rank %d first dim %lld; expected type %d rank %d first dim %lld\n",
                    what, (int)TF_TensorType(is), TF_NumDims(is),
                    TF_NumDims(is) > 0 ? (long long)TF_Dim(is, 0) : -1LL, (int)TF_TensorType(want),
                    TF_NumDims(want), TF_NumDims(want) > 0 ? (long long)TF_Dim(want, 0) : -1LL);
        return false;
    }
    int64_t n = TF_TensorElementCount(want);
    size_t width = TF_DataTypeSize(TF_TensorType(want));
    for (int64_t i = 0; i < n; i++) {
        if (TF_TensorType(want) == TF_STRING) {
            if (!harness_same_text(is, want, i, what)) {
                return false;
            }
            continue;
        }
        double a = harness_value(is, i), b = harness_value(want, i);
        bool equal = a == b || (a != a && b != b) || fabs(a - b) <= relative * (fabs(b) + scale);
        if (relative == 0 && TF_TensorType(want) != TF_FLOAT && TF_TensorType(want) != TF_DOUBLE) {
            equal = memcmp((const char *)TF_TensorData(is) + (size_t)i * width,
                           (const char *)TF_TensorData(want) + (size_t)i * width, width) == 0;
        }
        if (!equal) {
            print_error("%s: element %lld of %lld is %.9g, expected %.9g\n", what, (long long)i,
                        (long long)n, a, b);
            return false;
        }
    }
    return true;
}

#endif
