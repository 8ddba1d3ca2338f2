/* SPDX-License-Identifier: Apache-2.0 */
/* Every ONNX model beside the repository gives the outputs that lie beside it, to a relative 1e-3
 * and an absolute 1e-5, on the input x[i] = i / n. Skipped where the models are absent.
 */
#include "models/model_test_support.h"

static void fill_ramp(float *to, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        to[i] = (float)i / (float)count;
    }
}

/* TensorProto: dims 1, float_data 4, raw_data 9. */
static const float *read_expected(wire_span tensor, int64_t *out_count, float *copy, int64_t max)
{
    wire_span raw = wire_find(tensor, 9).body;
    raw = raw.bytes > 0 ? raw : wire_find(tensor, 4).body;
    *out_count = (int64_t)(raw.bytes / sizeof(float));
    assert_in_range(*out_count, 1, max);
    memcpy(copy, raw.data, raw.bytes);
    return copy;
}

static void compare_output(const model_run *r, const char *name, int index)
{
    enum { MAX_ELEMENTS = 1 << 18 };
    char suffix[32];
    int64_t count = 0, dims[8];
    snprintf(suffix, sizeof suffix, "_output_%d.pb", index);
    oribi_file_map map = open_shared(name, suffix);
    float *copy = malloc(MAX_ELEMENTS * sizeof *copy);
    assert_non_null(copy);
    wire_span file = {map.data, map.bytes};
    const float *expected = read_expected(file, &count, copy, MAX_ELEMENTS);
    TF_Tensor *output = oribi_run_output(r->run, index, r->status);
    expect_ok(r->status);
    int rank = wire_ints(file, 1, dims, 8);
    assert_int_equal(TF_NumDims(output), rank);
    for (int i = 0; i < rank; i++) {
        assert_int_equal(TF_Dim(output, i), dims[i]);
    }
    assert_int_equal(TF_TensorElementCount(output), count);
    const float *found = TF_TensorData(output);
    for (int64_t i = 0; i < count; i++) {
        if (!(fabsf(found[i] - expected[i]) <= 1e-5F + 1e-3F * fabsf(expected[i]))) {
            fail_msg("%s output %d [%lld]: expected %g, found %g", name, index, (long long)i,
                     (double)expected[i], (double)found[i]);
        }
    }
    TF_DeleteTensor(output);
    free(copy);
    oribi_file_map_close(&map);
}

static void model_gives_the_expected_outputs(void **state)
{
    const char *name = *state;
    char path[4096];
    oribi_file_map map = open_shared(name, ".onnx"); /* skips where it is absent */
    oribi_file_map_close(&map);
    snprintf(path, sizeof path, "%s%s.onnx", MODELS_FOLDER, name);
    TF_Status *status = TF_NewStatus();
    model_run r = model_run_open(oribi_model_open(path, NULL, status), status, fill_ramp);
    int n_outputs = oribi_model_num_outputs(r.model);
    for (int i = 0; i < n_outputs; i++) {
        compare_output(&r, name, i);
    }
    model_run_close(&r);
}

#define MODEL(name)                                                                                \
    {                                                                                              \
#name, model_gives_the_expected_outputs, NULL, NULL, (void *)#name                         \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        MODEL(mnist),
        MODEL(ultraface_rfb320),
        MODEL(light_squeezenet),
        MODEL(light_shufflenet),
        MODEL(light_mobilenetv2),
        MODEL(light_inception_v1),
        MODEL(light_inception_v2),
        MODEL(light_resnet50),
        MODEL(light_densenet121),
        MODEL(light_bvlc_alexnet),
        MODEL(light_zfnet512),
        MODEL(light_vgg19),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
