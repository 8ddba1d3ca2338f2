/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of attention against the reference row: lengths of one, odd heads and head sizes,
 * several blocks of keys, masks of floats and bools that broadcast, causal ones, shared heads of
 * keys, every layout, spans, windows, sinks; on a pool to the same bits. And the reference row
 * against numbers of NumPy, and what masks, infinities and NaN must do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cpu/harness.h"
#include "cpu/hosted.h"

typedef enum mask_kind { NONE, FLOATS, BOOLS } mask_kind;

typedef struct attention_case {
    int64_t batch, heads, shared, queries, keys, depth, width; /* shared: heads of keys */
    const char *layouts[4];                                    /* query, key, value, output */
    mask_kind mask;
    int mask_rank;
    int64_t mask_dims[4];
    float softcap;
    bool is_causal;
    int64_t causal_offset;
} attention_case;

#define HEADS_FIRST                                                                                \
    {                                                                                              \
        "BHSD", "BHSD", "BHSD", "BHSD"                                                             \
    }
#define HEADS_INSIDE                                                                               \
    {                                                                                              \
        "BSHD", "BSHD", "BSHD", "BSHD"                                                             \
    }

/* Of three batches: keys that count, the place of the first query. */
static const int64_t behind[6] = {40, 37, 20, 17, 3, 0};
static const int64_t nowhere[6] = {0, 0, INT64_MAX, INT64_MIN, -7, INT64_MAX};

/* clang-format off */
static const attention_case cases[] = {
    {1, 1, 1, 1, 1, 1, 1, HEADS_FIRST, NONE, 0, {0}, 0, false, 0},
    {1, 12, 12, 16, 16, 32, 32, HEADS_INSIDE, FLOATS, 4, {1, 1, 1, 16}, 0, false, 0},
    {2, 3, 3, 7, 5, 9, 11, {"BHSD", "BHDS", "BSHD", "BSHD"}, NONE, 0, {0}, 0, false, 0},
    {1, 5, 5, 1, 77, 33, 17, HEADS_FIRST, BOOLS, 2, {1, 77}, 0, false, 0},
    {3, 4, 2, 50, 131, 8, 24, HEADS_INSIDE, FLOATS, 4, {3, 1, 50, 1}, 0, false, 0},
    {1, 6, 1, 49, 97, 64, 64, {"BSHD", "BHSD", "BHDS", "BHSD"}, BOOLS, 4, {1, 6, 49, 97}, 0, false, 0},
    {1, 2, 2, 129, 129, 16, 16, HEADS_FIRST, NONE, 0, {0}, 0, true, 0},
    {1, 2, 2, 9, 1100, 20, 40, HEADS_INSIDE, NONE, 0, {0}, 0, true, 1091},
    {2, 1, 1, 60, 1030, 32, 32, HEADS_FIRST, FLOATS, 3, {1, 60, 1030}, 0, false, 0},
    {1, 1, 1, 100, 700, 200, 3, HEADS_FIRST, FLOATS, 1, {700}, 5, true, 400},
    {1, 3, 3, 10, 64, 300, 96, HEADS_FIRST, BOOLS, 4, {1, 1, 1, 64}, 2, false, 0},
    {1, 2, 2, 5, 6, 4, 4, HEADS_FIRST, NONE, 0, {0}, 0, true, -3},
    {1, 4, 2, 1, 1300, 64, 64, HEADS_FIRST, NONE, 0, {0}, 0, true, 1299},
    {2, 4, 1, 3, 1111, 37, 29, {"BSHD", "BHDS", "BHDS", "BSHD"}, FLOATS, 4, {1, 1, 3, 1111}, 3, true, 1100},
    {1, 2, 2, 4, 700, 20, 9, {"BHSD", "BSHD", "BSHD", "BHSD"}, BOOLS, 2, {4, 700}, 0, true, 650},
    {1, 2, 2, 5, 0, 4, 4, HEADS_FIRST, NONE, 0, {0}, 0, false, 0},
    {0, 2, 2, 5, 6, 4, 4, HEADS_FIRST, NONE, 0, {0}, 0, false, 0},
    {1, 2, 2, 5, 6, 0, 4, HEADS_FIRST, FLOATS, 2, {5, 6}, 0, false, 0},
};

static const struct limited_case {
    attention_case all;
    int64_t left_window;
    const int64_t *spans; /* of each batch */
    bool has_sinks;
} limited_cases[] = {
    {{1, 2, 2, 70, 1100, 32, 32, HEADS_FIRST, NONE, 0, {0}, 0, true, 1030}, 600, NULL, false},
    {{1, 2, 2, 90, 90, 16, 16, HEADS_FIRST, NONE, 0, {0}, 0, false, 0}, 7, NULL, false},
    {{3, 4, 2, 3, 40, 16, 16, {"BSHD", "BHSD", "BHSD", "BSHD"}, NONE, 0, {0}, 0, true, 0}, -1, behind, false},
    {{3, 4, 2, 3, 40, 16, 16, HEADS_FIRST, FLOATS, 4, {1, 4, 3, 40}, 2, true, 0}, 5, behind, true},
    {{3, 4, 2, 3, 60, 16, 16, HEADS_FIRST, FLOATS, 4, {3, 1, 3, 40}, 0, false, 0}, -1, behind, true},
    {{1, 2, 1, 5, 900, 64, 64, HEADS_FIRST, NONE, 0, {0}, 0, true, 895}, -1, NULL, true},
    {{3, 1, 1, 4, 5, 4, 4, HEADS_FIRST, NONE, 0, {0}, 0, true, 0}, 2, nowhere, true},
};
/* clang-format on */

static uint32_t seed = 12345;

static float number(void)
{
    seed = seed * 1664525U + 1013904223U;
    return (float)(seed >> 8) * 0x1p-23F - 1.0F;
}

static void operand(harness *h, const char *layout, int64_t batch, int64_t heads, int64_t rows,
                    int64_t columns)
{
    const int64_t sizes[4] = {batch, heads, rows, columns};
    int64_t dims[4];
    for (int axis = 0; axis < 4; axis++) {
        dims[strchr(layout, "BHSD"[axis]) - layout] = sizes[axis];
    }
    float *data = harness_input_floats(h, 4, dims);
    for (int64_t i = 0; i < batch * heads * rows * columns; i++) {
        data[i] = 2 * number();
    }
}

static void mask(harness *h, const attention_case *c)
{
    int64_t count = 1;
    for (int i = 0; i < c->mask_rank; i++) {
        count *= c->mask_dims[i];
    }
    if (c->mask == BOOLS) {
        bool *data = harness_input(h, TF_BOOL, c->mask_dims, c->mask_rank);
        for (int64_t i = 0; i < count; i++) {
            data[i] = number() > -0.5F;
        }
    } else if (c->mask == FLOATS) {
        float *data = harness_input_floats(h, c->mask_rank, c->mask_dims);
        for (int64_t i = 0; i < count; i++) {
            const float x = number();
            data[i] = x < -0.8F ? -INFINITY : x < -0.6F ? -40.0F : 3 * x;
        }
    }
}

static void begin(harness *h, const attention_case *c)
{
    static const char *const names[4] = {"query_layout", "key_layout", "value_layout",
                                         "output_layout"};
    harness_init(h, "Oribi>Attention");
    operand(h, c->layouts[0], c->batch, c->heads, c->queries, c->depth);
    operand(h, c->layouts[1], c->batch, c->shared, c->keys, c->depth);
    operand(h, c->layouts[2], c->batch, c->shared, c->keys, c->width);
    mask(h, c);
    for (int i = 0; i < 4; i++) {
        assert_true(oribi_attrs_set_string(&h->attrs, &h->arena, names[i], c->layouts[i]));
    }
    assert_true(oribi_attrs_set_int(&h->attrs, &h->arena, "N", c->mask == NONE ? 0 : 1));
    assert_true(oribi_attrs_set_float(&h->attrs, &h->arena, "softcap", c->softcap));
    assert_true(oribi_attrs_set_bool(&h->attrs, &h->arena, "is_causal", c->is_causal));
    assert_true(oribi_attrs_set_int(&h->attrs, &h->arena, "causal_offset", c->causal_offset));
}

typedef struct trial {
    harness h;
    TF_Tensor *want;
    oribi_pool *pool;
    char what[64];
    int n_checked;
} trial;

static void check(void *arg, const oribi_cpu_kernel *row)
{
    trial *t = arg;
    if (row->priority == ORIBI_CPU_REFERENCE) {
        return;
    }
    assert_true(harness_run(&t->h, row));
    assert_true(harness_close(t->h.outputs[0], t->want, row->tolerance, 1.0, t->what));
    TF_Tensor *got =
        TF_AllocateTensor(t->want->dtype, t->want->dims, t->want->rank, t->want->bytes);
    assert_non_null(got);
    assert_true(hosted_run(&t->h, row, false, false, t->pool, got) >= 0);
    assert_memory_equal(TF_TensorData(got), TF_TensorData(t->h.outputs[0]), t->want->bytes);
    TF_DeleteTensor(got);
    t->n_checked++;
}

static void reference(trial *t)
{
    assert_true(harness_resolve(&t->h));
    const oribi_cpu_kernel *row = harness_reference(&t->h);
    assert_non_null(row);
    if (!harness_run(&t->h, row)) {
        fail_msg("%s: %s", t->what, TF_Message(t->h.status));
    }
    t->want = t->h.outputs[0];
    t->h.outputs[0] = NULL;
}

/* All rows, alone and on a pool, against the reference row; the caller reads t->want. */
static void compare(trial *t)
{
    TF_Status *status = TF_NewStatus();
    t->pool = oribi_pool_create(3, status);
    assert_non_null(t->pool);
    reference(t);
    (void)harness_each_row(&t->h, check, t);
    assert_true(t->n_checked > 0);
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
        trial t = {.pool = NULL};
        begin(&t.h, &cases[i]);
        (void)snprintf(t.what, sizeof t.what, "case %d", (int)i);

        compare(&t);

        finish(&t);
    }
}

static void add_limits(harness *h, const struct limited_case *c)
{
    const int64_t dims[2] = {c->all.batch, 2};
    oribi_attrs *attrs = &h->attrs;
    if (c->spans != NULL) {
        memcpy(harness_input(h, TF_INT64, dims, 2), c->spans,
               (size_t)c->all.batch * 2 * sizeof *c->spans);
    }
    if (c->has_sinks) {
        float *sinks = harness_input_floats(h, 1, &c->all.heads);
        for (int64_t i = 0; i < c->all.heads; i++) {
            sinks[i] = 3 * number();
        }
    }
    assert_true(oribi_attrs_set_int(attrs, &h->arena, "n_spans", c->spans != NULL));
    assert_true(oribi_attrs_set_int(attrs, &h->arena, "n_sinks", c->has_sinks));
    assert_true(oribi_attrs_set_int(attrs, &h->arena, "left_window", c->left_window));
}

static void spans_windows_and_sinks_agree(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof limited_cases / sizeof limited_cases[0]; i++) {
        trial t = {.pool = NULL};
        begin(&t.h, &limited_cases[i].all);
        add_limits(&t.h, &limited_cases[i]);
        (void)snprintf(t.what, sizeof t.what, "limited case %d", (int)i);

        compare(&t);

        finish(&t);
    }
}

static void shapes_at_random_agree(void **state)
{
    static const char *const layouts[3] = {"BHSD", "BSHD", "BHDS"};
    (void)state;
    for (int i = 0; i < 60; i++) {
        attention_case c = {.batch = 1 + i % 3, .shared = 1 + i % 2, .queries = 1 + i * 7 % 61};
        c.heads = c.shared * (1 + i % 4);
        c.keys = 1 + i * 13 % 90;
        c.depth = 1 + i * 5 % 47;
        c.width = 1 + i * 11 % 53;
        c.layouts[0] = layouts[i % 2];
        c.layouts[1] = layouts[i % 3];
        c.layouts[2] = layouts[(i + 1) % 3];
        c.layouts[3] = layouts[(i + 1) % 2];
        c.mask = (mask_kind)(i % 3);
        c.mask_rank = i % 5;
        const int64_t scores[4] = {c.batch, c.heads, c.queries, c.keys};
        for (int k = 0; k < c.mask_rank; k++) {
            c.mask_dims[k] = (i >> k) % 2 == 0 ? 1 : scores[4 - c.mask_rank + k];
        }
        c.is_causal = i % 4 == 1;
        c.causal_offset = i % 9 - 2;
        trial t = {.pool = NULL};
        begin(&t.h, &c);
        (void)snprintf(t.what, sizeof t.what, "random shape %d", i);

        compare(&t);

        finish(&t);
    }
}

/* One head of two queries, three keys; numbers of NumPy in double (float64):
 *     q = [[1, 2], [-1, .5]]; k = [[1, 0], [0, 1], [1, 1]]; v = [[1, -1], [2, 0], [4, 3]]
 *     s = q @ k.T / sqrt(2) (+ mask); p = exp(s - s.max(1)); p / p.sum(1) @ v
 */
static const float q_data[4] = {1, 2, -1, 0.5F}, k_data[6] = {1, 0, 0, 1, 1, 1},
                   v_data[6] = {1, -1, 2, 0, 4, 3};

static void small(trial *t, const char *what, const float *scores_mask, bool is_safe)
{
    const attention_case c = {1, 1, 1, 2, 3, 2, 2, HEADS_FIRST, NONE, 0, {0}, 0, false, 0};
    const int64_t dims[2] = {2, 3};
    memset(t, 0, sizeof *t);
    begin(&t->h, &c);
    memcpy(TF_TensorData(t->h.inputs[0]), q_data, sizeof q_data);
    memcpy(TF_TensorData(t->h.inputs[1]), k_data, sizeof k_data);
    memcpy(TF_TensorData(t->h.inputs[2]), v_data, sizeof v_data);
    if (scores_mask != NULL) {
        memcpy(harness_input_floats(&t->h, 2, dims), scores_mask, 6 * sizeof(float));
        assert_true(oribi_attrs_set_int(&t->h.attrs, &t->h.arena, "N", 1));
    }
    assert_true(oribi_attrs_set_bool(&t->h.attrs, &t->h.arena, "safe_softmax", is_safe));
    (void)snprintf(t->what, sizeof t->what, "%s", what);
    compare(t);
}

static void expect(const trial *t, const float want[4])
{
    const float *is = TF_TensorData(t->want);
    for (int i = 0; i < 4; i++) {
        if (!(is[i] == want[i] || (isnan(is[i]) && isnan(want[i])) ||
              fabsf(is[i] - want[i]) <= 1e-5F)) {
            fail_msg("%s: element %d is %g, not %g", t->what, i, (double)is[i], (double)want[i]);
        }
    }
}

static void numbers_are_those_of_numpy(void **state)
{
    (void)state;
    trial t;
    small(&t, "no mask", NULL, true);
    expect(&t, (const float[4]){3.01192145F, 1.58789679F, 2.34791043F, 0.61598514F});
    finish(&t);
    small(&t, "a mask", (const float[6]){0, -1, 2, -INFINITY, 0.5F, 0}, true);
    expect(&t, (const float[4]){3.86022639F, 2.80589694F, 2.46042675F, 0.69064012F});
    finish(&t);
}

static void a_query_that_sees_no_key_gives_zeros_or_nan(void **state)
{
    static const float none[6] = {-INFINITY, -INFINITY, -INFINITY, 0, -INFINITY, -INFINITY};
    (void)state;
    trial t;
    small(&t, "safe", none, true);
    expect(&t, (const float[4]){0, 0, 1, -1});
    finish(&t);
    small(&t, "as a softmax", none, false);
    expect(&t, (const float[4]){NAN, NAN, 1, -1});
    finish(&t);
}

static void a_nan_stays_in_its_row(void **state)
{
    static const float one[6] = {-INFINITY, NAN, -INFINITY, -INFINITY, -INFINITY, 0};
    (void)state;
    trial t;
    small(&t, "NaN", one, true);
    expect(&t, (const float[4]){NAN, NAN, 4, 3});
    finish(&t);
}

/* The first block is masked as a whole, later ones are far below zero: no share may come from where
 * nothing was seen. */
static void a_masked_block_counts_for_nothing(void **state)
{
    const attention_case c = {1, 1, 1, 3, 1200, 8, 8, HEADS_FIRST, FLOATS, 1, {1200}, 0, false, 0};
    (void)state;
    trial t = {.what = "a masked block"};
    begin(&t.h, &c);
    float *data = TF_TensorData(t.h.inputs[3]);
    for (int i = 0; i < 1200; i++) {
        data[i] = i < 600 ? -INFINITY : i < 1100 ? -400.0F : -200.0F;
    }
    compare(&t);
    finish(&t);
}

static void shapes_that_do_not_fit_are_refused(void **state)
{
    static const attention_case bad[] = {
        {1, 3, 2, 4, 4, 4, 4, HEADS_FIRST, NONE, 0, {0}, 0, false, 0},
        {1, 2, 2, 4, 4, 4, 4, HEADS_FIRST, FLOATS, 2, {3, 4}, 0, false, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        harness h;
        begin(&h, &bad[i]);
        assert_true(harness_resolve(&h));
        assert_false(harness_run(&h, harness_reference(&h)));
        assert_int_equal(TF_GetCode(h.status), TF_INVALID_ARGUMENT);
        harness_destroy(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variants_agree_with_the_reference),
        cmocka_unit_test(spans_windows_and_sinks_agree),
        cmocka_unit_test(shapes_at_random_agree),
        cmocka_unit_test(numbers_are_those_of_numpy),
        cmocka_unit_test(a_query_that_sees_no_key_gives_zeros_or_nan),
        cmocka_unit_test(a_nan_stays_in_its_row),
        cmocka_unit_test(a_masked_block_counts_for_nothing),
        cmocka_unit_test(shapes_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
