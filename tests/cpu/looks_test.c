/* SPDX-License-Identifier: Apache-2.0 */
/* Does every row of the kernel list look whether its run was stopped? The plugin looks after each
 * cycle here instead of after a million, so that small inputs tell: the run is stopped before it
 * begins, and a row that still writes the end of its output never looked. How often a row looks in
 * large work is stop_test.c's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cpu/harness.h"

#include "cpu/golden_read.h"
#include "cpu/hosted.h"
#include "kernel/runner.h"
#include "tensor/patience.h"

enum { MOST_ROWS = 2048 };

/* Ops whose work does not grow with their tensors, or is the host's. */
static const char *const constant_work[] = {
    "Shape",
    "ShapeN",
    "Size",
    "Rank",
    "NoOp",
    "VarHandleOp",
    "ReadVariableOp",
    "AssignVariableOp",
    "AssignAddVariableOp",
    "AssignSubVariableOp",
    "VarIsInitializedOp",
    "Const",
    "StatelessRandomGetAlg",
    "StatelessRandomGetKeyCounter",
    "StatelessRandomGetKeyCounterAlg",
    /* of lists, which this test cannot fill: tests/session/list_test.c runs them */
    "Oribi>List",
    "Oribi>ListAt",
    "Oribi>ListConcat",
    "Oribi>ListErase",
    "Oribi>ListGet",
    "Oribi>ListHas",
    "Oribi>ListInsert",
    "Oribi>ListSplit",
    "Oribi>NoList",
};

static const oribi_cpu_kernel *tried[MOST_ROWS];
static int n_tried;

static bool is_listed(const char *op)
{
    for (size_t i = 0; i < sizeof constant_work / sizeof constant_work[0]; i++) {
        if (strcmp(constant_work[i], op) == 0) {
            return true;
        }
    }
    return false;
}

static void note(const oribi_cpu_kernel *row)
{
    for (int i = 0; i < n_tried; i++) {
        if (tried[i] == row) {
            return;
        }
    }
    assert_true(n_tried < MOST_ROWS);
    tried[n_tried++] = row;
}

/* Elements of the largest of output 0 and the inputs. */
static int64_t largest(const harness *h)
{
    int64_t most = TF_TensorElementCount(h->outputs[0]);
    for (int i = 0; i < h->n_inputs; i++) {
        const int64_t count = TF_TensorElementCount(h->inputs[i]);
        most = count > most ? count : most;
    }
    return most;
}

/* --- Texts, which own memory: outputs are tensors that the kernel is given ----------------------
 */

static bool has_texts(const harness *h)
{
    bool has = TF_TensorType(h->outputs[0]) == TF_STRING;
    for (int i = 0; i < h->n_inputs; i++) {
        has = has || TF_TensorType(h->inputs[i]) == TF_STRING;
    }
    return has;
}

static bool is_as_before(const TF_Tensor *out, const TF_Tensor *expected, unsigned char filling)
{
    const bool is_text = TF_TensorType(out) == TF_STRING;
    const size_t width = is_text ? sizeof(TF_TString) : TF_DataTypeSize(TF_TensorType(out));
    const size_t last = TF_TensorByteSize(out) - width;
    const unsigned char *end = (const unsigned char *)TF_TensorData(out) + last;
    bool is_filling = false;
    if (is_text) {
        const TF_TString *text = (const TF_TString *)end;
        const TF_TString *whole =
            (const TF_TString *)((const char *)TF_TensorData(expected) + last);
        const size_t n = TF_StringGetSize(whole); /* of none it cannot be told */
        return n == 0 || TF_StringGetSize(text) != n ||
               memcmp(TF_StringGetDataPointer(text), TF_StringGetDataPointer(whole), n) != 0;
    }
    for (size_t i = 0; i < width; i++) {
        is_filling = is_filling || end[i] == filling;
    }
    return is_filling;
}

/* Does the row leave the end of output 0 as it was? */
static bool stops_with_texts(const harness *h, const oribi_cpu_kernel *row, unsigned char filling)
{
    const oribi_kernel_def def = {.op_name = row->op_name,
                                  .device_type = "CPU",
                                  .label = "",
                                  .kernel_name = row->op_name,
                                  .provider = "built-in",
                                  .create = row->create,
                                  .compute = row->compute,
                                  .destroy = row->destroy};
    atomic_int stop = ORIBI_STOP_CANCELLED;
    oribi_patience stopped = {.stop = &stop, .what = "a test"};
    oribi_kernel kernel = {0};
    TF_Tensor *outputs[HARNESS_MOST] = {NULL};
    assert_true(oribi_kernel_create(&def, &h->view, &kernel, h->status));
    oribi_runner *runner = oribi_runner_create(&kernel, h->status);
    assert_non_null(runner);
    for (int i = 0; i < h->n_outputs; i++) {
        const TF_Tensor *like = h->outputs[i];
        outputs[i] = harness_tensor(like->dtype, like->dims, like->rank);
        assert_non_null(outputs[i]);
        if (like->dtype != TF_STRING) {
            memset(TF_TensorData(outputs[i]), filling, TF_TensorByteSize(outputs[i]));
        }
    }
    oribi_patience_begin(&stopped);
    (void)oribi_runner_run(&runner, NULL, NULL, h->inputs, outputs, h->status);
    oribi_patience_end(&stopped);
    const bool stops = is_as_before(outputs[0], h->outputs[0], filling);
    for (int i = 0; i < h->n_outputs; i++) {
        TF_DeleteTensor(outputs[i]);
    }
    oribi_runner_destroy(runner);
    oribi_kernel_destroy(&kernel);
    return stops;
}

/* The end of the output stays as it was: the row looked before it came there. */
static void stop_row(void *arg, const oribi_cpu_kernel *row)
{
    golden *g = arg;
    harness *h = &g->h;
    enum { FILLING = 0x5a };
    if (g->is_error) {
        return;
    }
    if (!harness_run(h, row)) {
        print_error("line %d: %s: %s\n", g->line, row->op_name, TF_Message(h->status));
        g->n_failures++;
        return;
    }
    if (TF_TensorElementCount(h->outputs[0]) == 0 || largest(h) < 2) {
        return;
    }
    note(row);
    g->n_runs++;
    if (has_texts(h)) {
        if (!stops_with_texts(h, row, FILLING) && !is_listed(row->op_name)) {
            print_error("line %d: %s went on to its end after the run was stopped\n", g->line,
                        row->op_name);
            g->n_failures++;
        }
        return;
    }
    TF_Tensor *out = h->outputs[0];
    const size_t bytes = TF_TensorByteSize(out);
    const size_t width = TF_DataTypeSize(TF_TensorType(out));
    const unsigned char *end = (const unsigned char *)TF_TensorData(out) + bytes - width;
    size_t n_left = 0;
    memset(TF_TensorData(out), FILLING, bytes);
    h->is_stopped = true;
    (void)hosted_run(h, row, false, false, NULL, out);
    h->is_stopped = false;
    for (size_t i = 0; i < width; i++) {
        n_left += end[i] == FILLING;
    }
    if (h->is_allocated && n_left < width && !is_listed(row->op_name)) {
        print_error("line %d: %s (%s, %d) went on to its end after the run was stopped\n", g->line,
                    row->op_name, oribi_cpu_isa_name(row->isa), (int)row->priority);
        g->n_failures++;
    }
}

static void stop_case(golden *g)
{
    assert_true(harness_resolve(&g->h));
    (void)harness_each_row(&g->h, stop_row, g);
}

static void every_row_looks_whether_its_run_was_stopped(void **state)
{
    static const char *const files[] = {"golden.txt", "golden_onnx.txt", "golden_heavy.txt",
                                        "golden_text.txt", "looks.txt"};
    int n_failures = 0;
    (void)state;
    oribi_cpu_look_cycles = 1;
    for (int i = 0; i < 5; i++) {
        char name[512];
        golden g = {.visit = stop_case};
        (void)snprintf(name, sizeof name, TEST_SOURCE "/tests/cpu/%s", files[i]);
        golden_read(name, &g);
        print_message("%s: %d cases, %d runs\n", files[i], g.n_cases, g.n_runs);
        n_failures += g.n_failures;
    }
    assert_int_equal(n_failures, 0);
}

/* A new row needs a case, of any size: in looks.txt, where TensorFlow has no answer to it. */
static void every_row_was_tried(void **state)
{
    int n_missing = 0;
    (void)state;
    for (const oribi_cpu_family *family = oribi_cpu_families; family->name != NULL; family++) {
        for (const oribi_cpu_kernel *row = family->kernels; row->op_name != NULL; row++) {
            bool was_tried = is_listed(row->op_name) || !oribi_cpu_has(row->isa);
            for (int i = 0; !was_tried && i < n_tried; i++) { /* of any type: rows of one loop */
                was_tried = tried[i]->priority == row->priority && tried[i]->isa == row->isa &&
                            strcmp(tried[i]->op_name, row->op_name) == 0;
            }
            if (!was_tried) {
                print_error("no case for %s (%s, %s, %d)\n", row->op_name, family->name,
                            oribi_cpu_isa_name(row->isa), (int)row->priority);
                n_missing++;
            }
        }
    }
    assert_int_equal(n_missing, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_looks_whether_its_run_was_stopped),
        cmocka_unit_test(every_row_was_tried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
