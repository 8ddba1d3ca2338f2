/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of the quantised layers against the reference row, bit for bit: odd sizes, panels
 * that are not full, paddings, strides, dilations, multipliers above 1 and tiny ones.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness.h"
#include "tests/micro/random.h"

#include "cpu/quantised/quantized_panels.h"
#include "micro/dense/batch_matmul_q_prepare.h"
#include "micro/element.h"
#include "micro/elementwise/binary_q_prepare.h"
#include "micro/fixed_point.h"
#include "micro/svdf/svdf_f32.h"

typedef struct shape {
    const char *op;
    int32_t batch, height, width, channels, taps_y, taps_x, outputs, stride, dilation, dilation_x;
    const char *padding;
} shape;

static const char conv[] = "Oribi>QConv2D", depthwise[] = "Oribi>QDepthwiseConv2D",
                  dense[] = "Oribi>QFullyConnected";

static shape random_shape(uint64_t *seed)
{
    static const char *const ops[] = {conv, depthwise, dense};
    shape s = {.op = ops[random_in(seed, 0, 2)]};
    s.batch = random_in(seed, 1, 2);
    s.channels = random_once_in(seed, 2) ? random_in(seed, 1, 9) : random_in(seed, 10, 50);
    s.taps_y = random_in(seed, 1, 4);
    s.taps_x = random_in(seed, 1, 4);
    s.stride = random_in(seed, 1, 3);
    s.dilation = random_once_in(seed, 3) ? 2 : 1;
    s.dilation_x = random_once_in(seed, 2) ? 1 : s.dilation;
    s.height = random_in(seed, (s.taps_y - 1) * s.dilation + 1, 9);
    s.width = random_in(seed, (s.taps_x - 1) * s.dilation + 1, 9);
    s.outputs = s.op == depthwise ? s.channels * random_in(seed, 1, random_in(seed, 1, 2))
                                  : random_in(seed, 1, random_once_in(seed, 3) ? 100 : 40);
    s.padding = random_once_in(seed, 2) ? "SAME" : "VALID";
    if (s.op == dense && random_once_in(seed, 8)) { /* more than one slice of work */
        s.channels = random_in(seed, 500, 900);
    }
    if (s.op == depthwise && random_once_in(seed, 16)) { /* likewise */
        s.height = 60;
        s.width = random_once_in(seed, 2) ? 40 : 70; /* or too wide to be padded */
    }
    return s;
}

/* Windows of 3 x 3 or 5 x 5 over whole panels and even parts of one, in rows of many pixels. */
static shape usual_shape(uint64_t *seed)
{
    const int32_t channels = 4 << random_in(seed, 0, 3), taps = random_once_in(seed, 2) ? 3 : 5;
    shape s = {.op = random_once_in(seed, 3) ? conv : depthwise,
               .batch = 1,
               .height = 9,
               .width = random_in(seed, 9, 40),
               .channels = channels,
               .taps_y = taps,
               .taps_x = taps,
               .outputs = channels,
               .stride = random_in(seed, 1, 2),
               .padding = random_once_in(seed, 2) ? "SAME" : "VALID"};
    s.dilation = s.dilation_x = random_in(seed, 1, 2);
    return s;
}

/* Weights that no second level holds beside others, over rows of few pixels. */
static shape deep_shape(uint64_t *seed)
{
    const int32_t taps = random_once_in(seed, 2) ? 3 : 1;
    shape s = {.op = conv,
               .batch = random_in(seed, 1, 2),
               .height = random_in(seed, 3, 5),
               .width = random_in(seed, 3, 9),
               .channels = taps == 3 ? 512 : 4600,
               .taps_y = taps,
               .taps_x = taps,
               .outputs = random_in(seed, 113, 128),
               .stride = 1,
               .dilation = 1,
               .dilation_x = 1,
               .padding = "SAME"};
    return s;
}

/* Several rows, more or fewer than a tile, by panels that are read side by side. */
static shape rows_shape(uint64_t *seed)
{
    return (shape){.op = dense,
                   .batch = random_in(seed, 1, 40),
                   .channels = random_in(seed, 1, 70),
                   .outputs = random_in(seed, 30, 128)};
}

static void set_attrs(harness *h, const shape *s, uint64_t *seed)
{
    static const char *const activations[] = {"NONE", "RELU", "RELU6", "RELU_N1_TO_1"};
    const int64_t strides[2] = {s->stride, s->stride}, dilations[2] = {s->dilation, s->dilation_x};
    const bool is_small = random_once_in(seed, 2); /* all shifts are to the right */
    float scales[128];
    for (int32_t c = 0; c < s->outputs; c++) {
        const float of[] = {1e-9F, 3e-4F, 2e-3F, 4e-2F, 0.9F};
        scales[c] =
            of[random_in(seed, 0, is_small ? 2 : 4)] * (float)random_in(seed, 500, 1000) / 1000.0F;
    }
    oribi_attrs *a = &h->attrs;
    assert_true(oribi_attrs_set_float(a, &h->arena, "input_scale", 0.05F));
    assert_true(oribi_attrs_set_int(a, &h->arena, "input_zero", random_in(seed, -128, 127)));
    assert_true(oribi_attrs_set_float(a, &h->arena, "output_scale", 0.03F));
    assert_true(oribi_attrs_set_int(a, &h->arena, "output_zero", random_in(seed, -128, 127)));
    assert_true(
        oribi_attrs_set_string(a, &h->arena, "activation",
                               activations[random_once_in(seed, 2) ? 0 : random_in(seed, 0, 3)]));
    const oribi_attr list = {.name = "filter_scales",
                             .kind = TF_ATTR_FLOAT,
                             .is_list = true,
                             .count = random_once_in(seed, 3) ? 1 : s->outputs,
                             .u.f = scales};
    assert_true(oribi_attrs_set(a, &h->arena, &list));
    if (s->op != dense) {
        assert_true(oribi_attrs_set_ints(a, &h->arena, "strides", strides, 2));
        assert_true(oribi_attrs_set_ints(a, &h->arena, "dilations", dilations, 2));
        assert_true(oribi_attrs_set_string(a, &h->arena, "padding", s->padding));
    }
    if (s->op == depthwise) {
        assert_true(
            oribi_attrs_set_int(a, &h->arena, "depth_multiplier", s->outputs / s->channels));
    }
}

static void add_inputs(harness *h, const shape *s, uint64_t *seed)
{
    const int64_t image[4] = {s->batch, s->height, s->width, s->channels};
    const int64_t rows[2] = {s->batch, s->channels}, out = s->outputs;
    const int64_t conv_filter[4] = {s->outputs, s->taps_y, s->taps_x, s->channels};
    const int64_t depthwise_filter[4] = {1, s->taps_y, s->taps_x, s->outputs};
    const int64_t dense_filter[2] = {s->outputs, s->channels};
    const int rank = s->op == dense ? 2 : 4;
    const int64_t *filter = s->op == dense  ? dense_filter
                            : s->op == conv ? conv_filter
                                            : depthwise_filter;
    int8_t *x = harness_input(h, TF_INT8, s->op == dense ? rows : image, rank);
    random_bytes(seed, x, (int32_t)TF_TensorElementCount(h->inputs[0]), -128, 127);
    int8_t *w = harness_input(h, TF_INT8, filter, rank);
    random_bytes(seed, w, (int32_t)TF_TensorElementCount(h->inputs[1]), -128, 127);
    int32_t *bias = harness_input(h, TF_INT32, &out, 1);
    for (int64_t c = 0; c < out; c++) {
        bias[c] = random_in(seed, -30000, 30000);
    }
}

typedef struct check {
    harness h;
    TF_Tensor *want;
    int n;
} check;

static void check_row(void *arg, const oribi_cpu_kernel *row)
{
    check *c = arg;
    if (row->priority == ORIBI_CPU_REFERENCE) {
        return;
    }
    if (!harness_run(&c->h, row)) {
        fail_msg("%s: %s", row->why, TF_Message(c->h.status));
    }
    assert_int_equal(TF_TensorByteSize(c->h.outputs[0]), TF_TensorByteSize(c->want));
    assert_memory_equal(TF_TensorData(c->h.outputs[0]), TF_TensorData(c->want),
                        TF_TensorByteSize(c->want));
    c->n++;
}

/* Kernels are told the shapes of the inputs when they are made, as those of a model are. */
static void tell_shapes(harness *h, oribi_shape *shapes)
{
    for (int i = 0; i < h->n_inputs; i++) {
        shapes[i] = (oribi_shape){h->inputs[i]->rank, h->inputs[i]->dims};
    }
    h->view.input_shapes = shapes;
}

static oribi_pool *pool; /* of three threads */

static int start_pool(void **state)
{
    TF_Status *status = TF_NewStatus();
    (void)state;
    pool = oribi_pool_create(3, status);
    TF_DeleteStatus(status);
    return pool != NULL ? 0 : -1;
}

static int end_pool(void **state)
{
    (void)state;
    oribi_pool_release(pool);
    return 0;
}

static void every_quantised_variant_gives_the_same_bits(void **state)
{
    int n = 0, checked[3] = {0};
    (void)state;

    for (uint64_t i = 1; i <= 600; i++) {
        uint64_t seed = i * UINT64_C(0x9e3779b97f4a7c15);
        const shape s = i % 60 == 0   ? deep_shape(&seed)
                        : i % 20 == 0 ? rows_shape(&seed)
                        : i % 6 == 0  ? usual_shape(&seed)
                                      : random_shape(&seed);
        oribi_shape shapes[HARNESS_MOST] = {{0}};
        check c = {0};
        harness_init(&c.h, s.op);
        set_attrs(&c.h, &s, &seed);
        add_inputs(&c.h, &s, &seed);
        c.h.constants = ~1U;
        c.h.pool = i % 4 == 0 ? pool : NULL;
        assert_true(harness_resolve(&c.h));
        if (random_once_in(&seed, 2)) {
            tell_shapes(&c.h, shapes);
        }
        if (harness_run(&c.h, harness_reference(&c.h))) { /* some multiplier is refused: no layer */
            c.want = c.h.outputs[0];
            c.h.outputs[0] = NULL;
            (void)harness_each_row(&c.h, check_row, &c);
            checked[s.op == conv ? 0 : s.op == depthwise ? 1 : 2]++;
            n += c.n;
        }
        TF_DeleteTensor(c.want);
        harness_destroy(&c.h);
    }

    assert_true(checked[0] > 100 && checked[1] > 100 && checked[2] > 100);
    assert_true(n >= (oribi_cpu_has(ORIBI_ISA_avx2) ? 300 : 0));
}

/* --- Every sum -----------------------------------------------------------------------------------
 */

enum { RANGE_OUTPUTS = 1000, FINE_OUTPUTS = 9000, RANGE_ROWS = 256, RANGE_INPUTS = 40 };

/* Channels whose biases are 256 apart, and an input of 256 values: their sums are all of a range,
 * of which results take a part. Other inputs are 0, but for what a kernel knows they might be more.
 */
static void add_range(harness *h, int32_t outputs_of, int32_t below)
{
    const int64_t rows[2] = {RANGE_ROWS, RANGE_INPUTS}, filter[2] = {outputs_of, RANGE_INPUTS},
                  outputs = outputs_of;
    int8_t *x = harness_input(h, TF_INT8, rows, 2);
    int8_t *w = harness_input(h, TF_INT8, filter, 2);
    int32_t *bias = harness_input(h, TF_INT32, &outputs, 1);
    memset(x, 0, (size_t)RANGE_ROWS * RANGE_INPUTS);
    memset(w, 127, (size_t)outputs_of * RANGE_INPUTS);
    for (int32_t k = 0; k < RANGE_ROWS; k++) {
        x[k * RANGE_INPUTS] = (int8_t)(k - 128);
    }
    for (int32_t k = 0; k < outputs_of; k++) {
        w[k * RANGE_INPUTS] = 1;
        bias[k] = (k - below) * RANGE_ROWS;
    }
    h->constants = ~1U;
}

/* `scale`: of a sum to a result. */
static void set_range_attrs(harness *h, float *scale, int32_t zero, const char *activation)
{
    const oribi_attr list = {
        .name = "filter_scales", .kind = TF_ATTR_FLOAT, .is_list = true, .count = 1, .u.f = scale};
    assert_true(oribi_attrs_set(&h->attrs, &h->arena, &list));
    assert_true(oribi_attrs_set_float(&h->attrs, &h->arena, "input_scale", 1.0F));
    assert_true(oribi_attrs_set_int(&h->attrs, &h->arena, "input_zero", 0));
    assert_true(oribi_attrs_set_float(&h->attrs, &h->arena, "output_scale", 1.0F));
    assert_true(oribi_attrs_set_int(&h->attrs, &h->arena, "output_zero", zero));
    assert_true(oribi_attrs_set_string(&h->attrs, &h->arena, "activation", activation));
}

static void every_sum_of_a_range_gives_the_same_bits(void **state)
{
    int n = 0;
    (void)state;

    for (uint64_t i = 1; i <= 20; i++) {
        uint64_t seed = i * UINT64_C(0x9e3779b97f4a7c15);
        const bool is_relu = i % 4 != 0;
        const int32_t n_outputs = i % 10 == 0 ? FINE_OUTPUTS : RANGE_OUTPUTS;
        float scale = (float)random_in(&seed, 100000, 140000) *
                      (n_outputs == FINE_OUTPUTS ? 1e-9F : 1e-8F); /* by integers */
        check c = {0};
        harness_init(&c.h, dense);
        set_range_attrs(&c.h, &scale, is_relu ? -128 : random_in(&seed, -100, 100),
                        is_relu ? "RELU" : "NONE");
        add_range(&c.h, n_outputs, n_outputs / (is_relu ? 8 : 2));
        c.h.pool = i % 10 == 0 ? pool : NULL;
        assert_true(harness_resolve(&c.h));
        assert_true(harness_run(&c.h, harness_reference(&c.h)));
        c.want = c.h.outputs[0];
        c.h.outputs[0] = NULL;
        (void)harness_each_row(&c.h, check_row, &c);
        n += c.n;
        TF_DeleteTensor(c.want);
        harness_destroy(&c.h);
    }

    assert_true(n >= (oribi_cpu_has(ORIBI_ISA_avx2) ? 20 : 0));
}

static bool floats_are_equal(const oribi_quantized_real *real, const oribi_quantized_layer *layer,
                             int32_t sum, int32_t want)
{
    int32_t of = sum;
    for (int32_t k = 0; k < real->n_apart; k++) {
        of += sum == real->apart[k] ? real->more[k] : 0;
    }
    const bool is_signed = layer->low < layer->zero;
    const float x = (float)of, term = is_signed && of < 0 ? -real->term : real->term;
    const float y = fmaf(x, real->factor, term);
    const int32_t found = (int32_t)rintf(y) + (is_signed ? layer->zero : 0);
    return oribi_micro_clamp(found, layer->low, layer->high) == want;
}

/* Of layers as models have them, and by each sum: floats that are wrong for one are not found. */
static void floats_of_a_channel_are_found_and_right_for_every_sum(void **state)
{
    int n_found = 0, n_apart = 0;
    (void)state;

    for (uint64_t i = 1; i <= 200; i++) {
        uint64_t seed = i * UINT64_C(0x9e3779b97f4a7c15);
        const bool is_relu = random_once_in(&seed, 2);
        const oribi_quantized_layer layer = {
            .zero = is_relu ? -128 : random_in(&seed, -40, 40), .low = -128, .high = 127};
        const int32_t multiplier = random_in(&seed, 1 << 30, INT32_MAX);
        const bool is_fine = i % 20 == 0;
        const int32_t shift = is_fine ? -12 : random_in(&seed, -11, -3);
        const int32_t middle = random_in(&seed, -20000, 20000), most = is_fine ? 1000000 : 200000;
        const int64_t reach[2] = {middle - random_in(&seed, 0, most),
                                  middle + random_in(&seed, 0, most)};
        oribi_quantized_real real;
        if (!oribi_quantized_real_find(&layer, multiplier, shift, reach, &real)) {
            continue;
        }
        for (int64_t sum = reach[0]; sum <= reach[1]; sum++) {
            const int32_t result = oribi_micro_scale((int32_t)sum, multiplier, shift) + layer.zero;
            assert_true(floats_are_equal(&real, &layer, (int32_t)sum,
                                         oribi_micro_clamp(result, layer.low, layer.high)));
        }
        n_found++;
        n_apart += real.n_apart > 0 ? 1 : 0;
    }

    assert_true(n_found > 190); /* as many as speed is counted on */
    assert_true(n_apart > 5);   /* and corrections are among what is tried */
}

/* A channel whose weights are 0 is its bias, however large, and one that a model has no use for has
 * a multiplier of 0; sums that no float holds do no harm where results are at their bounds; what
 * may overflow has no floats. */
static void floats_of_odd_channels(void **state)
{
    const oribi_quantized_layer layer = {.zero = -128, .low = -128, .high = 127};
    const int64_t constant[2] = {1073741824, 1073741824}, wide[2] = {-20000000, 20000000};
    const int64_t beyond[2] = {INT64_C(-3000000000), INT64_C(-2900000000)};
    oribi_quantized_real real;
    (void)state;

    assert_true(oribi_quantized_real_find(&layer, 1320764593, -27, constant, &real));
    assert_true(floats_are_equal(&real, &layer, 1073741824, -123));
    assert_true(oribi_quantized_real_find(&layer, 0, 0, wide, &real));
    assert_true(floats_are_equal(&real, &layer, -20000000, -128));
    assert_true(floats_are_equal(&real, &layer, 20000000, -128));
    assert_true(oribi_quantized_real_find(&layer, 1320764593, -10, wide, &real));
    for (int32_t sum = -1000; sum<20000000; sum += sum> 500000 ? 99991 : 1) {
        const int32_t result = oribi_micro_scale(sum, 1320764593, -10) + layer.zero;
        assert_true(floats_are_equal(&real, &layer, sum, oribi_micro_clamp(result, -128, 127)));
    }
    assert_false(oribi_quantized_real_find(&layer, 1320764593, -18, wide, &real));
    assert_false(oribi_quantized_real_find(&layer, 1320764593, -18, beyond, &real));
    assert_false(oribi_quantized_real_find(&layer, 1320764593, 1, constant, &real));
    assert_false(oribi_quantized_real_find(&layer, 1320764593, 0, constant, &real));
}

/* --- Sums ----------------------------------------------------------------------------------------
 */

static void set_sum_attrs(harness *h, uint64_t *seed)
{
    static const char *const activations[] = {"NONE", "NONE", "RELU", "RELU6", "RELU_N1_TO_1"};
    static const char *const sides[] = {"a", "b", "output"};
    for (int i = 0; i < 3; i++) {
        const float scale = 1e-3F * (float)random_in(seed, 1, random_once_in(seed, 2) ? 10 : 1000);
        char name[32];
        (void)snprintf(name, sizeof name, "%s_scale", sides[i]);
        assert_true(oribi_attrs_set_float(&h->attrs, &h->arena, name, scale));
        (void)snprintf(name, sizeof name, "%s_zero", sides[i]);
        assert_true(oribi_attrs_set_int(&h->attrs, &h->arena, name, random_in(seed, -128, 127)));
    }
    assert_true(oribi_attrs_set_string(&h->attrs, &h->arena, "activation",
                                       activations[random_in(seed, 0, 4)]));
}

/* How sides broadcast: scalars, rows of few and of many, on either side, on both. */
static const struct {
    int64_t a[3], b[3];
} broadcasts[] = {
    {{2, 1, 70}, {1, 1, 70}},  {{1, 1, 1}, {2, 3, 30}},  {{5, 40, 3}, {1, 1, 3}},
    {{1, 1, 5}, {3, 50, 5}},   {{2, 300, 3}, {2, 1, 3}}, {{1, 2, 900}, {1, 2, 1}},
    {{3, 1, 20}, {1, 40, 20}}, {{2, 7, 1}, {1, 7, 9}},   {{1, 600, 1}, {1, 1, 1}},
};

/* All pairs of numbers that int8 has, tails of each length, and sides that are broadcast. */
static void every_variant_of_a_sum_gives_the_same_bits(void **state)
{
    static const char *const ops[] = {"Oribi>QSub", "Oribi>QAdd", "Oribi>QMul"};
    enum { BROADCASTS = sizeof broadcasts / sizeof *broadcasts };
    int n = 0, n_sums = 0;
    (void)state;

    for (uint64_t i = 1; i <= 180; i++) {
        uint64_t seed = i * UINT64_C(0x9e3779b97f4a7c15);
        const bool is_broadcast = i % 3 == 0, is_whole = i % 4 == 1;
        const int64_t flat[3] = {1, 1, is_whole ? 65536 : random_in(&seed, 1, 150)};
        const int64_t *a_dims = is_broadcast ? broadcasts[i / 3 % BROADCASTS].a : flat;
        const int64_t *b_dims = is_broadcast ? broadcasts[i / 3 % BROADCASTS].b : flat;
        check c = {0};
        harness_init(&c.h, ops[i / 3 % 3]);
        set_sum_attrs(&c.h, &seed);
        if (i % 7 == 0) { /* a gate whose scales are powers of two */
            assert_true(oribi_attrs_set_float(&c.h.attrs, &c.h.arena, "b_scale", 1.0F / 256) &&
                        oribi_attrs_set_float(&c.h.attrs, &c.h.arena, "a_scale", 0.0625F) &&
                        oribi_attrs_set_float(&c.h.attrs, &c.h.arena, "output_scale", 0.03125F));
        }
        int8_t *a = harness_input(&c.h, TF_INT8, a_dims, 3);
        random_bytes(&seed, a, (int32_t)(a_dims[0] * a_dims[1] * a_dims[2]), -128, 127);
        int8_t *b = harness_input(&c.h, TF_INT8, b_dims, 3);
        random_bytes(&seed, b, (int32_t)(b_dims[0] * b_dims[1] * b_dims[2]), -128, 127);
        for (int64_t k = 0; !is_broadcast && is_whole && k < flat[2]; k++) {
            a[k] = (int8_t)(k / 256 - 128);
            b[k] = (int8_t)(k % 256 - 128);
        }
        assert_true(harness_resolve(&c.h));
        if (harness_run(&c.h, harness_reference(&c.h))) { /* scales too far apart: no sum */
            c.want = c.h.outputs[0];
            c.h.outputs[0] = NULL;
            (void)harness_each_row(&c.h, check_row, &c);
            n_sums++;
            n += c.n;
        }
        TF_DeleteTensor(c.want);
        harness_destroy(&c.h);
    }

    assert_true(n_sums > 90);
    assert_true(n >= (oribi_cpu_has(ORIBI_ISA_avx2) ? n_sums : 0));
}

/* The same of products, whose floats are found without trying pairs: activations, attention of
 * channels, scales of channels. */
static void products_are_made_by_floats(void **state)
{
    int n = 0;
    (void)state;

    for (uint64_t i = 1; i <= 60; i++) {
        uint64_t seed = i * UINT64_C(0x9e3779b97f4a7c15);
        const float a = 1e-5F * (float)random_in(&seed, 100, 10000);
        const float b = i % 2 == 0 ? 1.0F / 256 : 1e-5F * (float)random_in(&seed, 100, 10000);
        const struct oribi_micro_binary_q_spec spec = {
            .kind = ORIBI_MICRO_S8,
            .a = {a, random_in(&seed, -128, 127)},
            .b = {b, i % 2 == 0 ? -128 : random_in(&seed, -128, 127)},
            .output = {a * b * (float)random_in(&seed, 20, 250), random_in(&seed, -128, 127)}};
        struct oribi_micro_mul_q_args args;
        oribi_quantized_product product;
        assert_int_equal(oribi_micro_mul_q_prepare(&spec, &args), ORIBI_MICRO_OK);
        oribi_quantized_product_find(&args, &product);
        n += product.n_apart >= 0 ? 1 : 0;
    }
    assert_true(n > 58);
}

/* Creation tries the pairs that rounding might decide; here are all. */
static void check_every_pair(const oribi_quantized_simd *simd, const oribi_quantized_sum *sum)
{
    int8_t b[256], want[256], found[256];
    for (int k = 0; k < 256; k++) {
        b[k] = (int8_t)(k - 128);
    }
    for (int k = 0; k < 256; k++) {
        const int8_t a = b[k];
        int8_t all[256];
        memset(all, a, sizeof all);
        oribi_micro_add_row_s8(&sum->exact, &a, 0, b, 1, 256, want);
        simd->add(sum, all, b, 256, found);
        assert_memory_equal(found, want, sizeof want);
    }
}

/* How many of 200 sums, of scales as models have them, are made by floats. */
static int count_real_sums(const oribi_quantized_simd *simd)
{
    int n = 0;
    for (uint64_t i = 1; i <= 200; i++) {
        uint64_t seed = i * UINT64_C(0x9e3779b97f4a7c15);
        const float a = 1e-7F * (float)random_in(&seed, 100000, 1000000);
        const float b = 1e-7F * (float)random_in(&seed, 100000, 1000000);
        const struct oribi_micro_binary_q_spec spec = {
            .kind = ORIBI_MICRO_S8,
            .a = {a, random_in(&seed, -128, 127)},
            .b = {i % 4 == 0 ? a : b, random_in(&seed, -128, 127)},
            .output = {i % 8 == 0 ? 2 * a : (a + b) * 0.7F, random_in(&seed, -128, 127)}};
        struct oribi_micro_add_s8_args args;
        assert_int_equal(i % 3 == 0 ? oribi_micro_sub_s8_prepare(&spec, &args)
                                    : oribi_micro_add_s8_prepare(&spec, &args),
                         ORIBI_MICRO_OK);
        oribi_quantized_sum sum = {.exact = args.scales};
        oribi_quantized_sum_find(simd, &sum);
        if (sum.is_real) {
            check_every_pair(simd, &sum);
            n++;
        }
    }
    return n;
}

static void sums_are_made_by_floats(void **state)
{
    (void)state;

#define IS_COUNTED(part, isa)                                                                      \
    if (oribi_cpu_has(ORIBI_ISA_##isa)) {                                                          \
        assert_true(count_real_sums(&oribi_quantized_##isa) > 190);                                \
    }
    ORIBI_ISAS_OF_quantized_panels(IS_COUNTED)
#undef IS_COUNTED
}

/* --- Slices --------------------------------------------------------------------------------------
 */

/* Units of an SVDF are computed in slices, with the bits of one call. */
static void an_svdf_in_slices_has_the_bits_of_one_call(void **state)
{
    enum { BATCH = 5, UNITS = 150, RANK_OF_UNITS = 2, INPUTS = 70, MEMORY = 11 };
    enum { FILTERS = UNITS * RANK_OF_UNITS };
    static const int64_t dims[5][2] = {
        {BATCH, INPUTS}, {FILTERS, INPUTS}, {FILTERS, MEMORY}, {UNITS}, {BATCH, FILTERS * MEMORY}};
    static float want[BATCH * UNITS], next[BATCH * FILTERS * MEMORY];
    uint64_t seed = 1;
    float *x[5];
    harness h;
    (void)state;
    harness_init(&h, "Oribi>Svdf");
    for (int i = 0; i < 5; i++) {
        x[i] = harness_input(&h, TF_FLOAT, dims[i], i == 3 ? 1 : 2);
        for (int64_t k = 0; k < TF_TensorElementCount(h.inputs[i]); k++) {
            x[i][k] = (float)random_in(&seed, -1000, 1000) / 700.0F;
        }
    }
    assert_true(oribi_attrs_set_int(&h.attrs, &h.arena, "rank", RANK_OF_UNITS));
    assert_true(harness_resolve(&h));
    assert_true(harness_run(&h, harness_reference(&h)));
    const struct oribi_micro_svdf_f32_args args = {x[1],   x[2],  x[3],          BATCH,
                                                   INPUTS, UNITS, RANK_OF_UNITS, MEMORY};
    oribi_micro_svdf_f32(&args, x[0], x[4], want, next);
    assert_memory_equal(TF_TensorData(h.outputs[0]), want, sizeof want);
    assert_memory_equal(TF_TensorData(h.outputs[1]), next, sizeof next);
    harness_destroy(&h);
}

/* So are rows of products, whose matrices broadcast. */
static void products_in_slices_have_the_bits_of_one_call(void **state)
{
    enum { M = 5, K = 700, N = 9 };
    static const int64_t a_dims[] = {2, 1, M, K}, b_dims[] = {3, N, K};
    static const int32_t a_sizes[] = {2, 1, M, K}, b_sizes[] = {3, N, K};
    static const char *const sides[] = {"a", "b", "output"};
    const struct oribi_micro_quantisation q = {0.05F, 0};
    const struct oribi_micro_batch_matmul_q_spec spec = {.kind = ORIBI_MICRO_S8,
                                                         .a_dims = a_sizes,
                                                         .b_dims = b_sizes,
                                                         .a_rank = 4,
                                                         .b_rank = 3,
                                                         .b_transposed = 1,
                                                         .a = q,
                                                         .b = q,
                                                         .output = {9.0F, 0}};
    struct oribi_micro_batch_matmul_q_args args;
    static int8_t want[2 * 3 * M * N];
    uint64_t seed = 1;
    harness h;
    (void)state;
    harness_init(&h, "Oribi>QBatchMatMul");
    int8_t *a = harness_input(&h, TF_INT8, a_dims, 4), *b = harness_input(&h, TF_INT8, b_dims, 3);
    random_bytes(&seed, a, 2 * M * K, -128, 127);
    random_bytes(&seed, b, 3 * N * K, -128, 127);
    for (int i = 0; i < 3; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "%s_scale", sides[i]);
        assert_true(oribi_attrs_set_float(&h.attrs, &h.arena, name, i == 2 ? 9.0F : 0.05F));
        (void)snprintf(name, sizeof name, "%s_zero", sides[i]);
        assert_true(oribi_attrs_set_int(&h.attrs, &h.arena, name, 0));
    }
    assert_true(oribi_attrs_set_bool(&h.attrs, &h.arena, "adj_y", true));
    assert_true(harness_resolve(&h));
    assert_true(harness_run(&h, harness_reference(&h)));
    assert_int_equal(oribi_micro_batch_matmul_q_prepare(&spec, &args), ORIBI_MICRO_OK);
    oribi_micro_batch_matmul_s8(&args, a, b, want);
    assert_int_equal(TF_TensorByteSize(h.outputs[0]), sizeof want);
    assert_memory_equal(TF_TensorData(h.outputs[0]), want, sizeof want);
    harness_destroy(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_quantised_variant_gives_the_same_bits),
        cmocka_unit_test(every_sum_of_a_range_gives_the_same_bits),
        cmocka_unit_test(floats_of_a_channel_are_found_and_right_for_every_sum),
        cmocka_unit_test(floats_of_odd_channels),
        cmocka_unit_test(every_variant_of_a_sum_gives_the_same_bits),
        cmocka_unit_test(sums_are_made_by_floats),
        cmocka_unit_test(products_are_made_by_floats),
        cmocka_unit_test(an_svdf_in_slices_has_the_bits_of_one_call),
        cmocka_unit_test(products_in_slices_have_the_bits_of_one_call),
    };
    return cmocka_run_group_tests(tests, start_pool, end_pool);
}
