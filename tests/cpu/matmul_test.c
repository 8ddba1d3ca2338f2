/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of the matrix products and of the transposed convolution against the reference row:
 * tails, transposed sides, constant weights in both orders, broadcast batches, fused forms,
 * panels that are fetched ahead for few rows, and rows that meet a panel a few tiles at a time.
 */
#include "kernel_harness.h"

typedef struct matmul_case {
    const char *op;
    int64_t left[4], right[4];
    int left_rank, right_rank;
    bool transpose_a, transpose_b;
    const char *words[3];
    bool is_constant; /* the right side, its two axes stored the other way round */
} matmul_case;

/* clang-format off */
static const matmul_case cases[] = {
    {"MatMul", {1, 1}, {1, 1}, 2, 2, false, false, {NULL}, true},
    {"MatMul", {1, 300}, {300, 77}, 2, 2, false, false, {NULL}, true},
    {"MatMul", {1, 5000}, {5000, 33}, 2, 2, false, false, {NULL}, false},
    {"MatMul", {2, 700}, {700, 130}, 2, 2, false, false, {NULL}, true},
    {"MatMul", {1, 2000}, {2000, 310}, 2, 2, false, false, {NULL}, true},
    {"_FusedMatMul", {1, 1600}, {1600, 270}, 2, 2, false, false, {"BiasAdd", "Add", "Relu"}, true},
    {"_FusedMatMul", {1, 7000}, {7000, 170}, 2, 2, false, false, {"BiasAdd", "Add", "Relu"}, true},
    {"MatMul", {13, 1000}, {1000, 48}, 2, 2, false, false, {NULL}, true},
    {"MatMul", {37, 29}, {29, 65}, 2, 2, false, false, {NULL}, false},
    {"MatMul", {29, 37}, {29, 65}, 2, 2, true, false, {NULL}, false},
    {"MatMul", {29, 37}, {65, 29}, 2, 2, true, true, {NULL}, true},
    {"MatMul", {37, 29}, {65, 29}, 2, 2, false, true, {NULL}, true},
    {"MatMul", {37, 29}, {65, 29}, 2, 2, false, true, {NULL}, false},
    {"MatMul", {11, 1538}, {1538, 55}, 2, 2, false, false, {NULL}, true},
    {"MatMul", {37, 30}, {56, 30}, 2, 2, false, true, {NULL}, false},
    {"MatMul", {3, 0}, {0, 5}, 2, 2, false, false, {NULL}, false},
    {"MatMul", {0, 4}, {4, 5}, 2, 2, false, false, {NULL}, true},
    {"_FusedMatMul", {1, 256}, {256, 100}, 2, 2, false, false, {"BiasAdd", "Relu"}, true},
    {"_FusedMatMul", {9, 256}, {256, 100}, 2, 2, false, false, {"BiasAdd", "Tanh"}, true},
    {"_FusedMatMul", {9, 256}, {100, 256}, 2, 2, false, true, {"BiasAdd", "Add", "Relu6"}, false},
    {"_FusedMatMul", {50, 1100}, {1100, 200}, 2, 2, false, false, {"BiasAdd", "Add", "Relu"}, true},
    {"_FusedMatMul", {600, 40}, {40, 100}, 2, 2, false, false, {"BiasAdd", "Tanh"}, true},
    {"_FusedMatMul", {520, 800}, {800, 70}, 2, 2, false, false, {"BiasAdd", "Add", "Relu"}, true},
    {"BatchMatMulV2", {37, 29}, {29, 65}, 2, 2, false, false, {NULL}, true},
    {"BatchMatMulV2", {5, 7, 29}, {29, 65}, 3, 2, false, false, {NULL}, true},
    {"BatchMatMulV2", {5, 7, 29}, {29, 65}, 3, 2, false, false, {NULL}, false},
    {"BatchMatMulV2", {5, 7, 29}, {5, 29, 65}, 3, 3, false, false, {NULL}, false},
    {"BatchMatMulV2", {5, 29, 7}, {1, 65, 29}, 3, 3, true, true, {NULL}, false},
    {"BatchMatMulV2", {2, 1, 7, 29}, {3, 29, 65}, 4, 3, false, false, {NULL}, false},
    {"BatchMatMulV2", {3, 7, 29}, {2, 3, 65, 29}, 3, 4, false, true, {NULL}, true},
    {"Oribi>FusedBatchMatMul", {5, 7, 29}, {29, 65}, 3, 2, false, false, {"BiasAdd", "Add"}, true},
    {"Oribi>FusedBatchMatMul", {5, 29, 7}, {29, 65}, 3, 2, true, false, {"BiasAdd", "Tanh"}, true},
    {"Oribi>FusedBatchMatMul", {5, 7, 29}, {5, 29, 65}, 3, 3, false, false, {"BiasAdd", "Add", "Relu"}, false},
};
/* clang-format on */

typedef struct check {
    harness node;
    TF_Tensor *expected;
    const char *what;
} check;

static void check_row(void *arg, const oribi_cpu_kernel *row)
{
    check *self = arg;
    TF_Status *status = TF_NewStatus();
    char what[128];
    (void)snprintf(what, sizeof what, "%s, %s, %s", row->op_name, row->why, self->what);

    TF_Tensor *actual = harness_compute(&self->node, row, status);

    if (actual == NULL) {
        fail_msg("%s: %s", what, TF_Message(status));
    }
    harness_assert_close(actual, self->expected, row->tolerance, what);
    TF_DeleteTensor(actual);
    TF_DeleteStatus(status);
}

/* Reference first, then every variant. */
static void check_node(check *self, const char *op, int constant_input, const int *order)
{
    TF_Status *status = TF_NewStatus();
    self->expected = harness_compute(&self->node, harness_reference(op), status);
    if (self->expected == NULL) {
        fail_msg("%s, %s: reference: %s", op, self->what, TF_Message(status));
    }
    if (constant_input >= 0) {
        harness_make_constant(&self->node, constant_input, order);
    }
    assert_true(harness_each_variant(op, check_row, self) > 0);
    TF_DeleteTensor(self->expected);
    TF_DeleteStatus(status);
}

static void run_case(const matmul_case *c, oribi_pool *pool, const char *what)
{
    static const int turned[2] = {1, 0};
    check self = {.what = what};
    int n_words = 0;
    harness_begin(&self.node);
    self.node.pool = pool;
    oribi_attrs *attrs = &self.node.attrs;
    oribi_arena *arena = &self.node.arena;
    const bool batched = strstr(c->op, "BatchMatMul") != NULL;
    assert_true(
        oribi_attrs_set_bool(attrs, arena, batched ? "adj_x" : "transpose_a", c->transpose_a));
    assert_true(
        oribi_attrs_set_bool(attrs, arena, batched ? "adj_y" : "transpose_b", c->transpose_b));
    while (n_words < 3 && c->words[n_words] != NULL) {
        n_words++;
    }
    assert_true(n_words == 0 ||
                oribi_attrs_set_strings(attrs, arena, "fused_ops", c->words, n_words));
    harness_add(&self.node, harness_random_tensor(c->left, c->left_rank));
    harness_add(&self.node, harness_random_tensor(c->right, c->right_rank));
    const int rank = c->left_rank;
    const int64_t *a = c->left + rank - 2, *b = c->right + c->right_rank - 2;
    int64_t out[4];
    memcpy(out, c->left, sizeof out);
    out[rank - 2] = a[c->transpose_a ? 1 : 0];
    out[rank - 1] = b[c->transpose_b ? 0 : 1];
    for (int i = 0; i < n_words && i < 2; i++) {
        if (strcmp(c->words[i], "BiasAdd") == 0) {
            harness_add(&self.node, harness_random_tensor(out + rank - 1, 1));
        } else if (strcmp(c->words[i], "Add") == 0) {
            harness_add(&self.node, harness_random_tensor(out, rank));
        }
    }
    check_node(&self, c->op, c->is_constant && c->right_rank == 2 ? 1 : -1, turned);
    harness_end(&self.node);
}

static void run_cases(int threads)
{
    TF_Status *status = TF_NewStatus();
    oribi_pool *pool = threads > 1 ? oribi_pool_create(threads, status) : NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char what[64];
        (void)snprintf(what, sizeof what, "case %zu, %d threads", i, threads);
        harness_random_state = (uint32_t)i + 1;
        run_case(&cases[i], pool, what);
    }
    oribi_pool_release(pool);
    TF_DeleteStatus(status);
}

static void every_product_variant_agrees_with_the_reference(void **state)
{
    (void)state;
    run_cases(1);
}

static void products_on_three_threads_agree_with_the_reference(void **state)
{
    (void)state;
    run_cases(3);
}

typedef struct backprop_case {
    int64_t image[4], filter[4], result[4]; /* result: batch, height, width, channels */
    int64_t stride, dilation;
    const char *padding;
    int64_t pads[4];
} backprop_case;

static void every_transposed_convolution_variant_agrees_with_the_reference(void **state)
{
    static const backprop_case backprops[] = {
        {{1, 4, 5, 7}, {3, 3, 6, 7}, {1, 8, 10, 6}, 2, 1, "SAME", {0}},
        {{2, 4, 5, 20}, {2, 2, 33, 20}, {2, 8, 10, 33}, 2, 1, "VALID", {0}},
        {{2, 4, 5, 20}, {2, 2, 6, 20}, {2, 8, 10, 6}, 2, 1, "VALID", {0}},
        {{1, 4, 4, 3}, {3, 3, 5, 3}, {1, 4, 4, 5}, 1, 1, "SAME", {0}},
        {{1, 5, 5, 3}, {3, 3, 5, 3}, {1, 9, 9, 5}, 1, 2, "VALID", {0}},
        {{1, 5, 5, 3}, {4, 4, 5, 3}, {1, 10, 10, 5}, 2, 1, "EXPLICIT", {1, 1, 1, 1}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof backprops / sizeof *backprops; i++) {
        const backprop_case *c = &backprops[i];
        check self = {.what = "transposed"};
        const int64_t strides[4] = {1, c->stride, c->stride, 1};
        const int64_t dilations[4] = {1, c->dilation, c->dilation, 1}, four = 4;
        const int64_t pads[8] = {0, 0, c->pads[0], c->pads[1], c->pads[2], c->pads[3], 0, 0};
        harness_begin(&self.node);
        oribi_attrs *attrs = &self.node.attrs;
        oribi_arena *arena = &self.node.arena;
        assert_true(oribi_attrs_set_ints(attrs, arena, "strides", strides, 4));
        assert_true(oribi_attrs_set_ints(attrs, arena, "dilations", dilations, 4));
        assert_true(oribi_attrs_set_string(attrs, arena, "padding", c->padding));
        assert_true(oribi_attrs_set_ints(attrs, arena, "explicit_paddings", pads,
                                         strcmp(c->padding, "EXPLICIT") == 0 ? 8 : 0));
        assert_true(oribi_attrs_set_string(attrs, arena, "data_format", "NHWC"));
        TF_Tensor *sizes = harness_tensor(TF_INT32, &four, 1);
        for (int axis = 0; axis < 4; axis++) {
            ((int32_t *)TF_TensorData(sizes))[axis] = (int32_t)c->result[axis];
        }
        harness_add(&self.node, sizes);
        harness_add(&self.node, harness_random_tensor(c->filter, 4));
        harness_add(&self.node, harness_random_tensor(c->image, 4));
        check_node(&self, "Conv2DBackpropInput", -1, NULL);
        harness_end(&self.node);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_product_variant_agrees_with_the_reference),
        cmocka_unit_test(products_on_three_threads_agree_with_the_reference),
        cmocka_unit_test(every_transposed_convolution_variant_agrees_with_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
