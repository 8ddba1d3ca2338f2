/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant row against the reference row of its op on random inputs: plain, in place of an
 * input, with a row stride, and on a pool. The rows drive it: how inputs are made follows from the
 * op's traits, or from a recipe here; a variant of an op with neither fails the test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cpu/harness.h"
#include "cpu/hosted.h"
#include "op/traits.h"

static uint64_t seed = 88172645463325252u;

static uint64_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static float uniform(float low, float high)
{
    return low + (high - low) * (float)(next() >> 40) * 0x1p-24f;
}

static float *floats(harness *h, int rank, const int64_t *dims, float low, float high)
{
    float *data = harness_input_floats(h, rank, dims);
    int64_t n = TF_TensorElementCount(h->inputs[h->n_inputs - 1]);
    for (int64_t i = 0; i < n; i++) {
        data[i] = uniform(low, high);
    }
    return data;
}

typedef enum kind {
    UNARY,
    POSITIVE,
    BINARY,
    POOL,
    BIAS,
    ADD_N,
    CLIP,
    NORM,
    BATCH,
    LRN,
    ROWS, /* with two vectors, one or none */
    REDUCE
} kind;

/* How to make inputs for an op; scale: see harness_close. */
typedef struct recipe {
    const char *op;
    kind kind;
    float low, high;
    double scale;
    bool in_place; /* some shape must be computed in place */
} recipe;

/* Of ops whose traits do not tell, or whose functions want other ranges than from -9 to 9. */
static const recipe recipes[] = {
    {"Sqrt", POSITIVE, 0, 9, 0, true},
    {"Rsqrt", POSITIVE, 0.001f, 9, 0, true},
    {"Pow", BINARY, 0.5f, 4, 0, true},
    {"Oribi>BiasGelu", BINARY, -9, 9, 9, true},
    {"ONNX>HardSwish", UNARY, -9, 9, 9, true},
    {"ONNX>HardSigmoid", UNARY, -9, 9, 1, true},
    {"ONNX>Mish", UNARY, -60, 30, 0, true},
    {"ONNX>Swish", UNARY, -60, 30, 0, true},
    {"ONNX>Gelu", UNARY, -9, 9, 1, true},
    {"Erf", UNARY, -5, 5, 0, true},
    {"Exp", UNARY, -103, 89, 1e-37, true},
    {"Log", POSITIVE, 0, 30, 0, true},
    {"Sigmoid", UNARY, -90, 90, 1e-30, true},
    {"Elu", UNARY, -30, 9, 0, true},
    {"Selu", UNARY, -30, 9, 0, true},
    {"Softplus", UNARY, -90, 90, 1e-30, true},
    {"BiasAdd", BIAS, -9, 9, 0, true},
    {"AddN", ADD_N, -9, 9, 0, true},
    {"ClipByValue", CLIP, -9, 9, 0, true},
    {"MaxPool", POOL, -9, 9, 0, false},
    {"AvgPool", POOL, -9, 9, 9, false},
    {"Oribi>AvgPool", POOL, -9, 9, 9, false},
    {"Softmax", NORM, -60, 60, 1e-30, true},
    {"LogSoftmax", NORM, -20, 20, 9, true},
    {"LRN", LRN, -9, 9, 0, false},
    {"Oribi>LayerNorm", ROWS, -9, 9, 9, true},
    {"Oribi>RmsNorm", ROWS, -9, 9, 9, true},
    {"FusedBatchNormV3", BATCH, -9, 9, 9, true},
    {"_FusedBatchNormEx", BATCH, -9, 9, 9, true},
    {"Sum", REDUCE, -9, 9, 900, false},
    {"Prod", REDUCE, 0.9f, 1.1f, 0, false},
};

/* False: neither the table nor the op's traits say how. */
static bool find_recipe(const char *name, recipe *out)
{
    harness_ops();
    const oribi_op_def *op = oribi_op_find(name);
    const oribi_attrs none = {0};
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++) {
        if (strcmp(recipes[i].op, name) == 0) {
            *out = recipes[i];
            return true;
        }
    }
    if (op != NULL && oribi_op_is(op, &none, ORIBI_TRAIT_ELEMENTWISE) && op->n_inputs <= 2) {
        *out = (recipe){name, op->n_inputs == 1 ? UNARY : BINARY, -9, 9, 0, true};
        return true;
    }
    if (op != NULL && oribi_op_is(op, &none, ORIBI_TRAIT_ALONG) && op->n_inputs == 1) {
        *out = (recipe){name, NORM, -20, 20, 0, true};
        return true;
    }
    *out = (recipe){name, REDUCE, -9, 9, 9, false};
    return op != NULL && oribi_op_is(op, &none, ORIBI_TRAIT_REDUCES);
}

enum { SHAPES = 8 };
static const int64_t shapes[SHAPES][4] = {{1, 1, 1, 1},    {1, 3, 5, 7},   {2, 9, 4, 33},
                                          {1, 40, 30, 64}, {3, 1, 7, 515}, {1, 200, 150, 3},
                                          {2, 0, 3, 4},    {1, 3, 901, 2}};

static void window_attrs(harness *h, int turn)
{
    const int64_t kernel[4] = {1, 1 + turn % 3, 1 + (turn + 1) % 3, 1};
    const int64_t strides[4] = {1, 1 + turn % 2, 1 + turn / 2 % 2, 1};
    assert_true(oribi_attrs_set_ints(&h->attrs, &h->arena, "ksize", kernel, 4));
    assert_true(oribi_attrs_set_ints(&h->attrs, &h->arena, "strides", strides, 4));
    assert_true(oribi_attrs_set_string(&h->attrs, &h->arena, "padding", "SAME"));
}

/* Inputs beyond the first, and attributes. */
static void fill(harness *h, const recipe *r, const int64_t *shape, int turn)
{
    static const int32_t axes[3][3] = {{3, 0, 0}, {1, 2, 0}, {0, 1, 3}};
    int64_t channels = shape[3];
    (void)floats(h, 4, shape, r->low, r->high);
    switch (r->kind) {
    case BINARY: {
        int64_t other[4] = {turn % 2 ? 1 : shape[0], turn % 3 ? shape[1] : 1,
                            turn % 4 ? shape[2] : 1, turn % 5 ? shape[3] : 1};
        (void)floats(h, turn == 4 ? 0 : 4, other, r->low, r->high);
        break;
    }
    case BIAS:
        (void)floats(h, 1, &channels, -1, 1);
        break;
    case ADD_N:
        (void)floats(h, 4, shape, r->low, r->high);
        (void)floats(h, 4, shape, r->low, r->high);
        break;
    case CLIP:
        (void)floats(h, 0, NULL, -5, -1);
        (void)floats(h, 0, NULL, 1, 5);
        break;
    case POOL:
        window_attrs(h, turn);
        break;
    case LRN:
        assert_true(oribi_attrs_set_int(&h->attrs, &h->arena, "depth_radius", turn));
        assert_true(oribi_attrs_set_float(&h->attrs, &h->arena, "beta", turn % 2 ? 0.75f : 0.6f));
        break;
    case ROWS:
        for (int i = 0; i < turn % 3; i++) {
            (void)floats(h, 1, &channels, -2, 2);
        }
        assert_true(oribi_attrs_set_int(&h->attrs, &h->arena, "N", turn % 3));
        break;
    case BATCH:
        for (int i = 0; i < 3; i++) {
            (void)floats(h, 1, &channels, -2, 2);
        }
        (void)floats(h, 1, &channels, 0.1f, 2);
        assert_true(oribi_attrs_set_bool(&h->attrs, &h->arena, "is_training", false));
        if (h->op[0] == '_') {
            assert_true(oribi_attrs_set_string(&h->attrs, &h->arena, "activation_mode", "Relu"));
            if (turn % 2 == 1) {
                (void)floats(h, 4, shape, -2, 2);
                assert_true(oribi_attrs_set_int(&h->attrs, &h->arena, "num_side_inputs", 1));
            }
        }
        break;
    case REDUCE:
        harness_input_ints(h, turn % 3 == 0 ? 1 : turn % 3 == 1 ? 2 : 3, axes[turn % 3]);
        break;
    default:
        break;
    }
}

typedef struct trial {
    harness h;
    const recipe *recipe;
    TF_Tensor *want;
    oribi_pool *pool;
    int n_checked, n_in_place;
    char what[96];
} trial;

static void check(void *arg, const oribi_cpu_kernel *row)
{
    trial *t = arg;
    if (row->priority == ORIBI_CPU_REFERENCE && row->strided_outputs == 0) {
        return;
    }
    TF_Tensor *got =
        TF_AllocateTensor(t->want->dtype, t->want->dims, t->want->rank, t->want->bytes);
    assert_non_null(got);
    assert_true(harness_run(&t->h, row));
    assert_true(harness_close(t->h.outputs[0], t->want, row->tolerance, t->recipe->scale, t->what));
    for (int mode = 0; mode < 4; mode++) {
        bool strided = mode % 2 == 1 && row->strided_outputs != 0;
        int n =
            hosted_run(&t->h, row, mode >= 2 && !strided, strided, mode == 0 ? NULL : t->pool, got);
        if (n < 0) {
            print_error("%s: %s\n", t->what, TF_Message(t->h.status));
        }
        assert_true(n >= 0);
        t->n_in_place += n;
        assert_true(harness_close(got, t->want, row->tolerance, t->recipe->scale, t->what));
    }
    TF_DeleteTensor(got);
    t->n_checked++;
}

static void run_recipe(const recipe *r, oribi_pool *pool)
{
    int n_in_place = 0;
    for (int turn = 0; turn < SHAPES; turn++) {
        trial t = {.recipe = r, .pool = pool};
        harness_init(&t.h, r->op);
        (void)snprintf(t.what, sizeof t.what, "%s, shape %d", r->op, turn);
        fill(&t.h, r, shapes[turn], turn);
        assert_true(harness_resolve(&t.h));
        const oribi_cpu_kernel *reference = harness_reference(&t.h);
        assert_non_null(reference);
        if (!harness_run(&t.h, reference)) {
            fail_msg("%s: %s", t.what, TF_Message(t.h.status));
        }
        t.want = t.h.outputs[0];
        t.h.outputs[0] = NULL;
        (void)harness_each_row(&t.h, check, &t);
        assert_true(t.n_checked > 0);
        n_in_place += t.n_in_place;
        TF_DeleteTensor(t.want);
        harness_destroy(&t.h);
    }
    if ((n_in_place > 0) != r->in_place) {
        fail_msg("%s: %d runs in place", r->op, n_in_place);
    }
}

/* Families of convolutions, products and sums of int8 have tests of their own; recurrent layers
 * have onnx_recurrent_test.c and compile/float_test.py, floats to bytes and back bytes_test.c,
 * attention attention_test.c. */
static bool is_elsewhere(const char *op)
{
    static const char *const of_bytes[] = {
        "ONNX>QuantizeLinear", "ONNX>DequantizeLinear", "ONNX>QLinearSoftmax",
        "Oribi>ThroughBytes",  "ONNX>QLinearAdd",       "ONNX>QLinearMul",
        "ONNX>QLinearMaxPool", "ONNX>QLinearTable",     "ONNX>DynamicQuantizeLinear",
        "Oribi>RowsToBytes"};
    /* the last two: below */
    for (size_t i = 0; i < sizeof of_bytes / sizeof of_bytes[0]; i++) {
        if (strcmp(op, of_bytes[i]) == 0) {
            return true;
        }
    }
    return strstr(op, "Conv") != NULL || strstr(op, "MatMul") != NULL ||
           strstr(op, "Gemm") != NULL || strcmp(op, "Oribi>QFullyConnected") == 0 ||
           strstr(op, "LSTM") != NULL || strstr(op, "Lstm") != NULL || strstr(op, "Rnn") != NULL ||
           strcmp(op, "Oribi>Svdf") == 0 || strcmp(op, "ONNX>GRU") == 0 ||
           strcmp(op, "ONNX>RNN") == 0 || strcmp(op, "Oribi>Attention") == 0 ||
           strcmp(op, "Oribi>QAdd") == 0 || strcmp(op, "Oribi>QSub") == 0 ||
           strcmp(op, "Oribi>QMul") == 0 || strcmp(op, "Oribi>QUnary") == 0;
}

static void every_variant_agrees_with_its_reference(void **state)
{
    enum { MOST_OPS = 200 };
    const char *names[MOST_OPS];
    int n_names = 0;
    TF_Status *status = TF_NewStatus();
    oribi_pool *pool = oribi_pool_create(3, status);
    (void)state;
    assert_non_null(pool);

    for (const oribi_cpu_family *family = oribi_cpu_families; family->name != NULL; family++) {
        for (const oribi_cpu_kernel *row = family->kernels; row->op_name != NULL; row++) {
            bool is_done = row->priority == ORIBI_CPU_REFERENCE || is_elsewhere(row->op_name);
            for (int i = 0; i < n_names; i++) {
                is_done = is_done || strcmp(names[i], row->op_name) == 0;
            }
            recipe r;
            if (is_done) {
                continue;
            }
            if (!find_recipe(row->op_name, &r)) {
                fail_msg("the variant of %s in %s is compared with nothing", row->op_name,
                         family->name);
            }
            run_recipe(&r, pool);
            assert_true(n_names < MOST_OPS);
            names[n_names++] = row->op_name;
        }
    }
    assert_true(n_names > 40);

    oribi_pool_release(pool);
    TF_DeleteStatus(status);
}

/* Rows by a vector, on a pool whose blocks begin in the middle of a row. */
static void a_vector_meets_every_row_of_a_matrix(void **state)
{
    static const recipe r = {"Sub", BINARY, -9, 9, 0, true};
    const int64_t matrix[2] = {1203, 77}, vector[1] = {77};
    TF_Status *status = TF_NewStatus();
    oribi_pool *pool = oribi_pool_create(3, status);
    (void)state;
    assert_non_null(pool);

    for (int side = 0; side < 2; side++) {
        trial t = {.recipe = &r, .pool = pool};
        harness_init(&t.h, r.op);
        (void)snprintf(t.what, sizeof t.what, "a vector on side %d", side);
        for (int i = 0; i < 2; i++) {
            (void)floats(&t.h, i == side ? 1 : 2, i == side ? vector : matrix, r.low, r.high);
        }
        assert_true(harness_resolve(&t.h));
        assert_true(harness_run(&t.h, harness_reference(&t.h)));
        t.want = t.h.outputs[0];
        t.h.outputs[0] = NULL;
        (void)harness_each_row(&t.h, check, &t);
        assert_true(t.n_checked > 0);
        TF_DeleteTensor(t.want);
        harness_destroy(&t.h);
    }
    oribi_pool_release(pool);
    TF_DeleteStatus(status);
}

/* Pad has the reference's row alone: borders on all axes, and on some, by their definition. */
static void padding_puts_each_element_where_it_belongs(void **state)
{
    static const int32_t borders[3][4][2] = {{{1, 2}, {2, 1}, {0, 3}, {1, 1}},
                                             {{0, 0}, {1, 1}, {2, 0}, {0, 0}},
                                             {{1, 0}, {0, 1}, {0, 0}, {0, 0}}};
    const int64_t in[4] = {2, 3, 4, 5}, matrix[2] = {4, 2};
    (void)state;
    for (int turn = 0; turn < 3; turn++) {
        harness h;
        harness_init(&h, "Pad");
        (void)floats(&h, 4, in, 1, 2);
        memcpy(harness_input(&h, TF_INT32, matrix, 2), borders[turn], sizeof borders[turn]);
        assert_true(harness_resolve(&h));
        assert_true(harness_run(&h, harness_reference(&h)));
        const float *x = TF_TensorData(h.inputs[0]), *y = TF_TensorData(h.outputs[0]);
        const int64_t count = TF_TensorElementCount(h.outputs[0]);
        for (int64_t i = 0; i < count; i++) {
            int64_t rest = i, at = 0, step = 1;
            bool is_inside = true;
            for (int d = 3; d >= 0; d--) {
                const int64_t k = rest % TF_Dim(h.outputs[0], d) - borders[turn][d][0];
                rest /= TF_Dim(h.outputs[0], d);
                is_inside = is_inside && k >= 0 && k < in[d];
                at += k * step;
                step *= in[d];
            }
            assert_true(y[i] == (is_inside ? x[at] : 0.0f));
        }
        harness_destroy(&h);
    }
}

static void an_op_without_traits_has_no_recipe(void **state)
{
    (void)state;
    recipe r;
    assert_false(find_recipe("Placeholder", &r));
    assert_true(find_recipe("SquaredDifference", &r));
    assert_int_equal(r.kind, BINARY);
}

/* --- DynamicQuantizeLinear, RowsToBytes: bytes, their scales and their zero points ------------ */

typedef struct dynamic_trial {
    harness h;
    TF_Tensor *want[3];
    int n_checked;
} dynamic_trial;

static void check_dynamic(void *arg, const oribi_cpu_kernel *row)
{
    dynamic_trial *t = arg;
    if (!harness_run(&t->h, row)) {
        fail_msg("%s: %s", row->why, TF_Message(t->h.status));
    }
    for (int i = 0; i < 3; i++) {
        const size_t bytes = TF_TensorByteSize(t->want[i]);
        assert_int_equal(TF_TensorByteSize(t->h.outputs[i]), bytes);
        assert_memory_equal(TF_TensorData(t->h.outputs[i]), TF_TensorData(t->want[i]), bytes);
    }
    t->n_checked++;
}

static void check_three(dynamic_trial *t)
{
    assert_true(harness_resolve(&t->h));
    const oribi_cpu_kernel *reference = harness_reference(&t->h);
    assert_non_null(reference);
    assert_true(harness_run(&t->h, reference));
    for (int k = 0; k < 3; k++) {
        t->want[k] = t->h.outputs[k];
        t->h.outputs[k] = NULL;
    }
    (void)harness_each_row(&t->h, check_dynamic, t);
    assert_true(t->n_checked > 1);
    for (int k = 0; k < 3; k++) {
        TF_DeleteTensor(t->want[k]);
    }
    harness_destroy(&t->h);
}

/* Rows of several parts among them, ties, and a NaN. */
static void rows_become_the_bytes_of_the_reference(void **state)
{
    static const int64_t columns[] = {1, 2, 7, 16, 31, 33, 64, 255, 700, 40000};
    static const float lows[] = {-9, 0.5f, -9, 0}, highs[] = {9, 9, -0.5f, 0};
    (void)state;
    for (int i = 0; i < 10 * 4 * 2; i++) {
        const int64_t dims[2] = {i % 10 == 9 ? 2 : 5, columns[i % 10]};
        dynamic_trial t = {.n_checked = 0};
        harness_init(&t.h, "Oribi>RowsToBytes");
        assert_true(oribi_attrs_set_int(&t.h.attrs, &t.h.arena, "lead", 1) &&
                    oribi_attrs_set_bool(&t.h.attrs, &t.h.arena, "asymmetric", i >= 40));
        float *x = floats(&t.h, 2, dims, lows[i / 10 % 4], highs[i / 10 % 4]);
        for (int64_t k = 0; i % 3 == 1 && k < dims[0] * dims[1]; k++) { /* ties of steps of 1 */
            x[k] = k % dims[1] == 0   ? 127.0f
                   : k % dims[1] == 1 ? -128.0f
                                      : floorf(x[k] * 20.0f) / 2.0f;
        }
        x[dims[1] - 1] = i % 3 == 0 ? NAN : x[dims[1] - 1];
        check_three(&t);
    }
}

static void ranges_found_and_bytes_made_are_those_of_the_reference(void **state)
{
    static const int64_t sizes[] = {1, 2, 7, 16, 31, 33, 255, 259, 700};
    static const float lows[] = {-9, 0.5f, -9, 0}, highs[] = {9, 9, -0.5f, 0};
    (void)state;
    for (int i = 0; i < 9 * 4; i++) {
        dynamic_trial t = {.n_checked = 0};
        harness_init(&t.h, "ONNX>DynamicQuantizeLinear");
        (void)floats(&t.h, 1, &sizes[i % 9], lows[i / 9], highs[i / 9]);
        check_three(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_op_without_traits_has_no_recipe),
        cmocka_unit_test(every_variant_agrees_with_its_reference),
        cmocka_unit_test(a_vector_meets_every_row_of_a_matrix),
        cmocka_unit_test(padding_puts_each_element_where_it_belongs),
        cmocka_unit_test(rows_become_the_bytes_of_the_reference),
        cmocka_unit_test(ranges_found_and_bytes_made_are_those_of_the_reference)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
