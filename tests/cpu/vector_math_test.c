/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of elements over the whole range of floats, NaN, infinities, zeros and denormals among
 * them: every variant row against the reference row, which asks the C library in double.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cpu/harness.h"

enum { ROWS = 1024, COLUMNS = 1024, COUNT = ROWS * COLUMNS };

typedef struct function {
    const char *op, *attr, *text; /* a string attribute, or NULL */
    double relative;              /* bound of |got / true - 1| ... */
    double absolute;              /* ... and what is let pass in any case */
} function;

/* 1.2e-7 is a unit in the last place, or two. Gelu is exact to 3e-7 where it matters; its left tail
 * multiplies an error of the exponent. Sums that pass through 0 are off by units of their
 * terms; results below 1e-36 lose the bits that denormals on the way do not have. */
static const function functions[] = {
    {"Erf", NULL, NULL, 3e-7, 1e-44},
    {"Exp", NULL, NULL, 2e-7, 1e-44},
    {"Log", NULL, NULL, 2e-7, 0},
    {"Sigmoid", NULL, NULL, 4e-7, 1e-37},
    {"Tanh", NULL, NULL, 4e-7, 1e-44},
    {"Elu", NULL, NULL, 4e-7, 1e-44},
    {"Selu", NULL, NULL, 5e-7, 1e-44},
    {"Softplus", NULL, NULL, 4e-7, 1e-44},
    {"Softsign", NULL, NULL, 2e-7, 1e-44},
    {"Sqrt", NULL, NULL, 1e-7, 0},
    {"Rsqrt", NULL, NULL, 2e-7, 0},
    {"Reciprocal", NULL, NULL, 1e-7, 0},
    {"ONNX>HardSigmoid", NULL, NULL, 2e-7, 2e-7},
    {"ONNX>HardSwish", NULL, NULL, 2e-7, 6e-7},
    {"ONNX>Mish", NULL, NULL, 5e-7, 1e-36},
    {"ONNX>Swish", NULL, NULL, 4e-7, 2e-36},
    {"ONNX>Gelu", "approximate", "none", 1e-5, 1e-36},
    {"ONNX>Gelu", "approximate", "tanh", 1.2e-5, 1e-36},
};

typedef struct look {
    harness h;
    const function *f;
    const TF_Tensor *want;
    int n_rows, n_wrong;
} look;

static bool is_close(const function *f, float got, float want)
{
    return got == want || (got != got && want != want) ||
           fabs((double)got - (double)want) <= f->relative * fabs((double)want) + f->absolute;
}

static void compare(void *arg, const oribi_cpu_kernel *row)
{
    look *l = arg;
    if (row->priority <= ORIBI_CPU_MICRO) {
        return;
    }
    assert_true(harness_run(&l->h, row));
    const float *got = TF_TensorData(l->h.outputs[0]), *want = TF_TensorData(l->want);
    const float *x = TF_TensorData(l->h.inputs[0]);
    const float *y = l->h.n_inputs > 1 ? TF_TensorData(l->h.inputs[1]) : x;
    const bool is_one = l->h.n_inputs > 1 && TF_TensorElementCount(l->h.inputs[1]) == 1;
    for (int i = 0; i < COUNT; i++) {
        if (!is_close(l->f, got[i], want[i]) && l->n_wrong++ < 5) {
            print_error("%s, %s, of %.9g, %.9g: %.9g, expected %.9g\n", row->op_name,
                        oribi_cpu_isa_name(row->isa), (double)x[i], (double)y[is_one ? 0 : i],
                        (double)got[i], (double)want[i]);
        }
    }
    l->n_rows++;
}

/* Runs the reference row, then every variant. */
static void compare_rows(look *l)
{
    assert_true(harness_resolve(&l->h));
    const oribi_cpu_kernel *reference = harness_reference(&l->h);
    assert_non_null(reference);
    assert_true(harness_run(&l->h, reference));
    TF_Tensor *want = l->h.outputs[0];
    l->h.outputs[0] = NULL;
    l->want = want;
    (void)harness_each_row(&l->h, compare, l);
    TF_DeleteTensor(want);
    assert_true(l->n_rows > 0);
    assert_int_equal(l->n_wrong, 0);
    harness_destroy(&l->h);
}

/* Every 4096th pattern of bits, and what lies beside zero and infinity. */
static float float_at(uint32_t i)
{
    uint32_t bits = i << 12 | (i * 2654435761u >> 20);
    float x;
    bits = i % 32768 == 1 ? (i & 0x80000u) << 12 | 0x7f800000u : bits;
    bits = i % 32768 == 2 ? (i & 0x80000u) << 12 : bits;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void functions_of_one_operand_hold_over_all_floats(void **state)
{
    (void)state;
    static const int64_t dims[] = {ROWS, COLUMNS};
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        look l = {.f = &functions[k]};
        harness_init(&l.h, functions[k].op);
        if (functions[k].attr != NULL) {
            assert_true(oribi_attrs_set_string(&l.h.attrs, &l.h.arena, functions[k].attr,
                                               functions[k].text));
        }
        float *x = harness_input_floats(&l.h, 2, dims);
        for (uint32_t i = 0; i < COUNT; i++) {
            x[i] = float_at(i);
        }
        compare_rows(&l);
    }
}

static const float special[] = {0.0f,      -0.0f,      1.0f,         -1.0f,       2.0f,   -2.0f,
                                3.0f,      -3.0f,      0.5f,         -0.5f,       1e-45f, -1e-45f,
                                1e-40f,    3e38f,      -3e38f,       INFINITY,    NAN,    -INFINITY,
                                16777215,  16777216,   -8388607,     8388609,     2.5f,   33.0f,
                                4194305.5, 1.0000001f, 0.999999940f, -16777217.0f};
enum { N_SPECIAL = sizeof special / sizeof *special };

/* Which is the neighbour at most. Half of the exponents keep the power within the range of floats.
 */
static void powers_are_off_by_hardly_more_than_half_a_unit(void **state)
{
    (void)state;
    static const int64_t dims[] = {ROWS, COLUMNS};
    static const function power = {"Pow", NULL, NULL, 1.2e-7, 1.5e-45};
    look l = {.f = &power};
    harness_init(&l.h, "Pow");
    float *x = harness_input_floats(&l.h, 2, dims), *y = harness_input_floats(&l.h, 2, dims);
    for (uint32_t i = 0; i < COUNT; i++) {
        float within = (float)(((double)(i * 2654435761u) * 0x1p-32 - 0.5) * 176.0);
        x[i] = float_at(i);
        y[i] = i % 2 == 0 ? within / logf(fabsf(x[i])) : float_at(i * 2654435761u >> 12);
        y[i] = i % 4 == 0 ? rintf(y[i]) : y[i];
        if (i < N_SPECIAL * N_SPECIAL) {
            x[i] = special[i / N_SPECIAL];
            y[i] = special[i % N_SPECIAL];
        }
    }
    compare_rows(&l);
}

/* They have code of their own. */
static void powers_by_one_number_hold_over_all_floats(void **state)
{
    (void)state;
    static const int64_t dims[] = {ROWS, COLUMNS};
    static const float exponents[] = {2.0f,  3.0f, 1.0f,  0.0f, -1.0f,
                                      -2.0f, 0.5f, -0.5f, 4.0f, 1.7f};
    static const function power = {"Pow", NULL, NULL, 2.5e-7, 3e-45};
    for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++) {
        look l = {.f = &power};
        harness_init(&l.h, "Pow");
        float *x = harness_input_floats(&l.h, 2, dims);
        for (uint32_t i = 0; i < COUNT; i++) {
            x[i] = float_at(i);
        }
        float *y = harness_input_floats(&l.h, 2, (const int64_t[]){1, 1});
        *y = exponents[k];
        print_message("to the power of %g\n", (double)*y);
        compare_rows(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_one_operand_hold_over_all_floats),
        cmocka_unit_test(powers_are_off_by_hardly_more_than_half_a_unit),
        cmocka_unit_test(powers_by_one_number_hold_over_all_floats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
