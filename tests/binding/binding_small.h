/* SPDX-License-Identifier: Apache-2.0 */
/* Small graphs by TensorFlow's C API, in few words, for the tests of this room. */
#ifndef ORIBI_TESTS_BINDING_BINDING_SMALL_H_
#define ORIBI_TESTS_BINDING_BINDING_SMALL_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tensorflow/c/c_api.h"

static TF_Status *status;

static inline int make_status(void **state)
{
    (void)state;
    status = TF_NewStatus();
    return status == NULL;
}

static inline int delete_status(void **state)
{
    (void)state;
    TF_DeleteStatus(status);
    return 0;
}

static inline void expect_ok(void)
{
    if (TF_GetCode(status) != TF_OK) {
        fail_msg("%d: %s", (int)TF_GetCode(status), TF_Message(status));
    }
}

static inline void expect_code(TF_Code code, const char *words)
{
    if (TF_GetCode(status) != code || strstr(TF_Message(status), words) == NULL) {
        fail_msg("%d and '%s' are expected, not %d: %s", (int)code, words, (int)TF_GetCode(status),
                 TF_Message(status));
    }
}

static inline TF_Tensor *floats(const int64_t *dims, int rank, const float *values)
{
    size_t n = 1;
    for (int i = 0; i < rank; i++) {
        n *= (size_t)dims[i];
    }
    TF_Tensor *tensor = TF_AllocateTensor(TF_FLOAT, dims, rank, n * sizeof(float));
    assert_non_null(tensor);
    memcpy(TF_TensorData(tensor), values, n * sizeof(float));
    return tensor;
}

static inline TF_Tensor *one_float(float value)
{
    return floats(NULL, 0, &value);
}

static inline float float_of(const TF_Tensor *tensor)
{
    assert_int_equal(TF_TensorType(tensor), TF_FLOAT);
    assert_true(TF_TensorElementCount(tensor) >= 1);
    return *(const float *)TF_TensorData(tensor);
}

/* An operation of these inputs; T, and so on, follow from them. */
static inline TF_Operation *add(TF_Graph *graph, const char *type, const char *name,
                                const TF_Output *inputs, int n)
{
    TF_OperationDescription *desc = TF_NewOperation(graph, type, name);
    for (int i = 0; i < n; i++) {
        TF_AddInput(desc, inputs[i]);
    }
    TF_Operation *op = TF_FinishOperation(desc, status);
    expect_ok();
    return op;
}

static inline TF_Output placeholder(TF_Graph *graph, const char *name, const int64_t *dims,
                                    int rank)
{
    TF_OperationDescription *desc = TF_NewOperation(graph, "Placeholder", name);
    TF_SetAttrType(desc, "dtype", TF_FLOAT);
    TF_SetAttrShape(desc, "shape", dims, rank);
    TF_Operation *op = TF_FinishOperation(desc, status);
    expect_ok();
    return (TF_Output){op, 0};
}

static inline TF_Output constant(TF_Graph *graph, const char *name, TF_Tensor *value)
{
    TF_OperationDescription *desc = TF_NewOperation(graph, "Const", name);
    TF_SetAttrTensor(desc, "value", value, status);
    expect_ok();
    TF_SetAttrType(desc, "dtype", TF_TensorType(value));
    TF_Operation *op = TF_FinishOperation(desc, status);
    expect_ok();
    TF_DeleteTensor(value);
    return (TF_Output){op, 0};
}

static inline TF_Output binary(TF_Graph *graph, const char *type, const char *name, TF_Output a,
                               TF_Output b)
{
    const TF_Output inputs[] = {a, b};
    return (TF_Output){add(graph, type, name, inputs, 2), 0};
}

static inline TF_Session *session_of(TF_Graph *graph)
{
    TF_SessionOptions *options = TF_NewSessionOptions();
    TF_Session *session = TF_NewSession(graph, options, status);
    TF_DeleteSessionOptions(options);
    expect_ok();
    return session;
}

static inline void end(TF_Session *session, TF_Graph *graph)
{
    TF_CloseSession(session, status);
    expect_ok();
    TF_DeleteSession(session, status);
    expect_ok();
    TF_DeleteGraph(graph);
}

#endif
