/* SPDX-License-Identifier: Apache-2.0 */
/* Every row of the kernel list against what TensorFlow and ONNX Runtime answer (golden.txt and
 * golden_onnx.txt, golden_heavy.txt, golden_text.txt, made by scripts in tests/peer): one case
 * after the other, each through all rows that fit it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cpu/harness.h"

#include "cpu/golden_read.h"

static void check_row(void *arg, const oribi_cpu_kernel *row)
{
    golden *g = arg;
    char what[160];
    (void)snprintf(what, sizeof what, "line %d: %s (%s, %d)", g->line, row->op_name,
                   oribi_cpu_isa_name(row->isa), (int)row->priority);
    g->n_runs++;
    bool good = harness_run(&g->h, row);
    if (g->is_error) {
        if (good) {
            print_error("%s: runs, TensorFlow refuses\n", what);
        }
        g->n_failures += good ? 1 : 0;
        return;
    }
    if (!good) {
        print_error("%s: %s\n", what, TF_Message(g->h.status));
    }
    for (int i = 0; good && i < g->n_want; i++) {
        good = harness_close(g->h.outputs[i], g->want[i], g->tolerance, g->scale, what);
    }
    g->n_failures += good ? 0 : 1;
}

static void check_case(golden *g)
{
    if (!harness_resolve(&g->h) || harness_each_row(&g->h, check_row, g) == 0) {
        print_error("line %d: no row runs %s\n", g->line, g->h.op);
        g->n_failures++;
    }
}

static int run_file(const char *name)
{
    golden g = {.visit = check_case};
    golden_read(name, &g);
    print_message("%d cases, %d runs\n", g.n_cases, g.n_runs);
    assert_int_equal(g.n_failures, 0);
    return g.n_cases;
}

static void every_row_answers_as_tensorflow_does(void **state)
{
    (void)state;
    assert_true(run_file(TEST_SOURCE "/tests/cpu/golden.txt") > 600);
}

static void ops_of_onnx_answer_as_onnx_runtime_does(void **state)
{
    (void)state;
    assert_true(run_file(TEST_SOURCE "/tests/cpu/golden_onnx.txt") > 40);
}

static void convolutions_and_products_answer_as_tensorflow_does(void **state)
{
    (void)state;
    assert_true(run_file(TEST_SOURCE "/tests/cpu/golden_heavy.txt") > 45);
}

static void ops_of_texts_answer_as_tensorflow_does(void **state)
{
    (void)state;
    assert_true(run_file(TEST_SOURCE "/tests/cpu/golden_text.txt") > 1000);
}

static void planes_become_pixels_whatever_their_number(void **state)
{
    enum { BATCHES = 2, MOST_PLANES = 17, PIXELS = 517 }; /* more than two bands, and a rest */
    (void)state;
    for (int planes = 2; planes <= MOST_PLANES; planes++) {
        harness h;
        const int64_t dims[3] = {BATCHES, planes, PIXELS};
        const int32_t perm[3] = {0, 2, 1};
        harness_init(&h, "Transpose");
        float *from = harness_input_floats(&h, 3, dims);
        for (int i = 0; i < BATCHES * planes * PIXELS; i++) {
            from[i] = (float)i;
        }
        harness_input_ints(&h, 3, perm);
        assert_true(harness_resolve(&h));

        assert_true(harness_run(&h, harness_reference(&h)));

        const float *to = TF_TensorData(h.outputs[0]);
        for (int i = 0; i < BATCHES * planes * PIXELS; i++) {
            const int batch = i / planes / PIXELS, pixel = i / planes % PIXELS;
            assert_true(to[i] == from[(batch * planes + i % planes) * PIXELS + pixel]);
        }
        harness_destroy(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_answers_as_tensorflow_does),
        cmocka_unit_test(ops_of_onnx_answer_as_onnx_runtime_does),
        cmocka_unit_test(convolutions_and_products_answer_as_tensorflow_does),
        cmocka_unit_test(ops_of_texts_answer_as_tensorflow_does),
        cmocka_unit_test(planes_become_pixels_whatever_their_number)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
