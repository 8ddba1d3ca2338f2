/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of what makes bytes of floats and floats of bytes against the reference row, to the
 * bit: ties, NaN, infinities, what lies far outside the range, scales and zero points of one value,
 * of channels, and of each element of the last axis.
 */
#include "kernel_harness.h"

typedef struct check {
    harness node;
    TF_Tensor *expected;
    const char *op;
    int64_t columns;
    bool is_signed;
} check;

/* Is the row one of words alone, as an op has that knows both? */
static bool is_of_words(const oribi_cpu_kernel *row)
{
    return row->types[0].attr != NULL && strcmp(row->types[0].attr, "T") == 0 &&
           row->types[0].types == ORIBI_KIT_TYPE(TF_INT16);
}

static void check_row(void *arg, const oribi_cpu_kernel *row)
{
    check *self = arg;
    if (is_of_words(row)) {
        return;
    }
    TF_Status *status = TF_NewStatus();

    TF_Tensor *actual = harness_compute(&self->node, row, status);

    if (actual == NULL) {
        fail_msg("%s, %s: %s", self->op, row->why, TF_Message(status));
    }
    assert_int_equal(TF_TensorByteSize(actual), TF_TensorByteSize(self->expected));
    const uint8_t *a = TF_TensorData(actual), *b = TF_TensorData(self->expected);
    for (size_t i = 0; i < TF_TensorByteSize(actual); i++) {
        if (a[i] != b[i]) {
            fail_msg("%s, %s, %lld columns: byte %zu is %d, not %d", self->op, row->why,
                     (long long)self->columns, i, a[i], b[i]);
        }
    }
    TF_DeleteTensor(actual);
    TF_DeleteStatus(status);
}

static void check_variants(check *self)
{
    TF_Status *status = TF_NewStatus();
    self->expected = harness_compute(&self->node, harness_reference(self->op), status);
    if (self->expected == NULL) {
        fail_msg("%s: reference: %s", self->op, TF_Message(status));
    }
    assert_true(harness_each_variant(self->op, check_row, self) > 0);
    TF_DeleteTensor(self->expected);
    harness_end(&self->node);
    TF_DeleteStatus(status);
}

static TF_Tensor *floats(const int64_t *dims, int rank)
{
    static const float odd[] = {0.5f,  -0.5f,  1.5f,    2.5f,       -2.5f,    -0.0f,
                                1e30f, -1e30f, 127.5f,  1e-40f,     INFINITY, -INFINITY,
                                NAN,   255.5f, -128.5f, 0.49999997f};
    TF_Tensor *tensor = harness_tensor(TF_FLOAT, dims, rank);
    float *values = TF_TensorData(tensor);
    for (int64_t i = 0; i < TF_TensorElementCount(tensor); i++) {
        const float v = harness_random();
        values[i] = v > 0.9f ? odd[(int)((v - 0.9f) * 159.0f) & 15] : 160.0f * v;
    }
    return tensor;
}

static TF_Tensor *bytes(TF_DataType type, const int64_t *dims, int rank, float most)
{
    TF_Tensor *tensor = harness_tensor(type, dims, rank);
    for (int64_t i = 0; i < TF_TensorElementCount(tensor); i++) {
        const int32_t value = (int32_t)(most * harness_random());
        if (type == TF_INT32) {
            ((int32_t *)TF_TensorData(tensor))[i] = value * 12345;
        } else {
            ((uint8_t *)TF_TensorData(tensor))[i] = (uint8_t)value;
        }
    }
    return tensor;
}

static TF_Tensor *scales(int64_t count)
{
    TF_Tensor *tensor = harness_tensor(TF_FLOAT, &count, 1);
    for (int64_t i = 0; i < count; i++) {
        ((float *)TF_TensorData(tensor))[i] = i % 3 == 0 ? 1.0f : 0.9f + 0.5f * harness_random();
    }
    return tensor;
}

static void begin(check *self, const char *op, TF_DataType type, int64_t columns)
{
    *self = (check){.op = op, .columns = columns, .is_signed = type == TF_INT8};
    harness_begin(&self->node);
    self->node.output_type = type;
    harness_random_state = (uint32_t)columns + 1;
    assert_true(oribi_attrs_set_type(&self->node.attrs, &self->node.arena, "T", type));
}

/* Sizes around those of vectors and blocks. */
static const int64_t widths[] = {1, 2, 7, 16, 31, 33, 255, 259, 700};
enum { WIDTHS = sizeof widths / sizeof *widths };

/* Parameters of all, of the middle axis, or of the last. */
static void add_parameters(check *self, TF_DataType type, int kind)
{
    const int64_t axis = kind == 1 ? 1 : 2, sizes[] = {1, 3, self->columns};
    harness_add(&self->node, scales(sizes[kind]));
    harness_add(&self->node, bytes(type, &sizes[kind], 1, 100.0f));
    assert_true(oribi_attrs_set_int(&self->node.attrs, &self->node.arena, "axis", axis));
}

static void floats_become_the_bytes_of_the_reference(void **state)
{
    static const TF_DataType types[] = {TF_INT8, TF_UINT8};
    (void)state;
    for (int i = 0; i < 2 * 3 * WIDTHS; i++) {
        const int64_t dims[3] = {2, 3, widths[i % WIDTHS]};
        const TF_DataType type = types[i / WIDTHS % 2];
        check self;
        begin(&self, "ONNX>QuantizeLinear", type, dims[2]);
        harness_add(&self.node, floats(dims, 3));
        add_parameters(&self, type, i / WIDTHS / 2);
        check_variants(&self);
    }
}

static void bytes_become_the_floats_of_the_reference(void **state)
{
    static const TF_DataType types[] = {TF_INT8, TF_UINT8, TF_INT32};
    (void)state;
    for (int i = 0; i < 3 * 3 * WIDTHS; i++) {
        const int64_t dims[3] = {2, 3, widths[i % WIDTHS]};
        const TF_DataType type = types[i / WIDTHS % 3];
        check self;
        begin(&self, "ONNX>DequantizeLinear", type, dims[2]);
        self.node.output_type = TF_FLOAT;
        harness_add(&self.node, bytes(type, dims, 3, 127.0f));
        add_parameters(&self, type, i / WIDTHS / 3);
        check_variants(&self);
    }
}

static void rows_become_the_shares_of_the_reference(void **state)
{
    static const TF_DataType types[] = {TF_INT8, TF_UINT8};
    (void)state;
    for (int i = 0; i < 2 * WIDTHS; i++) {
        const int64_t dims[2] = {5, widths[i % WIDTHS]};
        const TF_DataType type = types[i / WIDTHS];
        check self;
        begin(&self, "ONNX>QLinearSoftmax", type, dims[1]);
        oribi_attrs *attrs = &self.node.attrs;
        oribi_arena *arena = &self.node.arena;
        assert_true(oribi_attrs_set_float(attrs, arena, "input_scale", 0.03f) &&
                    oribi_attrs_set_float(attrs, arena, "output_scale", 1.0f / 256.0f) &&
                    oribi_attrs_set_int(attrs, arena, "output_zero", type == TF_INT8 ? -128 : 0));
        harness_add(&self.node, bytes(type, dims, 2, 127.0f));
        check_variants(&self);
    }
}

/* Equal shares, as attention has them that looks everywhere, fill the result's range. */
static void shares_are_exact_where_the_steps_are_narrow(void **state)
{
    (void)state;
    for (int i = 0; i < WIDTHS; i++) {
        const int64_t dims[2] = {2, widths[i]};
        check self;
        begin(&self, "ONNX>QLinearSoftmax", TF_UINT8, dims[1]);
        oribi_attrs *attrs = &self.node.attrs;
        oribi_arena *arena = &self.node.arena;
        assert_true(oribi_attrs_set_float(attrs, arena, "input_scale", 0.03f) &&
                    oribi_attrs_set_float(attrs, arena, "output_scale",
                                          1.0f / (200.0f * (float)dims[1] + 0.5f)) &&
                    oribi_attrs_set_int(attrs, arena, "output_zero", 0));
        TF_Tensor *x = harness_tensor(TF_UINT8, dims, 2);
        memset(TF_TensorData(x), 90 + i, TF_TensorByteSize(x));
        harness_add(&self.node, x);
        TF_Status *status = TF_NewStatus();
        TF_Tensor *y = harness_compute(&self.node, harness_reference(self.op), status);
        assert_non_null(y);
        for (int64_t k = 0; k < 2 * dims[1]; k++) {
            assert_int_equal(((const uint8_t *)TF_TensorData(y))[k], 200);
        }
        TF_DeleteTensor(y);
        TF_DeleteStatus(status);
        check_variants(&self);
    }
}

/* Rows whose steps are 1, in halves: ties. */
static TF_Tensor *halves(const int64_t *dims, bool asymmetric)
{
    TF_Tensor *tensor = harness_tensor(TF_FLOAT, dims, 2);
    for (int64_t i = 0; i < dims[0] * dims[1]; i++) {
        const int64_t column = i % dims[1];
        ((float *)TF_TensorData(tensor))[i] = column == 0 ? 127.0f
                                              : column == 1 && asymmetric
                                                  ? -128.0f
                                                  : floorf(250.0f * harness_random()) / 2.0f;
    }
    return tensor;
}

static void rows_pass_through_the_steps_of_the_reference(void **state)
{
    (void)state;
    for (int i = 0; i < 4 * WIDTHS; i++) {
        const int64_t dims[2] = {5, widths[i % WIDTHS]};
        check self;
        begin(&self, "Oribi>ThroughBytes", TF_FLOAT, dims[1]);
        assert_true(
            oribi_attrs_set_int(&self.node.attrs, &self.node.arena, "lead", 1) &&
            oribi_attrs_set_bool(&self.node.attrs, &self.node.arena, "asymmetric", i / WIDTHS % 2));
        harness_add(&self.node, i / WIDTHS < 2 ? floats(dims, 2) : halves(dims, i / WIDTHS == 3));
        check_variants(&self);
    }
}

/* Both sides whole, or one that repeats along the last axis, or along the first. */
static void pairs_become_the_bytes_of_the_reference(void **state)
{
    static const char *const ops[] = {"ONNX>QLinearAdd", "ONNX>QLinearMul"};
    (void)state;
    for (int i = 0; i < 2 * 8 * 4 * WIDTHS; i++) {
        const int64_t n = widths[i % WIDTHS], whole[2] = {3, n};
        const int64_t shapes[4][2] = {{3, n}, {3, 1}, {1, 1}, {1, n}};
        const int signs = i / WIDTHS % 8, shape = i / WIDTHS / 8 % 4;
        const TF_DataType a = (signs & 1) != 0 ? TF_INT8 : TF_UINT8;
        const TF_DataType b = (signs & 2) != 0 ? TF_INT8 : TF_UINT8;
        const TF_DataType type = (signs & 4) != 0 ? TF_INT8 : TF_UINT8;
        check self;
        begin(&self, ops[i / WIDTHS / 8 / 4], type, n);
        oribi_attrs *attrs = &self.node.attrs;
        oribi_arena *arena = &self.node.arena;
        assert_true(oribi_attrs_set_type(attrs, arena, "Ta", a) &&
                    oribi_attrs_set_type(attrs, arena, "Tb", b) &&
                    oribi_attrs_set_float(attrs, arena, "a_scale", 0.5f) &&
                    oribi_attrs_set_float(attrs, arena, "b_scale", 0.3f) &&
                    oribi_attrs_set_float(attrs, arena, "output_scale", 0.7f) &&
                    oribi_attrs_set_int(attrs, arena, "a_zero", 3) &&
                    oribi_attrs_set_int(attrs, arena, "b_zero", 100) &&
                    oribi_attrs_set_int(attrs, arena, "output_zero", 17) &&
                    oribi_attrs_set_int(attrs, arena, "low", type == TF_INT8 ? -20 : 3) &&
                    oribi_attrs_set_int(attrs, arena, "high", 120));
        const bool is_left = i % 2 == 0; /* the one that repeats */
        harness_add(&self.node, bytes(a, is_left ? shapes[shape] : whole, 2, 127.0f));
        harness_add(&self.node, bytes(b, is_left ? whole : shapes[shape], 2, 127.0f));
        check_variants(&self);
    }
}

/* All bytes, in rows that are no whole vectors. */
static void bytes_become_those_of_the_table(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const int64_t dims[2] = {7, 77};
        const TF_DataType type = i % 2 == 0 ? TF_UINT8 : TF_INT8;
        int64_t table[256];
        check self;
        begin(&self, i < 2 ? "ONNX>QLinearTable" : "Oribi>QUnary", type, dims[1]);
        oribi_attrs *attrs = &self.node.attrs;
        oribi_arena *arena = &self.node.arena;
        for (int k = 0; k < 256; k++) {
            table[k] = (k * 181 + 7) % 256 - (type == TF_INT8 ? 128 : 0);
        }
        assert_true(i < 2 ? oribi_attrs_set_ints(attrs, arena, "table", table, 256)
                          : oribi_attrs_set_string(attrs, arena, "function", "LOGISTIC") &&
                                oribi_attrs_set_string(attrs, arena, "rounding", "tflm") &&
                                oribi_attrs_set_float(attrs, arena, "alpha", 0.0f) &&
                                oribi_attrs_set_float(attrs, arena, "input_scale", 0.04f) &&
                                oribi_attrs_set_int(attrs, arena, "input_zero", 3) &&
                                oribi_attrs_set_float(attrs, arena, "output_scale", 1.0f / 256) &&
                                oribi_attrs_set_int(attrs, arena, "output_zero",
                                                    type == TF_INT8 ? -128 : 0));
        TF_Tensor *x = harness_tensor(type, dims, 2);
        for (int k = 0; k < 7 * 77; k++) {
            ((uint8_t *)TF_TensorData(x))[k] = (uint8_t)(k * 3);
        }
        harness_add(&self.node, x);
        check_variants(&self);
    }
}

static void windows_become_the_maxima_of_the_reference(void **state)
{
    static const int64_t pads[4] = {1, 0, 2, 1}, none[4] = {0}, size[2] = {3, 2}, steps[2] = {2, 1};
    (void)state;
    for (int i = 0; i < 4 * WIDTHS; i++) {
        const TF_DataType type = i / WIDTHS % 2 == 0 ? TF_INT8 : TF_UINT8;
        const int64_t dims[4] = {2, 7, 5, widths[i % WIDTHS]};
        check self;
        begin(&self, "ONNX>QLinearMaxPool", type, dims[3]);
        oribi_attrs *attrs = &self.node.attrs;
        oribi_arena *arena = &self.node.arena;
        assert_true(oribi_attrs_set_ints(attrs, arena, "ksize", size, 2) &&
                    oribi_attrs_set_ints(attrs, arena, "strides", steps, 2) &&
                    oribi_attrs_set_ints(attrs, arena, "pads", i < 2 * WIDTHS ? pads : none, 4));
        harness_add(&self.node, bytes(type, dims, 4, 127.0f));
        check_variants(&self);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_become_the_bytes_of_the_reference),
        cmocka_unit_test(bytes_become_the_floats_of_the_reference),
        cmocka_unit_test(rows_become_the_shares_of_the_reference),
        cmocka_unit_test(shares_are_exact_where_the_steps_are_narrow),
        cmocka_unit_test(rows_pass_through_the_steps_of_the_reference),
        cmocka_unit_test(pairs_become_the_bytes_of_the_reference),
        cmocka_unit_test(windows_become_the_maxima_of_the_reference),
        cmocka_unit_test(bytes_become_those_of_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
