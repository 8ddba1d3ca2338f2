/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin's Conv2D at the default priority really computes ResNet-50's convolutions: it is chosen
 * before anything is fused, so the passes leave it its op. Skipped where the model is absent.
 */
#include <dlfcn.h>
#include <stdatomic.h>

#include "models/model_test_support.h"

#define PLUGIN TEST_BINARY "/tests/plugins/counting_conv.so"

static void fill_ramp(float *to, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        to[i] = (float)i / (float)count;
    }
}

static void plugin_conv_computes_all_convolutions_of_resnet50(void **state)
{
    (void)state;
    enum { N_CONVOLUTIONS = 53 };
    oribi_file_map map = open_shared("light_resnet50", ".onnx");
    TF_Status *status = TF_NewStatus();

    oribi_plugin_load_file(PLUGIN, status);
    expect_ok(status);
    oribi_model *model =
        oribi_model_from_memory(map.data, map.bytes, "light_resnet50", NULL, status);
    model_run r = model_run_open(model, status, fill_ramp);

    void *plugin = dlopen(PLUGIN, RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(plugin);
    atomic_int *runs = dlsym(plugin, "counting_conv_runs");
    assert_non_null(runs);
    assert_int_equal(atomic_load(runs), N_CONVOLUTIONS);
    TF_Tensor *output = oribi_run_output(r.run, 0, status);
    expect_ok(status);
    const float *found = TF_TensorData(output);
    for (int i = 0; i < 1000; i++) { /* all weights are equal, so are the outputs */
        assert_true(fabsf(found[i] - 0.001F) <= 1e-5F);
    }
    TF_DeleteTensor(output);
    dlclose(plugin);
    model_run_close(&r);
    oribi_file_map_close(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plugin_conv_computes_all_convolutions_of_resnet50),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
