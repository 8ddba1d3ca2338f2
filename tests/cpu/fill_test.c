/* SPDX-License-Identifier: Apache-2.0 */
/* No byte of an output is ever what happened to lie in memory: each case of the golden files runs
 * twice through every row, over memory full of one byte and of another, and gives the same bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cpu/harness.h"

#include "cpu/golden_read.h"

static unsigned char filling;

static void *allocate(void *self, size_t bytes, size_t alignment)
{
    void *block = NULL;
    (void)self;
    if (posix_memalign(&block, alignment < 16 ? 16 : alignment, bytes == 0 ? 1 : bytes) != 0) {
        return NULL;
    }
    memset(block, filling, bytes);
    return block;
}

static void release(void *self, void *block)
{
    (void)self;
    free(block);
}

static bool run_over(harness *h, const oribi_cpu_kernel *row, unsigned char byte)
{
    filling = byte;
    return harness_run(h, row);
}

static void compare_row(void *arg, const oribi_cpu_kernel *row)
{
    golden *g = arg;
    harness *h = &g->h;
    TF_Tensor *first[HARNESS_MOST];
    bool good = run_over(h, row, 0xa5);
    memcpy(first, h->outputs, sizeof first);
    memset(h->outputs, 0, sizeof h->outputs);
    good = run_over(h, row, 0x3c) == good;
    for (int i = 0; good && i < h->n_outputs; i++) {
        good =
            (first[i] == NULL) == (h->outputs[i] == NULL) &&
            (first[i] == NULL || (TF_TensorByteSize(first[i]) == TF_TensorByteSize(h->outputs[i]) &&
                                  memcmp(TF_TensorData(first[i]), TF_TensorData(h->outputs[i]),
                                         TF_TensorByteSize(first[i])) == 0));
    }
    for (int i = 0; i < HARNESS_MOST; i++) {
        TF_DeleteTensor(first[i]);
    }
    if (!good) {
        print_error("line %d: %s (%s, %d) shows what lay in memory before\n", g->line, row->op_name,
                    oribi_cpu_isa_name(row->isa), (int)row->priority);
        g->n_failures++;
    }
    g->n_runs++;
}

static void compare(golden *g)
{
    assert_true(harness_resolve(&g->h));
    (void)harness_each_row(&g->h, compare_row, g);
}

static void no_row_leaves_a_byte_as_it_was(void **state)
{
    golden g = {.visit = compare};
    (void)state;

    golden_read(TEST_SOURCE "/tests/cpu/golden.txt", &g);
    golden_read(TEST_SOURCE "/tests/cpu/golden_onnx.txt", &g);
    golden_read(TEST_SOURCE "/tests/cpu/golden_heavy.txt", &g);

    assert_true(g.n_runs > 1500);
    assert_int_equal(g.n_failures, 0);
}

int main(void)
{
    static const oribi_alloc_hooks hooks = {NULL, allocate, release};
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_row_leaves_a_byte_as_it_was)};
    oribi_alloc_set_hooks(&hooks);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
