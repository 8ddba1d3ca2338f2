/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors side by side, on several threads: long runs and short ones, one run, more
 * tensors than one loop copies, some of them empty. What is expected is written element by element.
 */
#include "kernel_harness.h"

enum { MOST_PARTS = 7 };

typedef struct join_case {
    int64_t rows, inner; /* elements before and behind the axis */
    int n;
    int64_t parts[MOST_PARTS]; /* of the axis */
} join_case;

static const join_case cases[] = {
    {3136, 1, 2, {256, 32}},
    {1, 60000, 2, {2, 1}}, /* one run, in pieces and a rest */
    {1, 1, 7, {70000, 3, 0, 8192, 16385, 1, 5}},
    {500, 3, 7, {1, 20, 0, 7, 5, 300, 2}},
    {1, 7, 6, {1, 1, 1, 1, 1, 1}},
    {4, 2500, 5, {1, 2, 3, 4, 5}},
};

static TF_Tensor *int_tensor(int32_t value)
{
    TF_Tensor *tensor = harness_tensor(TF_INT32, NULL, 0);
    *(int32_t *)TF_TensorData(tensor) = value;
    return tensor;
}

static TF_Tensor *compute(harness *node, const char *op)
{
    TF_Status *status = TF_NewStatus();
    TF_Tensor *out = harness_compute(node, harness_reference(op), status);
    if (out == NULL) {
        fail_msg("%s", TF_Message(status));
    }
    TF_DeleteStatus(status);
    return out;
}

static int64_t axis_size(const join_case *c)
{
    int64_t sum = 0;
    for (int i = 0; i < c->n; i++) {
        sum += c->parts[i];
    }
    return sum;
}

static void join(const join_case *c, oribi_pool *pool)
{
    const int64_t whole = axis_size(c) * c->inner;
    harness node;
    harness_begin(&node);
    node.pool = pool;
    for (int i = 0; i < c->n; i++) {
        const int64_t dims[3] = {c->rows, c->parts[i], c->inner};
        harness_add(&node, harness_random_tensor(dims, 3));
    }
    harness_add(&node, int_tensor(1));
    assert_true(oribi_attrs_set_int(&node.attrs, &node.arena, "N", c->n));

    TF_Tensor *out = compute(&node, "ConcatV2");

    const float *joined = TF_TensorData(out);
    assert_int_equal(TF_TensorElementCount(out), c->rows * whole);
    int64_t first = 0, n_wrong = 0;
    for (int i = 0; i < c->n; i++) {
        const float *part = TF_TensorData(node.inputs[i].tensor);
        const int64_t width = c->parts[i] * c->inner;
        for (int64_t k = 0; k < c->rows * width; k++) {
            n_wrong += joined[k / width * whole + first + k % width] != part[k];
        }
        first += width;
    }
    assert_int_equal(n_wrong, 0);
    TF_DeleteTensor(out);
    harness_end(&node);
}

static void parts_come_side_by_side_on_any_number_of_threads(void **state)
{
    (void)state;
    TF_Status *status = TF_NewStatus();
    for (int threads = 1; threads <= 3; threads++) {
        oribi_pool *pool = threads > 1 ? oribi_pool_create(threads, status) : NULL;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            join(&cases[i], pool);
        }
        oribi_pool_release(pool);
    }
    TF_DeleteStatus(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_come_side_by_side_on_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
