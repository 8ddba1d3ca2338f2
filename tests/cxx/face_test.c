/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins written in the style of TensorFlow's C++ interface, loaded and computed with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cxx/run_op.h"
#include "plugin/plugin.h"

/* One of each compiler and standard that this build has. */
static const char *const flavours[] = {"GCC_14", "GCC_17", "CLANG_14", "CLANG_17"};
enum { N_FLAVOURS = sizeof flavours / sizeof flavours[0] };

static bool exists(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file != NULL) {
        fclose(file);
    }
    return file != NULL;
}

static void load(const char *path)
{
    TF_Status *status = TF_NewStatus();
    oribi_plugin_load_built_ins(status);
    oribi_plugin_load(path, status);
    assert_string_equal(TF_Message(status), "");
    TF_DeleteStatus(status);
}

static TF_Tensor *ints(const int32_t *values, int64_t n)
{
    TF_Tensor *tensor = TF_AllocateTensor(TF_INT32, &n, 1, (size_t)n * 4);
    memcpy(TF_TensorData(tensor), values, (size_t)n * 4);
    return tensor;
}

static void smallest_plugin_computes_whatever_compiled_it(void **state)
{
    (void)state;
    int done = 0;
    for (int i = 0; i < N_FLAVOURS; i++) {
        char path[512], op[64];
        snprintf(path, sizeof path, "%s/first_%s.so", CXX_PLUGINS, flavours[i]);
        if (!exists(path)) {
            continue;
        }
        load(path);
        snprintf(op, sizeof op, "CxxFirst%s", flavours[i]);
        memmove(strchr(op, '_'), strchr(op, '_') + 1, strlen(strchr(op, '_')));
        TF_Tensor *x = ints((int32_t[]){7, 8, 9}, 3);
        TF_Status *status = TF_NewStatus();
        run_op run;

        assert_true(run_op_begin(&run, op, "", &x, 1, NULL, status));

        const int32_t *y = TF_TensorData(run.outputs[0]);
        assert_int_equal(y[0], 7);
        assert_int_equal(y[1], 0);
        assert_int_equal(y[2], 0);
        run_op_end(&run);
        TF_DeleteTensor(x);
        TF_DeleteStatus(status);
        done++;
    }
    assert_true(done >= 2);
}

int main(void)
{
    setenv("ORIBI_PLUGIN_PROBE", TEST_PROBE, 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smallest_plugin_computes_whatever_compiled_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
