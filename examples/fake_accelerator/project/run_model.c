/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a model on the CPU and on the plugin's device, and compares; then lets the device fail in
 * each call of a run: the run says so, and the next one is well. PROGRAM PLUGIN.so MODEL.onnx
 */
#include <dlfcn.h>
#include <math.h>
#include <oribi/oribi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 4, COLUMNS = 6, MAX_RESULTS = 64 };

static const char device[] = "FAKE:0";

static void end_unless_ok(const TF_Status *status)
{
    if (TF_GetCode(status) != TF_OK) {
        fprintf(stderr, "%s\n", TF_Message(status));
        exit(1);
    }
}

static oribi_session *open_session(oribi_model *model, const char *on, TF_Status *status)
{
    oribi_options *options = oribi_options_create(status);
    end_unless_ok(status);
    if (on != NULL) {
        oribi_options_set_device(options, on, status);
        end_unless_ok(status);
        oribi_options_set_soft_placement(options, false); /* all nodes, or an error */
    }
    oribi_session *session = oribi_session_create(model, options, status);
    end_unless_ok(status);
    oribi_options_destroy(options);
    return session;
}

static oribi_run *open_run(oribi_session *session, TF_Status *status)
{
    const int64_t dims[2] = {ROWS, COLUMNS};
    TF_Tensor *x = TF_AllocateTensor(TF_FLOAT, dims, 2, ROWS * COLUMNS * sizeof(float));
    oribi_run *run = oribi_run_create(session, status);
    end_unless_ok(status);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        ((float *)TF_TensorData(x))[i] = (float)(i * 7 % 11) - 5;
    }
    oribi_run_set_input(run, 0, x, status);
    end_unless_ok(status);
    TF_DeleteTensor(x);
    return run;
}

/* The results' count. */
static int execute(oribi_run *run, float *results, TF_Status *status)
{
    oribi_run_execute(run, status);
    end_unless_ok(status);
    TF_Tensor *y = oribi_run_output(run, 0, status);
    end_unless_ok(status);
    const int n = (int)TF_TensorElementCount(y);
    memcpy(results, TF_TensorData(y), sizeof(float) * (size_t)(n < MAX_RESULTS ? n : MAX_RESULTS));
    TF_DeleteTensor(y);
    return n;
}

static void end_unless_same(oribi_run *run, const float *expected, int n, TF_Status *status)
{
    float found[MAX_RESULTS];
    int n_wrong = execute(run, found, status) != n || n < 1 || n > MAX_RESULTS;
    for (int i = 0; n_wrong == 0 && i < n; i++) {
        n_wrong += !(fabsf(found[i] - expected[i]) <= 1e-5f * (1 + fabsf(expected[i])));
    }
    if (n_wrong > 0) {
        fprintf(stderr, "%s does not give what the CPU gives\n", device);
        exit(1);
    }
}

static void end_unless_told(oribi_run *run, const char *call, TF_Status *status)
{
    oribi_run_execute(run, status);
    printf("%s: %s\n", call, TF_Message(status));
    if (TF_GetCode(status) == TF_OK || strstr(TF_Message(status), call) == NULL ||
        strstr(TF_Message(status), device) == NULL) {
        fprintf(stderr, "a run whose %s fails must say so\n", call);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    static const char *const calls[] = {"memcpy_htod", "launch", "memcpy_dtoh", "record_event"};
    TF_Status *status = TF_NewStatus();
    float expected[MAX_RESULTS];
    void (*plant)(const char *call, int ordinal, int after, int times) = NULL;

    oribi_plugin_load_file(argc == 3 ? argv[1] : "", status);
    end_unless_ok(status);
    oribi_model *model = oribi_model_open(argv[2], NULL, status);
    end_unless_ok(status);
    oribi_session *on_cpu = open_session(model, NULL, status);
    oribi_session *on_device = open_session(model, device, status);
    oribi_run *run = open_run(on_cpu, status);
    const int n = execute(run, expected, status);
    oribi_run_destroy(run);
    run = open_run(on_device, status);
    end_unless_same(run, expected, n, status);

    void *library = dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD);
    *(void **)&plant = library != NULL ? dlsym(library, "fake_plant") : NULL;
    for (size_t i = 0; plant != NULL && i < sizeof calls / sizeof calls[0]; i++) {
        plant(calls[i], 0, 0, 1);
        end_unless_told(run, calls[i], status);
        end_unless_same(run, expected, n, status);
    }

    oribi_run_destroy(run);
    oribi_session_destroy(on_device);
    oribi_session_destroy(on_cpu);
    oribi_model_destroy(model);
    TF_DeleteStatus(status);
    printf("%d results are those of the CPU\n", n);
    return plant == NULL; /* without faults half of the test was not done */
}
