/* SPDX-License-Identifier: Apache-2.0 */
/* Packing a large constant tells what it has read, nearly all of it, and never reads that again:
 * the harness spoils those bytes. Which pages a host then gives back is in tests/graph, tests/base.
 */
#include "kernel_harness.h"

typedef struct packing {
    harness node;
    TF_Tensor *expected;
    const int *order;
} packing;

static void check_row(void *arg, const oribi_cpu_kernel *row)
{
    enum { SLACK = 2 << 20 }; /* the last piece goes with the promise at the end */
    packing *self = arg;
    if (row->label != NULL) {
        return; /* keeps no packed copy */
    }
    TF_Status *status = TF_NewStatus();
    harness_make_constant(&self->node, 1, self->order);
    const harness_input *constant = &self->node.inputs[1];
    TF_Tensor *actual = harness_compute(&self->node, row, status);
    if (actual == NULL) {
        fail_msg("%s, %s: %s", row->op_name, row->why, TF_Message(status));
    }
    harness_assert_close(actual, self->expected, row->tolerance, row->why);
    if (constant->told_bytes < constant->stored_bytes - SLACK) {
        fail_msg("%s, %s: told of %lld bytes in %lld", row->op_name, row->why,
                 (long long)constant->told_bytes, (long long)constant->stored_bytes);
    }
    TF_DeleteTensor(actual);
    TF_DeleteStatus(status);
}

static void check_product(const int *order, bool transpose_b)
{
    const int64_t left[2] = {1, 1500}, k_n[2] = {1500, 1001}, n_k[2] = {1001, 1500};
    packing self = {.order = order};
    TF_Status *status = TF_NewStatus();
    harness_begin(&self.node);
    self.node.spoils = true;
    oribi_attrs *attrs = &self.node.attrs;
    assert_true(oribi_attrs_set_bool(attrs, &self.node.arena, "transpose_a", false));
    assert_true(oribi_attrs_set_bool(attrs, &self.node.arena, "transpose_b", transpose_b));
    harness_add(&self.node, harness_random_tensor(left, 2));
    harness_add(&self.node, harness_random_tensor(transpose_b ? n_k : k_n, 2));
    self.expected = harness_compute(&self.node, harness_reference("MatMul"), status);
    assert_non_null(self.expected);
    assert_true(harness_each_variant("MatMul", check_row, &self) > 0);
    TF_DeleteTensor(self.expected);
    TF_DeleteStatus(status);
    harness_end(&self.node);
}

static void a_dense_layer_is_told_of_in_whichever_order_it_is_stored(void **state)
{
    (void)state;
    static const int plain[2] = {0, 1}, turned[2] = {1, 0};
    check_product(plain, false);
    check_product(turned, false);
    check_product(plain, true);
    check_product(turned, true);
}

static void a_filter_stored_by_outputs_is_told_of_while_it_is_packed(void **state)
{
    (void)state;
    static const int by_outputs[4] = {3, 2, 0, 1};
    static const int64_t ones[4] = {1, 1, 1, 1};
    const int64_t image[4] = {1, 2, 2, 256}, filter[4] = {3, 3, 256, 520};
    packing self = {.order = by_outputs};
    TF_Status *status = TF_NewStatus();
    harness_begin(&self.node);
    self.node.spoils = true;
    oribi_attrs *attrs = &self.node.attrs;
    oribi_arena *arena = &self.node.arena;
    assert_true(oribi_attrs_set_ints(attrs, arena, "strides", ones, 4));
    assert_true(oribi_attrs_set_ints(attrs, arena, "dilations", ones, 4));
    assert_true(oribi_attrs_set_string(attrs, arena, "padding", "SAME"));
    assert_true(oribi_attrs_set_ints(attrs, arena, "explicit_paddings", ones, 0));
    assert_true(oribi_attrs_set_string(attrs, arena, "data_format", "NHWC"));
    harness_add(&self.node, harness_random_tensor(image, 4));
    harness_add(&self.node, harness_random_tensor(filter, 4));
    self.expected = harness_compute(&self.node, harness_reference("Conv2D"), status);
    assert_non_null(self.expected);
    assert_true(harness_each_variant("Conv2D", check_row, &self) > 0);
    TF_DeleteTensor(self.expected);
    TF_DeleteStatus(status);
    harness_end(&self.node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dense_layer_is_told_of_in_whichever_order_it_is_stored),
        cmocka_unit_test(a_filter_stored_by_outputs_is_told_of_while_it_is_packed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
