/* SPDX-License-Identifier: Apache-2.0 */
/* Running whole models through the public interface, for tests/models. */
#ifndef ORIBI_TESTS_MODELS_MODEL_TEST_SUPPORT_H_
#define ORIBI_TESTS_MODELS_MODEL_TEST_SUPPORT_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "models/wire_walk.h"
#include "oribi/oribi.h"

#define MODELS_FOLDER TEST_SHARED "/models/onnx/"

static inline void expect_ok(const TF_Status *status)
{
    if (TF_GetCode(status) != TF_OK) {
        fail_msg("%s", TF_Message(status));
    }
}

/* Skips the test when the file is not there. */
static inline oribi_file_map open_shared(const char *name, const char *suffix)
{
    char path[4096];
    oribi_file_map map = {0};
    snprintf(path, sizeof path, "%s%s%s", MODELS_FOLDER, name, suffix);
    if (oribi_file_map_open(path, &map) != 0) {
        print_message("skipped: %s is not there\n", path);
        skip();
    }
    return map;
}

static inline int64_t input_dims(const oribi_model *model, int64_t *dims, int *out_rank)
{
    int64_t count = 1;
    *out_rank = oribi_model_input_shape(model, 0, dims, 8);
    assert_in_range(*out_rank, 1, 8);
    for (int i = 0; i < *out_rank; i++) {
        dims[i] = dims[i] < 0 ? 1 : dims[i];
        count *= dims[i];
    }
    return count;
}

typedef struct model_run {
    oribi_model *model;
    oribi_session *session;
    oribi_run *run;
    TF_Status *status;
} model_run;

/* Opens, and runs on one float input that `fill` makes. */
static inline model_run model_run_open(oribi_model *model, TF_Status *status,
                                       void (*fill)(float *to, int64_t count))
{
    model_run r = {.model = model, .status = status};
    int64_t dims[8];
    int rank = 0;
    expect_ok(status);
    assert_int_equal(oribi_model_num_inputs(model), 1);
    int64_t count = input_dims(model, dims, &rank);
    TF_Tensor *input = TF_AllocateTensor(TF_FLOAT, dims, rank, (size_t)count * sizeof(float));
    assert_non_null(input);
    fill(TF_TensorData(input), count);
    r.session = oribi_session_create(model, NULL, status);
    expect_ok(status);
    r.run = oribi_run_create(r.session, status);
    expect_ok(status);
    oribi_run_set_input(r.run, 0, input, status);
    TF_DeleteTensor(input);
    expect_ok(status);
    oribi_run_execute(r.run, status);
    expect_ok(status);
    return r;
}

static inline void model_run_close(model_run *r)
{
    oribi_run_destroy(r->run);
    oribi_session_destroy(r->session);
    oribi_model_destroy(r->model);
    TF_DeleteStatus(r->status);
}

#endif
