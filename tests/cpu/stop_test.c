/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel whose work is large looks now and then whether its run was cancelled or its time is up.
 * No clocks: the run is stopped before it begins, so a kernel that looks leaves the end of its
 * output as it was.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cpu/harness.h"

#include "cpu/hosted.h"

enum { LONG = 1 << 20 };

#define DIMS(...)                                                                                  \
    (const int64_t[])                                                                              \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static void zeros(harness *h, TF_DataType dtype, int rank, const int64_t *dims)
{
    void *data = harness_input(h, dtype, dims, rank);
    memset(data, 0, TF_TensorByteSize(h->inputs[h->n_inputs - 1]));
}

/* All rows that fit leave the last element of output 0, of this type and length, alone. */
static void stop_row(void *arg, const oribi_cpu_kernel *row)
{
    harness *h = arg;
    TF_Tensor *out = h->outputs[0];
    const size_t width = TF_DataTypeSize(TF_TensorType(out));
    const unsigned char *last =
        (const unsigned char *)TF_TensorData(out) + TF_TensorByteSize(out) - width;
    h->is_stopped = true;
    memset(TF_TensorData(out), 0x5a, TF_TensorByteSize(out));
    (void)hosted_run(h, row, false, false, NULL, out);
    for (size_t i = 0; i < width; i++) {
        if (last[i] != 0x5a) {
            fail_msg("%s (%s, %d) went on to its end after the run was stopped", row->op_name,
                     oribi_cpu_isa_name(row->isa), (int)row->priority);
        }
    }
}

static void stopped(harness *h, int rank, const int64_t *dims)
{
    assert_true(harness_resolve(h));
    TF_Tensor *out = harness_tensor(h->signature.output_types[0], dims, rank);
    assert_non_null(out);
    h->outputs[0] = out;
    assert_true(harness_each_row(h, stop_row, h) > 0);
    harness_destroy(h);
}

static void selections_of_the_best_stop(void **state)
{
    harness h;
    (void)state;
    harness_init(&h, "TopKV2");
    zeros(&h, TF_FLOAT, 1, DIMS(LONG));
    harness_input_int(&h, LONG);
    stopped(&h, 1, DIMS(LONG));
    harness_init(&h, "TopKV2"); /* many short lines */
    zeros(&h, TF_FLOAT, 2, DIMS(LONG / 2, 2));
    harness_input_int(&h, 2);
    stopped(&h, 2, DIMS(LONG / 2, 2));
}

static void sources_stop(void **state)
{
    harness h;
    (void)state;
    harness_init(&h, "Range");
    harness_input_int(&h, 0);
    harness_input_int(&h, 4 * LONG);
    harness_input_int(&h, 1);
    stopped(&h, 1, DIMS(4 * LONG));
    harness_init(&h, "Fill");
    harness_input_ints(&h, 1, (const int32_t[]){4 * LONG});
    zeros(&h, TF_FLOAT, 0, NULL);
    stopped(&h, 1, DIMS(4 * LONG));
    harness_init(&h, "ZerosLike");
    zeros(&h, TF_FLOAT, 1, DIMS(4 * LONG));
    stopped(&h, 1, DIMS(4 * LONG));
    harness_init(&h, "OneHot");
    zeros(&h, TF_INT32, 1, DIMS(LONG));
    harness_input_int(&h, 4);
    zeros(&h, TF_FLOAT, 0, NULL);
    zeros(&h, TF_FLOAT, 0, NULL);
    stopped(&h, 2, DIMS(LONG, 4));
}

static void gathering_and_scattering_stop(void **state)
{
    harness h;
    (void)state;
    harness_init(&h, "GatherNd");
    zeros(&h, TF_FLOAT, 2, DIMS(3, 4));
    zeros(&h, TF_INT32, 2, DIMS(LONG, 1));
    stopped(&h, 2, DIMS(LONG, 4));
    harness_init(&h, "ReverseSequence");
    zeros(&h, TF_FLOAT, 2, DIMS(4, LONG));
    zeros(&h, TF_INT32, 1, DIMS(4));
    assert_true(oribi_attrs_set_int(&h.attrs, &h.arena, "seq_dim", 1));
    stopped(&h, 2, DIMS(4, LONG));
    harness_init(&h, "Gather");
    zeros(&h, TF_FLOAT, 2, DIMS(3, 4));
    zeros(&h, TF_INT32, 1, DIMS(LONG));
    stopped(&h, 2, DIMS(LONG, 4));
}

static void convolutions_stop(void **state)
{
    harness h;
    (void)state;
    for (int is_depthwise = 0; is_depthwise < 2; is_depthwise++) {
        harness_init(&h, is_depthwise != 0 ? "DepthwiseConv2dNative" : "Conv2D");
        zeros(&h, TF_FLOAT, 4, DIMS(1, 256, 256, 8));
        zeros(&h, TF_FLOAT, 4, DIMS(3, 3, 8, is_depthwise != 0 ? 1 : 8));
        assert_true(oribi_attrs_set_ints(&h.attrs, &h.arena, "strides", DIMS(1, 1, 1, 1), 4));
        assert_true(oribi_attrs_set_string(&h.attrs, &h.arena, "padding", "SAME"));
        stopped(&h, 4, DIMS(1, 256, 256, 8));
    }
}

static void recurrent_layers_stop(void **state)
{
    enum { STEPS = 20000, UNITS = 16 };
    harness h;
    (void)state;
    for (int is_time_major = 0; is_time_major < 2; is_time_major++) {
        harness_init(&h, "Oribi>LstmFull");
        zeros(&h, TF_FLOAT, 3, is_time_major != 0 ? DIMS(STEPS, 1, 8) : DIMS(1, STEPS, 8));
        zeros(&h, TF_FLOAT, 3, DIMS(4, UNITS, 8));
        zeros(&h, TF_FLOAT, 3, DIMS(4, UNITS, UNITS));
        zeros(&h, TF_FLOAT, 2, DIMS(4, UNITS));
        zeros(&h, TF_FLOAT, 2, DIMS(1, UNITS));
        zeros(&h, TF_FLOAT, 2, DIMS(1, UNITS));
        zeros(&h, TF_FLOAT, 2, DIMS(0, 0));
        zeros(&h, TF_FLOAT, 2, DIMS(0, 0));
        zeros(&h, TF_FLOAT, 2, DIMS(0, 0));
        zeros(&h, TF_FLOAT, 1, DIMS(0));
        assert_true(oribi_attrs_set_bool(&h.attrs, &h.arena, "time_major", is_time_major != 0));
        stopped(&h, 3, is_time_major != 0 ? DIMS(STEPS, 1, UNITS) : DIMS(1, STEPS, UNITS));
    }
}

static void quantised(harness *h, const char *name, float scale, int64_t zero)
{
    char attr[32];
    (void)snprintf(attr, sizeof attr, "%s_scale", name);
    assert_true(oribi_attrs_set_float(&h->attrs, &h->arena, attr, scale));
    (void)snprintf(attr, sizeof attr, "%s_zero", name);
    assert_true(oribi_attrs_set_int(&h->attrs, &h->arena, attr, zero));
}

static void one_filter_scale(harness *h)
{
    static const float scale = 0.01F;
    const oribi_attr list = {
        .name = "filter_scales", .kind = TF_ATTR_FLOAT, .is_list = true, .count = 1, .u.f = &scale};
    quantised(h, "input", 0.05F, 0);
    quantised(h, "output", 0.05F, 0);
    assert_true(oribi_attrs_set(&h->attrs, &h->arena, &list));
}

static void quantised_layers_stop(void **state)
{
    harness h;
    (void)state;
    harness_init(&h, "Oribi>QFullyConnected");
    zeros(&h, TF_INT8, 2, DIMS(4096, 256));
    zeros(&h, TF_INT8, 2, DIMS(256, 256));
    zeros(&h, TF_INT32, 1, DIMS(256));
    h.constants = 6;
    one_filter_scale(&h);
    stopped(&h, 2, DIMS(4096, 256));
    harness_init(&h, "Oribi>QFullyConnected"); /* one row */
    zeros(&h, TF_INT8, 2, DIMS(1, 2048));
    zeros(&h, TF_INT8, 2, DIMS(4096, 2048));
    zeros(&h, TF_INT32, 1, DIMS(4096));
    h.constants = 6;
    one_filter_scale(&h);
    assert_true(harness_resolve(&h));
    TF_Tensor *out = harness_tensor(TF_INT8, DIMS(1, 4096), 2);
    h.outputs[0] = out;
    stop_row(&h, harness_reference(&h));
    harness_destroy(&h);
    harness_init(&h, "Oribi>QWideConv2D");
    zeros(&h, TF_UINT8, 4, DIMS(1, 128, 128, 8));
    zeros(&h, TF_UINT8, 4, DIMS(8, 3, 3, 8));
    zeros(&h, TF_INT32, 1, DIMS(8));
    one_filter_scale(&h);
    assert_true(oribi_attrs_set_int(&h.attrs, &h.arena, "filter_zero", 0));
    assert_true(oribi_attrs_set_ints(&h.attrs, &h.arena, "strides", DIMS(1, 1), 2));
    assert_true(oribi_attrs_set_ints(&h.attrs, &h.arena, "dilations", DIMS(1, 1), 2));
    assert_true(oribi_attrs_set_string(&h.attrs, &h.arena, "padding", "SAME"));
    stopped(&h, 4, DIMS(1, 128, 128, 8));
}

static void quantised_products_stop(void **state)
{
    enum { BATCH = 2, N = 256 };
    harness h;
    (void)state;
    for (int is_wide = 0; is_wide < 2; is_wide++) {
        const TF_DataType type = is_wide != 0 ? TF_INT16 : TF_INT8;
        harness_init(&h, "Oribi>QBatchMatMul");
        zeros(&h, type, 3, DIMS(BATCH, N, N));
        zeros(&h, type, 2, DIMS(N, N));
        quantised(&h, "a", 0.05F, 0);
        quantised(&h, "b", 0.05F, 0);
        quantised(&h, "output", 0.05F, 0);
        stopped(&h, 3, DIMS(BATCH, N, N));
    }
    harness_init(&h, "ONNX>QLinearMatMul");
    zeros(&h, TF_INT8, 3, DIMS(BATCH, N, N));
    zeros(&h, TF_INT8, 2, DIMS(N, N));
    zeros(&h, TF_INT32, 1, DIMS(1));
    zeros(&h, TF_INT32, 1, DIMS(1));
    zeros(&h, TF_FLOAT, 1, DIMS(1));
    assert_true(oribi_attrs_set_int(&h.attrs, &h.arena, "output_zero", 0));
    assert_true(oribi_attrs_set_type(&h.attrs, &h.arena, "Ty", TF_INT8));
    stopped(&h, 3, DIMS(BATCH, N, N));
}

static void quantised_images_and_values_stop(void **state)
{
    static const TF_DataType types[] = {TF_INT8, TF_UINT8, TF_INT16};
    harness h;
    (void)state;
    for (int i = 0; i < 3; i++) {
        harness_init(&h, "Oribi>QAveragePool");
        zeros(&h, types[i], 4, DIMS(1, 512, 512, 8));
        quantised(&h, "input", 0.05F, 0);
        quantised(&h, "output", 0.05F, 0);
        assert_true(oribi_attrs_set_ints(&h.attrs, &h.arena, "ksize", DIMS(2, 2), 2));
        assert_true(oribi_attrs_set_ints(&h.attrs, &h.arena, "strides", DIMS(1, 1), 2));
        assert_true(oribi_attrs_set_string(&h.attrs, &h.arena, "padding", "SAME"));
        stopped(&h, 4, DIMS(1, 512, 512, 8));
        harness_init(&h, "Oribi>QResizeBilinear");
        zeros(&h, types[i], 4, DIMS(1, 8, 8, 8));
        harness_input_ints(&h, 2, (const int32_t[]){512, 512});
        stopped(&h, 4, DIMS(1, 512, 512, 8));
    }
    harness_init(&h, "Oribi>QUnary");
    zeros(&h, TF_INT8, 1, DIMS(8 * LONG));
    quantised(&h, "input", 0.05F, 0);
    quantised(&h, "output", 0.05F, 0);
    assert_true(oribi_attrs_set_string(&h.attrs, &h.arena, "function", "RELU6"));
    stopped(&h, 1, DIMS(8 * LONG));
}

static void filters_of_a_memory_stop(void **state)
{
    enum { BATCH = 256, UNITS = 256, INPUTS = 64, MEMORY = 16 };
    harness h;
    (void)state;
    for (int is_quantised = 0; is_quantised < 2; is_quantised++) {
        const bool q = is_quantised != 0;
        harness_init(&h, q ? "Oribi>QSvdf" : "Oribi>Svdf");
        zeros(&h, q ? TF_INT8 : TF_FLOAT, 2, DIMS(BATCH, INPUTS));
        zeros(&h, q ? TF_INT8 : TF_FLOAT, 2, DIMS(UNITS, INPUTS));
        zeros(&h, q ? TF_INT16 : TF_FLOAT, 2, DIMS(UNITS, MEMORY));
        zeros(&h, q ? TF_INT32 : TF_FLOAT, 1, DIMS(UNITS));
        zeros(&h, q ? TF_INT16 : TF_FLOAT, 2, DIMS(BATCH, UNITS * MEMORY));
        assert_true(oribi_attrs_set_int(&h.attrs, &h.arena, "rank", 1));
        if (q) {
            quantised(&h, "input", 0.05F, 0);
            quantised(&h, "output", 0.05F, 0);
            assert_true(oribi_attrs_set_float(&h.attrs, &h.arena, "feature_scale", 0.02F));
            assert_true(oribi_attrs_set_float(&h.attrs, &h.arena, "time_scale", 0.003F));
            assert_true(oribi_attrs_set_float(&h.attrs, &h.arena, "state_scale", 0.01F));
        }
        stopped(&h, 2, DIMS(BATCH, UNITS));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selections_of_the_best_stop),
        cmocka_unit_test(sources_stop),
        cmocka_unit_test(gathering_and_scattering_stop),
        cmocka_unit_test(convolutions_stop),
        cmocka_unit_test(recurrent_layers_stop),
        cmocka_unit_test(quantised_layers_stop),
        cmocka_unit_test(quantised_products_stop),
        cmocka_unit_test(quantised_images_and_values_stop),
        cmocka_unit_test(filters_of_a_memory_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
