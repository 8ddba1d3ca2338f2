/* SPDX-License-Identifier: Apache-2.0 */
/* The four int8 models of MLPerf Tiny give, bit for bit, what TensorFlow Lite Micro's reference
 * kernels gave: the golden vectors beside the models. Skipped where they are absent.
 */
#include "models/model_test_support.h"

enum { N_VECTORS = 4 };

#define TINY_FOLDER TEST_SHARED "/models/mlperf-tiny/"

static oribi_file_map open_tiny(const char *format, const char *name, int index)
{
    char path[4096], file[256];
    oribi_file_map map = {0};
    snprintf(file, sizeof file, format, name, index);
    snprintf(path, sizeof path, TINY_FOLDER "%s", file);
    if (oribi_file_map_open(path, &map) != 0) {
        print_message("skipped: %s is not there\n", path);
        skip();
    }
    return map;
}

static void run_vector(oribi_model *model, oribi_run *run, const char *name, int index,
                       TF_Status *status)
{
    oribi_file_map in = open_tiny("golden/%s/input_%d.bin", name, index);
    oribi_file_map want = open_tiny("golden/%s/output_%d.bin", name, index);
    int64_t dims[8];
    int rank = 0;
    int64_t count = input_dims(model, dims, &rank);
    assert_int_equal(count, in.bytes);
    TF_Tensor *input = TF_AllocateTensor(TF_INT8, dims, rank, in.bytes);
    assert_non_null(input);
    memcpy(TF_TensorData(input), in.data, in.bytes);
    oribi_run_set_input(run, 0, input, status);
    expect_ok(status);
    oribi_run_execute(run, status);
    expect_ok(status);

    TF_Tensor *output = oribi_run_output(run, 0, status);

    expect_ok(status);
    assert_int_equal(TF_TensorType(output), TF_INT8);
    assert_int_equal(TF_TensorByteSize(output), want.bytes);
    const int8_t *found = TF_TensorData(output);
    const int8_t *expected = (const int8_t *)want.data;
    for (size_t i = 0; i < want.bytes; i++) {
        if (found[i] != expected[i]) {
            fail_msg("%s vector %d [%zu]: expected %d, found %d", name, index, i, expected[i],
                     found[i]);
        }
    }
    TF_DeleteTensor(output);
    TF_DeleteTensor(input);
    oribi_file_map_close(&want);
    oribi_file_map_close(&in);
}

static void model_gives_the_golden_outputs_bit_for_bit(void **state)
{
    const char *name = *state;
    char path[4096];
    oribi_file_map map = open_tiny("%s.tflite", name, 0); /* skips where it is absent */
    oribi_file_map_close(&map);
    snprintf(path, sizeof path, TINY_FOLDER "%s.tflite", name);
    TF_Status *status = TF_NewStatus();
    oribi_model *model = oribi_model_open(path, NULL, status);
    expect_ok(status);
    oribi_session *session = oribi_session_create(model, NULL, status);
    expect_ok(status);
    oribi_run *run = oribi_run_create(session, status);
    expect_ok(status);

    for (int i = 0; i < N_VECTORS; i++) {
        run_vector(model, run, name, i, status);
    }

    oribi_run_destroy(run);
    oribi_session_destroy(session);
    oribi_model_destroy(model);
    TF_DeleteStatus(status);
}

#define MODEL(name)                                                                                \
    {                                                                                              \
        "model_gives_the_golden_outputs_bit_for_bit_" name,                                        \
            model_gives_the_golden_outputs_bit_for_bit, NULL, NULL, (void *)(uintptr_t)name        \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        MODEL("ad01_int8"),
        MODEL("kws_ref_model"),
        MODEL("pretrainedResnet_quant"),
        MODEL("vww_96_int8"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
