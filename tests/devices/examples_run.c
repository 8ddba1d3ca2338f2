/* SPDX-License-Identifier: Apache-2.0 */
/* The examples that use the host's devices, each as a plugin that a stranger's compiler made, in a
 * session, against sums in double: PROGRAM (distances|describe|scale|square) PLUGIN.so; square is
 * of plugins/gpu_square.cu, and TEST_DEVICE_PLUGIN its device: 77 where that one has no driver.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "session/small.h"

static const char *plugin, *device;

static float value_at(int64_t i)
{
    return (float)((i * 7919) % 1013) / 256.0f - 2.0f;
}

/* The outputs of op(x [n, d]) on three threads, copied. */
static void run_op(const char *op, int64_t n, int64_t d, TF_Tensor **out, int n_out)
{
    const int64_t dims[2] = {n, d};
    small_graph g = small_begin();
    oribi_value_id x = small_input(&g, "x", 2, dims);
    oribi_node *node = oribi_graph_add_node(g.graph, op, "node", &x, 1, n_out, g.status);
    assert_true(oribi_graph_resolve(g.graph, node, g.status));
    for (int i = 0; i < n_out; i++) {
        char name[16];
        snprintf(name, sizeof name, "out%d", i);
        small_output(&g, node->outputs[i], name);
    }
    oribi_options *options = small_options();
    oribi_options_set_threads(options, 3);
    if (device != NULL) {
        oribi_options_set_device(options, device, g.status);
        small_expect_ok(g.status);
    }
    oribi_session *session = oribi_session_from_graph(g.graph, options, g.status);
    small_expect_ok(g.status);
    oribi_run *run = small_run_of(session);
    TF_Tensor *input = small_tensor(2, dims, 0);
    for (int64_t i = 0; i < n * d; i++) {
        ((float *)TF_TensorData(input))[i] = value_at(i);
    }
    small_bind(run, 0, input);
    for (int times = 0; times < 3; times++) {
        small_execute(run);
    }
    for (int i = 0; i < n_out; i++) {
        out[i] = oribi_run_output(run, i, g.status);
        small_expect_ok(g.status);
    }
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    oribi_options_destroy(options);
    TF_DeleteStatus(g.status);
}

static void expect_near(float found, double wanted, double scale)
{
    if (!(fabs((double)found - wanted) <= 1e-5 * scale)) {
        fail_msg("found %.9g, wanted %.9g", (double)found, wanted);
    }
}

static void check_distances(int64_t n, int64_t d)
{
    TF_Tensor *out = NULL;
    run_op("Com>Acme>Distances", n, d, &out, 1);
    const float *found = TF_TensorData(out);
    assert_int_equal(TF_TensorElementCount(out), n * n);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t k = 0; k < d; k++) {
                const double difference = (double)value_at(i * d + k) - (double)value_at(j * d + k);
                sum += difference * difference;
            }
            expect_near(found[i * n + j], sqrt(sum), sqrt((double)d) * 4);
        }
    }
    TF_DeleteTensor(out);
}

static void check_describe(int64_t n, int64_t d)
{
    TF_Tensor *out[3] = {NULL};
    run_op("Com>Acme>Describe", n, d, out, 3);
    const float *gram = TF_TensorData(out[0]);
    const float *means = TF_TensorData(out[1]);
    const float *smooth = TF_TensorData(out[2]);
    assert_int_equal(TF_TensorElementCount(out[2]), (n - 2) * d);
    for (int64_t i = 0; i < d; i++) {
        double mean = 0;
        for (int64_t k = 0; k < n; k++) {
            mean += (double)value_at(k * d + i) / (double)n;
        }
        expect_near(means[i], mean, 2);
        for (int64_t j = 0; j < d; j++) {
            double sum = 0;
            for (int64_t k = 0; k < n; k++) {
                sum += (double)value_at(k * d + i) * (double)value_at(k * d + j);
            }
            expect_near(gram[i * d + j], sum, 4 * (double)n);
        }
        for (int64_t k = 0; k < n - 2; k++) {
            const double wanted = 0.25 * (double)value_at(k * d + i) +
                                  0.5 * (double)value_at((k + 1) * d + i) +
                                  0.25 * (double)value_at((k + 2) * d + i);
            expect_near(smooth[k * d + i], wanted, 2);
        }
    }
    for (int i = 0; i < 3; i++) {
        TF_DeleteTensor(out[i]);
    }
}

/* On the example device, launched there. */
static void check_scale(int64_t n, int64_t d)
{
    TF_Tensor *out = NULL;
    run_op("Com>Acme>Scale", n, d, &out, 1);
    const float *found = TF_TensorData(out);
    assert_int_equal(TF_TensorElementCount(out), n * d);
    for (int64_t i = 0; i < n * d; i++) {
        assert_true(found[i] == 2 * value_at(i));
    }
    TF_DeleteTensor(out);
}

/* On a GPU, by Eigen. */
static void check_square(int64_t n, int64_t d)
{
    TF_Tensor *out = NULL;
    run_op("Com>Acme>EigenSquare", n, d, &out, 1);
    const float *found = TF_TensorData(out);
    assert_int_equal(TF_TensorElementCount(out), n * d);
    for (int64_t i = 0; i < n * d; i++) {
        assert_true(found[i] == value_at(i) * value_at(i));
    }
    TF_DeleteTensor(out);
}

static void (*check)(int64_t n, int64_t d);

static void results_are_those_of_double(void **state)
{
    (void)state;
    static const int64_t sizes[][2] = {{3, 1}, {5, 7}, {64, 33}, {300, 257}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        check(sizes[i][0], sizes[i][1]);
    }
}

static int load(void **state)
{
    TF_Status *status = TF_NewStatus();
    (void)state;
    if (device != NULL) {
        const char *other = getenv("TEST_DEVICE_PLUGIN");
        oribi_plugin_load_file(other != NULL ? other : TEST_DEVICE, status);
        if (other != NULL && TF_GetCode(status) == TF_UNAVAILABLE) {
            printf("skipped: %s\n", TF_Message(status));
            exit(77);
        }
        small_expect_ok(status);
    }
    oribi_plugin_load_file(plugin, status);
    if (TF_GetCode(status) != TF_OK) {
        print_error("%s\n", TF_Message(status));
        return 1;
    }
    TF_DeleteStatus(status);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(results_are_those_of_double)};
    if (argc != 3) {
        return 2;
    }
    check = strcmp(argv[1], "describe") == 0 ? check_describe
            : strcmp(argv[1], "scale") == 0  ? check_scale
            : strcmp(argv[1], "square") == 0 ? check_square
                                             : check_distances;
    device = check == check_scale ? "FAKE" : check == check_square ? "CUDA" : NULL;
    plugin = argv[2];
    if (check == check_square && fopen(plugin, "r") == NULL) {
        printf("skipped: %s was not built\n", plugin);
        return 77;
    }
    return cmocka_run_group_tests(tests, load, NULL);
}
