/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of products with weights of 4 bits against the reference row: one row and many,
 * columns and depths that fill no panel or block, zero points, biases, rows that are rounded to
 * bytes, weights that are constant and such as are computed; on a pool to the same bits. And what
 * numbers that are none become. Numbers of ONNX Runtime are compared in cli.transformers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cpu/harness.h"
#include "cpu/hosted.h"

typedef struct bits_case {
    int64_t rows, depth, columns, block, level;
    bool has_zeros, has_bias, has_zero_bits;
} bits_case;

/* clang-format off */
static const bits_case cases[] = {
    {1, 1, 1, 16, 0, false, false, false},
    {1, 512, 64, 32, 0, false, false, false},
    {1, 515, 61, 32, 4, true, true, false},
    {1, 512, 80, 32, 4, false, false, false},
    {1, 300, 200, 32, 0, true, true, true},
    {1, 300, 200, 64, 4, false, true, false},
    {2, 96, 33, 32, 4, false, true, false},
    {3, 64, 16, 16, 4, true, false, true},
    {3, 64, 16, 16, 0, true, true, true},
    {4, 256, 48, 128, 4, false, false, false},
    {5, 700, 17, 256, 0, true, false, true},
    {7, 300, 100, 64, 4, true, true, true},
    {130, 1408, 40, 32, 4, false, true, false},
    {130, 1408, 40, 32, 0, false, false, false},
    {2, 40, 20, 8, 0, false, false, false},
    {3, 56, 20, 24, 4, false, false, false},
    {0, 32, 16, 32, 0, false, false, false},
};
/* clang-format on */

static uint32_t seed = 7;

static uint32_t next(void)
{
    seed = seed * 1664525U + 1013904223U;
    return seed >> 8;
}

static void numbers(harness *h, int rank, const int64_t *dims, float low, float high)
{
    float *data = harness_input_floats(h, rank, dims);
    for (int64_t i = 0; i < TF_TensorElementCount(h->inputs[h->n_inputs - 1]); i++) {
        data[i] = low + (high - low) * (float)next() * 0x1p-24F;
    }
}

static void begin(harness *h, const bits_case *c)
{
    const int64_t blocks = (c->depth - 1) / c->block + 1;
    const int64_t a[3] = {c->rows, 1, c->depth}, b[3] = {c->columns, blocks, c->block / 2};
    harness_init(h, "Oribi>MatMul4Bits");
    numbers(h, 3, a, -3, 3);
    uint8_t *bytes = harness_input(h, TF_UINT8, b, 3);
    for (int64_t i = 0; i < b[0] * b[1] * b[2]; i++) {
        bytes[i] = (uint8_t)next();
    }
    numbers(h, 2, b, 0.01F, 0.1F);
    if (c->has_zero_bits) {
        const int64_t dims[2] = {c->columns, (blocks + 1) / 2};
        bytes = harness_input(h, TF_UINT8, dims, 2);
        for (int64_t i = 0; i < dims[0] * dims[1]; i++) {
            bytes[i] = (uint8_t)next();
        }
    } else if (c->has_zeros) {
        numbers(h, 2, b, 0, 15);
    }
    if (c->has_bias) {
        numbers(h, 1, &c->columns, -9, 9);
    }
    assert_true(oribi_attrs_set_int(&h->attrs, &h->arena, "block_size", c->block));
    assert_true(oribi_attrs_set_int(&h->attrs, &h->arena, "accuracy_level", c->level));
    assert_true(oribi_attrs_set_int(&h->attrs, &h->arena, "n_zeros", c->has_zeros));
    assert_true(oribi_attrs_set_int(&h->attrs, &h->arena, "n_biases", c->has_bias));
    assert_true(oribi_attrs_set_type(&h->attrs, &h->arena, "Tzero",
                                     c->has_zero_bits ? TF_UINT8 : TF_FLOAT));
}

typedef struct trial {
    harness h;
    TF_Tensor *want;
    oribi_pool *pool;
    char what[64];
    int n_checked;
    bool rounds;
} trial;

static void check(void *arg, const oribi_cpu_kernel *row)
{
    trial *t = arg;
    const bool is_micro = row->label != NULL; /* which never rounds rows */
    if (row->priority == ORIBI_CPU_REFERENCE || (is_micro && t->rounds)) {
        return;
    }
    if (!harness_run(&t->h, row)) {
        fail_msg("%s, %s: %s", t->what, row->why, TF_Message(t->h.status));
    }
    assert_true(harness_close(t->h.outputs[0], t->want, row->tolerance, 9, t->what));
    TF_Tensor *got =
        TF_AllocateTensor(t->want->dtype, t->want->dims, t->want->rank, t->want->bytes);
    assert_non_null(got);
    assert_true(hosted_run(&t->h, row, false, false, t->pool, got) >= 0);
    assert_memory_equal(TF_TensorData(got), TF_TensorData(t->h.outputs[0]), t->want->bytes);
    TF_DeleteTensor(got);
    t->n_checked++;
}

/* The reference row, then all others, with computed weights and with constant ones. */
static void compare(trial *t)
{
    TF_Status *status = TF_NewStatus();
    t->pool = oribi_pool_create(3, status);
    assert_non_null(t->pool);
    assert_true(harness_resolve(&t->h));
    assert_true(harness_run(&t->h, harness_reference(&t->h)));
    t->want = t->h.outputs[0];
    t->h.outputs[0] = NULL;
    (void)harness_each_row(&t->h, check, t);
    const int n_computed = t->n_checked;
    assert_true(n_computed > 0);
    t->h.constants = 0xe; /* weights, scales, zero points */
    t->h.view.constant_input = harness_constant_input;
    t->h.view.dense_constant = harness_dense_constant;
    t->h.view.arg = &t->h;
    (void)harness_each_row(&t->h, check, t);
    assert_int_equal(t->n_checked, 2 * n_computed);
    oribi_pool_release(t->pool);
    TF_DeleteStatus(status);
}

static void finish(trial *t)
{
    TF_DeleteTensor(t->want);
    harness_destroy(&t->h);
}

static void variants_agree_with_the_reference(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trial t = {.rounds = cases[i].level == 4};
        begin(&t.h, &cases[i]);
        (void)snprintf(t.what, sizeof t.what, "case %d", (int)i);

        compare(&t);

        finish(&t);
    }
}

/* A row is rounded in steps of its largest number: 127 of them, and ties go to the even one. */
static void a_rounded_row_is_what_its_steps_are(void **state)
{
    const bits_case c = {1, 8, 1, 8, 4, false, false, false};
    static const float x[8] = {127, 0.5F, 1.5F, -2.5F, 0.49F, -126.6F, 0, 3};
    static const uint8_t weights[4] = {0x99, 0x99, 0x99, 0x99}; /* ones: 9 less the zero point */
    (void)state;
    trial t = {.rounds = true, .what = "steps"};
    begin(&t.h, &c);
    memcpy(TF_TensorData(t.h.inputs[0]), x, sizeof x);
    memcpy(TF_TensorData(t.h.inputs[1]), weights, sizeof weights);
    *(float *)TF_TensorData(t.h.inputs[2]) = 2;

    compare(&t);

    assert_true(*(float *)TF_TensorData(t.want) == 2 * (127 + 0 + 2 - 2 + 0 - 127 + 0 + 3));
    finish(&t);
}

static void a_number_that_is_none_spoils_its_row_alone(void **state)
{
    (void)state;
    for (int level = 0; level <= 4; level += 4) {
        const bits_case c = {3, 64, 20, 32, level, false, false, false};
        trial t = {.rounds = level == 4, .what = "NaN"};
        begin(&t.h, &c);
        ((float *)TF_TensorData(t.h.inputs[0]))[64 + 40] = NAN;

        compare(&t);

        const float *want = TF_TensorData(t.want);
        for (int i = 0; i < 60; i++) {
            assert_true(isnan(want[i]) == (i >= 20 && i < 40));
        }
        finish(&t);
    }
}

static void inputs_that_do_not_fit_are_refused(void **state)
{
    const bits_case c = {2, 64, 20, 32, 0, true, true, false};
    const int64_t wrong[3] = {19, 2, 15};
    (void)state;
    for (int input = 0; input < 5; input++) {
        trial t = {.what = "misfit"};
        begin(&t.h, &c);
        TF_DeleteTensor(t.h.inputs[input]);
        t.h.inputs[input] = TF_AllocateTensor(input == 1 ? TF_UINT8 : TF_FLOAT, wrong,
                                              input == 1   ? 3
                                              : input == 4 ? 1
                                                           : 2,
                                              19 * 2 * 15 * sizeof(float));
        memset(TF_TensorData(t.h.inputs[input]), 0, TF_TensorByteSize(t.h.inputs[input]));
        assert_true(harness_resolve(&t.h));
        for (const oribi_cpu_family *f = oribi_cpu_families; f->name != NULL; f++) {
            for (const oribi_cpu_kernel *row = f->kernels; row->op_name != NULL; row++) {
                if (harness_row_fits(&t.h, row)) {
                    if (harness_run(&t.h, row)) {
                        fail_msg("%s takes a wrong input %d", row->why, input);
                    }
                    assert_int_equal(TF_GetCode(t.h.status), TF_INVALID_ARGUMENT);
                }
            }
        }
        harness_destroy(&t.h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variants_agree_with_the_reference),
        cmocka_unit_test(a_rounded_row_is_what_its_steps_are),
        cmocka_unit_test(a_number_that_is_none_spoils_its_row_alone),
        cmocka_unit_test(inputs_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
