/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of layers of int16 and of uint8 against the reference row, bit for bit: channels
 * around the width of vectors, groups, depthwise layers with multipliers, paddings, strides,
 * dilations, and sums that leave int32.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "harness.h"
#include "tests/micro/random.h"

#include "micro/element.h"
#include "micro/reduce/reduce_q_prepare.h"

#define SHOULD_HAVE_VECTORS (oribi_cpu_has(ORIBI_ISA_avx2))

enum { MOST_OUTPUTS = 300 };

typedef struct shape {
    int32_t batch, height, width, depth, groups, taps_y, taps_x, of_group, strides[2], dilations[2];
    const char *padding;
    TF_DataType type, bias;
    bool is_extreme; /* inputs and weights are all of the greatest size */
} shape;

static const char *const kinds[] = {"dense", "convolution", "groups", "depthwise", "deep"};
enum { DENSE, CONVOLUTION, GROUPS, DEPTHWISE, DEEP, N_KINDS };

static int32_t near_width(uint64_t *seed)
{
    const int32_t near = 16 * random_in(seed, 0, 4) + random_in(seed, -2, 2);
    return near < 1 ? random_in(seed, 1, 12) : near;
}

static shape random_shape(uint64_t *seed, int kind)
{
    shape s = {.batch = random_in(seed, 1, 2), .depth = near_width(seed), .groups = 1};
    s.of_group = near_width(seed);
    s.taps_y = kind == DENSE ? 1 : random_in(seed, 1, 4);
    s.taps_x = kind == DENSE ? 1 : random_in(seed, 1, 4);
    for (int i = 0; i < 2; i++) {
        s.strides[i] = random_in(seed, 1, kind == DENSE ? 1 : 3);
        s.dilations[i] = random_once_in(seed, 3) ? 2 : 1;
    }
    s.height = random_in(seed, (s.taps_y - 1) * s.dilations[0] + 1, 9);
    s.width = random_in(seed, (s.taps_x - 1) * s.dilations[1] + 1, random_in(seed, 9, 30));
    if (kind == GROUPS) {
        s.groups = random_in(seed, 2, 4);
        s.depth = random_in(seed, 2, 9);
    } else if (kind == DEPTHWISE) {
        s.groups = near_width(seed);
        s.depth = 1;
        s.of_group = random_in(seed, 1, random_in(seed, 1, 3));
    } else if (kind == DEEP) { /* several times as many pairs as fit int32 */
        s.depth = random_in(seed, 500, 1200);
        s.height = s.width = s.taps_y = s.taps_x = 1 + random_in(seed, 0, 1);
    }
    s.padding = random_once_in(seed, 2) ? "SAME" : "VALID";
    s.type = random_once_in(seed, 3) ? TF_UINT8 : TF_INT16;
    s.bias = s.type == TF_UINT8 || random_once_in(seed, 4) ? TF_INT32 : TF_INT64;
    s.is_extreme = random_once_in(seed, 3);
    return s;
}

static void set_quantisation(harness *h, const shape *s, uint64_t *seed)
{
    static const char *const activations[] = {"NONE", "RELU", "RELU6", "RELU_N1_TO_1"};
    const bool is_byte = s->type == TF_UINT8;
    float scales[MOST_OUTPUTS];
    for (int32_t c = 0; c < s->groups * s->of_group; c++) {
        const float of[] = {1e-9F, 1e-6F, 3e-4F, 2e-3F, 0.9F, 20.0F};
        scales[c] =
            of[random_in(seed, 0, is_byte ? 4 : 5)] * (float)random_in(seed, 500, 1000) / 1000.0F;
    }
    const oribi_attr list = {.name = "filter_scales",
                             .kind = TF_ATTR_FLOAT,
                             .is_list = true,
                             .count = random_once_in(seed, 3) ? 1 : s->groups * s->of_group,
                             .u.f = scales};
    oribi_attrs *a = &h->attrs;
    assert_true(oribi_attrs_set(a, &h->arena, &list));
    assert_true(oribi_attrs_set_float(a, &h->arena, "input_scale", 0.05F));
    assert_true(oribi_attrs_set_float(a, &h->arena, "output_scale", 0.03F));
    assert_true(
        oribi_attrs_set_int(a, &h->arena, "input_zero", is_byte ? random_in(seed, 0, 255) : 0));
    assert_true(
        oribi_attrs_set_int(a, &h->arena, "output_zero", is_byte ? random_in(seed, 0, 255) : 0));
    assert_true(
        oribi_attrs_set_int(a, &h->arena, "filter_zero", is_byte ? random_in(seed, 0, 255) : 0));
    assert_true(oribi_attrs_set_bool(a, &h->arena, "has_float_scales", is_byte));
    assert_true(
        oribi_attrs_set_string(a, &h->arena, "activation",
                               activations[random_once_in(seed, 2) ? 0 : random_in(seed, 0, 3)]));
}

static void set_window(harness *h, const shape *s)
{
    const int64_t strides[2] = {s->strides[0], s->strides[1]};
    const int64_t dilations[2] = {s->dilations[0], s->dilations[1]};
    assert_true(oribi_attrs_set_ints(&h->attrs, &h->arena, "strides", strides, 2));
    assert_true(oribi_attrs_set_ints(&h->attrs, &h->arena, "dilations", dilations, 2));
    assert_true(oribi_attrs_set_string(&h->attrs, &h->arena, "padding", s->padding));
}

static void add_inputs(harness *h, const shape *s, uint64_t *seed)
{
    const int64_t outputs = s->groups * s->of_group;
    const int64_t image[4] = {s->batch, s->height, s->width, s->groups * s->depth};
    const int64_t filter[4] = {outputs, s->taps_y, s->taps_x, s->depth};
    const bool is_byte = s->type == TF_UINT8;
    void *x = harness_input(h, s->type, image, 4);
    for (int64_t i = 0; i < TF_TensorElementCount(h->inputs[0]); i++) {
        if (is_byte) {
            ((uint8_t *)x)[i] = (uint8_t)(s->is_extreme ? 255 : random_in(seed, 0, 255));
        } else {
            ((int16_t *)x)[i] = (int16_t)(s->is_extreme ? -32768 : random_in(seed, -32768, 32767));
        }
    }
    int8_t *w = harness_input(h, is_byte ? TF_UINT8 : TF_INT8, filter, 4);
    const int64_t n = TF_TensorElementCount(h->inputs[1]);
    random_bytes(seed, w, (int32_t)n, -128, 127);
    for (int64_t i = 0; s->is_extreme && i < n; i++) {
        w[i] = (int8_t)(i / (n / outputs) % 2 == 0 ? -128 : 127); /* of either sign by turns */
    }
    void *bias = harness_input(h, s->bias, &outputs, 1);
    for (int64_t c = 0; c < outputs; c++) {
        const int32_t small = random_in(seed, -30000, 30000);
        if (s->bias == TF_INT32) {
            ((int32_t *)bias)[c] = small;
        } else {
            ((int64_t *)bias)[c] = small * (random_once_in(seed, 3) ? INT64_C(300000) : 1);
        }
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

/* Returns how many rows gave the results; 0, too, where the reference refuses a multiplier. */
static int check_shape(const shape *s, uint64_t *seed, uint32_t constants)
{
    check c = {.n = 0};
    oribi_shape shapes[HARNESS_MOST] = {{0}};
    harness_init(&c.h, "Oribi>QWideConv2D");
    set_quantisation(&c.h, s, seed);
    set_window(&c.h, s);
    add_inputs(&c.h, s, seed);
    c.h.constants = constants;
    assert_true(harness_resolve(&c.h));
    for (int i = 0; s->groups > 1 && i < c.h.n_inputs; i++) { /* groups are known from them */
        shapes[i] = (oribi_shape){c.h.inputs[i]->rank, c.h.inputs[i]->dims};
        c.h.view.input_shapes = shapes;
    }
    if (harness_run(&c.h, harness_reference(&c.h))) {
        c.want = c.h.outputs[0];
        c.h.outputs[0] = NULL;
        (void)harness_each_row(&c.h, check_row, &c);
    }
    TF_DeleteTensor(c.want);
    harness_destroy(&c.h);
    return c.n;
}

static void every_variant_of_a_wide_layer_gives_the_same_bits(void **state)
{
    int n[N_KINDS] = {0};
    (void)state;

    for (uint64_t i = 1; i <= 500; i++) {
        uint64_t seed = i * UINT64_C(0x9e3779b97f4a7c15);
        const int kind = (int)(i % N_KINDS);
        const shape s = random_shape(&seed, kind);
        n[kind] += check_shape(&s, &seed, ~1U);
    }

    for (int i = 0; i < N_KINDS; i++) {
        if (SHOULD_HAVE_VECTORS && n[i] < 70) {
            fail_msg("%s: %d rows", kinds[i], n[i]);
        }
    }
}

/* Weights that are no constants, and groups that nobody told of, are micro/'s. */
static void layers_that_cannot_be_packed_give_the_same_bits(void **state)
{
    int n = 0;
    (void)state;

    for (uint64_t i = 1; i <= 20; i++) {
        uint64_t seed = i * UINT64_C(0x9e3779b97f4a7c15);
        const shape s = random_shape(&seed, CONVOLUTION);
        n += check_shape(&s, &seed, i % 3 == 0 ? 0 : i % 3 == 1 ? 2 : 4);
    }

    assert_true(n > 0 || !SHOULD_HAVE_VECTORS);
}

/* --- Values of int16 -------------------------------------------------------------------------- */

static void set_scale(harness *h, const char *name, float scale)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%s_scale", name);
    assert_true(oribi_attrs_set_float(&h->attrs, &h->arena, text, scale));
    (void)snprintf(text, sizeof text, "%s_zero", name);
    assert_true(oribi_attrs_set_int(&h->attrs, &h->arena, text, 0));
}

/* Returns how many rows gave what the reference gave. */
static int compare_rows(check *c)
{
    assert_true(harness_resolve(&c->h));
    assert_true(harness_run(&c->h, harness_reference(&c->h)));
    c->want = c->h.outputs[0];
    c->h.outputs[0] = NULL;
    (void)harness_each_row(&c->h, check_row, c);
    TF_DeleteTensor(c->want);
    harness_destroy(&c->h);
    return c->n;
}

static void products_of_words_give_the_same_bits(void **state)
{
    int n = 0;
    (void)state;

    for (uint64_t i = 1; i <= 200; i++) {
        uint64_t seed = i * UINT64_C(0x9e3779b97f4a7c15);
        int64_t dims[2][3];
        check c = {.n = 0};
        harness_init(&c.h, "Oribi>QMul");
        set_scale(&c.h, "a", (float)random_in(&seed, 1, 1000) * 1e-5F);
        set_scale(&c.h, "b", (float)random_in(&seed, 1, 1000) * 1e-5F);
        const float scales[] = {1e-8F, 1e-5F, 1e-2F, 10.0F};
        set_scale(&c.h, "output", scales[random_in(&seed, 0, 3)]);
        const char *activation = random_once_in(&seed, 2) ? "NONE" : "RELU6";
        assert_true(oribi_attrs_set_string(&c.h.attrs, &c.h.arena, "activation", activation));
        for (int k = 0; k < 3; k++) {
            dims[0][k] = dims[1][k] = random_in(&seed, 1, k == 2 ? 70 : 4);
            if (random_once_in(&seed, 3)) {
                dims[random_in(&seed, 0, 1)][k] = 1;
            }
        }
        for (int side = 0; side < 2; side++) {
            int16_t *x = harness_input(&c.h, TF_INT16, dims[side], 3);
            for (int64_t k = 0; k < TF_TensorElementCount(c.h.inputs[side]); k++) {
                x[k] =
                    (int16_t)(random_once_in(&seed, 8) ? -32768 : random_in(&seed, -32768, 32767));
            }
        }
        n += compare_rows(&c);
    }

    assert_true(n >= 200);
}

static void curves_of_every_word_give_the_same_bits(void **state)
{
    static const float scales[] = {1.0F / 4096, 1.0F / 2048, 0.0003F, 0.00001F, 0.0013F};
    const int64_t count = 65536;
    int n = 0;
    (void)state;

    for (int i = 0; i < 10; i++) {
        check c = {.n = 0};
        harness_init(&c.h, "Oribi>QUnary");
        set_scale(&c.h, "input", scales[i / 2]);
        set_scale(&c.h, "output", 1.0F / 32768);
        assert_true(oribi_attrs_set_string(&c.h.attrs, &c.h.arena, "function",
                                           i % 2 == 0 ? "TANH" : "LOGISTIC"));
        int16_t *x = harness_input(&c.h, TF_INT16, &count, 1);
        for (int32_t k = 0; k < count; k++) {
            x[k] = (int16_t)(k - 32768);
        }
        n += compare_rows(&c);
    }

    assert_true(n >= 10);
}

/* Channels that are summed by vectors have what micro/'s walk over each gives. */
static void means_of_channels_have_the_bits_of_a_walk(void **state)
{
    static int16_t want[3 * 200];
    (void)state;

    for (uint64_t i = 1; i <= 60; i++) {
        uint64_t seed = i * UINT64_C(0x9e3779b97f4a7c15);
        const bool is_byte = i % 2 == 0;
        const int64_t dims[3] = {random_in(&seed, 1, 3), random_in(&seed, 1, 30),
                                 near_width(&seed)};
        const int64_t one = 1;
        const int32_t sizes[3] = {(int32_t)dims[0], (int32_t)dims[1], (int32_t)dims[2]};
        struct oribi_micro_reduce_q_args args;
        check c = {.n = 0};
        harness_init(&c.h, i % 3 == 0 ? "Oribi>QSum" : "Oribi>QMean");
        set_scale(&c.h, "input", 0.5F);
        set_scale(&c.h, "output", i % 5 == 0 ? 0.01F : 0.7F);
        char *x = harness_input(&c.h, is_byte ? TF_UINT8 : TF_INT16, dims, 3);
        const int64_t bytes = (int64_t)TF_TensorByteSize(c.h.inputs[0]);
        random_bytes(&seed, (int8_t *)x, (int32_t)bytes, -128, 127);
        *(int32_t *)harness_input(&c.h, TF_INT32, &one, 1) = 1;
        const struct oribi_micro_reduce_q_spec spec = {
            .dims = sizes,
            .rank = 3,
            .summed = 2,
            .kind = is_byte ? ORIBI_MICRO_U8 : ORIBI_MICRO_S16,
            .function = i % 3 == 0 ? ORIBI_MICRO_REDUCE_SUM : ORIBI_MICRO_REDUCE_MEAN,
            .input = {0.5F, 0},
            .output = {i % 5 == 0 ? 0.01F : 0.7F, 0}};

        assert_true(harness_resolve(&c.h));
        assert_true(harness_run(&c.h, harness_reference(&c.h)));

        assert_int_equal(oribi_micro_reduce_q_prepare(&spec, &args), ORIBI_MICRO_OK);
        oribi_micro_wide_reduce(&args, x, want);
        assert_memory_equal(TF_TensorData(c.h.outputs[0]), want, TF_TensorByteSize(c.h.outputs[0]));
        harness_destroy(&c.h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_variant_of_a_wide_layer_gives_the_same_bits),
        cmocka_unit_test(layers_that_cannot_be_packed_give_the_same_bits),
        cmocka_unit_test(products_of_words_give_the_same_bits),
        cmocka_unit_test(curves_of_every_word_give_the_same_bits),
        cmocka_unit_test(means_of_channels_have_the_bits_of_a_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
