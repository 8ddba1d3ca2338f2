/* SPDX-License-Identifier: Apache-2.0 */
/* Custom operators that widely used models have and Oribi knows without a plugin; those of the
 * signal library are in tflite_signal.c, those of landmarks in tflite_landmarks.c, an NPU's in
 * tflite_ethos_u.c, weights that are stored smaller in tflite_decode.c. A plugin's op of the same
 * name goes first. Their options are C structs, word by word.
 */
#include "import/tflite/tflite.h"

#include <string.h>

enum { PADDING_SAME = 1, PADDING_VALID = 2 }; /* as C has it, not as files have it */

/* The first words of the options, of 32 bits, little endian. */
static bool read_words(oribi_tflite_node *n, int32_t *out, uint32_t count)
{
    oribi_flat_vector options = {0};
    if (n->failed ||
        !oribi_flat_read_vector(&n->table, 5, 1, "custom options", &options, n->status)) {
        n->failed = true;
        return false;
    }
    if (options.file == NULL || options.count < 4 * count) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                 "the custom options have %u bytes, %u are wanted",
                                 (unsigned)options.count, (unsigned)(4 * count));
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *at = options.file->data + options.at + 4 * i;
        out[i] = (int32_t)((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                           (uint32_t)at[3] << 24);
    }
    return true;
}

/* What a window of `filter` every `stride` over so many places came from; -1: too much. */
static int64_t grown(int64_t places, int64_t stride, int64_t filter, bool is_same)
{
    const int64_t over = filter - (places - 1) % stride - 1;
    const int64_t cut = is_same && over > 0 ? over : 0;
    const bool fits = places < INT32_MAX && stride <= INT32_MAX && filter <= INT32_MAX;
    return fits ? stride * (places - 1) + filter - cut : -1;
}

/* Inputs: x NHWC, weights OHWI, a bias. The sizes of the result follow from those of x. */
static bool transpose_conv_bias(oribi_tflite_node *n)
{
    static const oribi_dims ohwi_to_hwoi = {4, {1, 2, 0, 3}};
    int32_t words[3]; /* padding, strides of width and height */
    oribi_dims x_dims, filter_dims;
    int32_t sizes[4];
    ORIBI_TRY(read_words(n, words, 3));
    oribi_value_id x = oribi_tflite_input(n, 0), filter = oribi_tflite_input(n, 1);
    ORIBI_TRY(oribi_tflite_dims(n, x, &x_dims) && oribi_tflite_dims(n, filter, &filter_dims));
    if ((words[0] != PADDING_SAME && words[0] != PADDING_VALID) || words[1] < 1 || words[2] < 1 ||
        x_dims.n != 4 || filter_dims.n != 4) {
        return oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                                 "padding %d, strides %d and %d, ranks %d and %d are not possible",
                                 (int)words[0], (int)words[2], (int)words[1], (int)x_dims.n,
                                 (int)filter_dims.n);
    }
    for (int32_t i = 0; i < 4; i++) {
        const int64_t stride = words[i == 1 ? 2 : 1];
        int64_t size = i == 0 ? x_dims.at[0] : filter_dims.at[0];
        if (x_dims.at[i] < 1 || filter_dims.at[i] < 1) {
            return oribi_tflite_want_shapes(n, "the sizes of its inputs must be known");
        }
        if (i == 1 || i == 2) {
            size = grown(x_dims.at[i], stride, filter_dims.at[i], words[0] == PADDING_SAME);
        }
        if (size < 1 || size > INT32_MAX) {
            return oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "dimension %d of the result is %lld",
                                     (int)i, (long long)size);
        }
        sizes[i] = (int32_t)size;
    }
    const oribi_value_id wanted = oribi_tflite_ints(n, sizes, 4);
    filter = oribi_tflite_transpose(n, filter, &ohwi_to_hwoi);
    const int64_t strides[4] = {1, words[2], words[1], 1};
    oribi_value_id y =
        oribi_tflite_emit(n, "Conv2DBackpropInput", INPUTS(wanted, filter, x),
                          ATTRS(ATTR_INTS("strides", strides, 4),
                                ATTR_TEXT("padding", words[0] == PADDING_SAME ? "SAME" : "VALID")));
    y = oribi_tflite_emit(n, "BiasAdd", INPUTS(y, oribi_tflite_input(n, 2)), NO_ATTRS);
    return oribi_tflite_bind(n, 0, y);
}

enum { POOL_PADDING, STRIDE_W, STRIDE_H, POOL_W, POOL_H, POOL_ACTIVATION, POOL_WORDS };

/* The words of a pool, and its window and strides over NHWC. */
static bool read_pool(oribi_tflite_node *n, int32_t words[POOL_WORDS], int64_t ksize[4],
                      int64_t strides[4])
{
    ORIBI_TRY(read_words(n, words, POOL_WORDS));
    for (int32_t i = 0; i < 4; i++) {
        ksize[i] = strides[i] = 1;
    }
    ksize[1] = words[POOL_H];
    ksize[2] = words[POOL_W];
    strides[1] = words[STRIDE_H];
    strides[2] = words[STRIDE_W];
    return (ksize[1] > 0 && ksize[2] > 0 && strides[1] > 0 && strides[2] > 0 &&
            (words[POOL_PADDING] == PADDING_SAME || words[POOL_PADDING] == PADDING_VALID)) ||
           oribi_tflite_fail(n, TF_INVALID_ARGUMENT,
                             "a window of %d x %d every %d x %d with padding %d is not possible",
                             (int)words[POOL_H], (int)words[POOL_W], (int)words[STRIDE_H],
                             (int)words[STRIDE_W], (int)words[POOL_PADDING]);
}

static bool max_pool_places(oribi_tflite_node *n)
{
    int32_t words[POOL_WORDS];
    int64_t ksize[4], strides[4];
    ORIBI_TRY(read_pool(n, words, ksize, strides));
    const char *padding = words[POOL_PADDING] == PADDING_SAME ? "SAME" : "VALID";
    const oribi_node *node =
        oribi_tflite_emit_node(n, "Oribi>MaxPoolPlaces", INPUTS(oribi_tflite_input(n, 0)),
                               ATTRS(ATTR_INTS("ksize", ksize, 4), ATTR_INTS("strides", strides, 4),
                                     ATTR_TEXT("padding", padding)),
                               2);
    if (node == NULL) {
        return false;
    }
    const oribi_value_id places = node->outputs[1];
    const oribi_value_id y = oribi_tflite_activate(n, node->outputs[0], words[POOL_ACTIVATION]);
    return oribi_tflite_bind(n, 0, y) && oribi_tflite_bind(n, 1, places);
}

static bool max_unpool_places(oribi_tflite_node *n)
{
    int32_t words[POOL_WORDS];
    int64_t ksize[4], strides[4];
    ORIBI_TRY(read_pool(n, words, ksize, strides));
    const oribi_value_id y = oribi_tflite_emit(
        n, "Oribi>MaxUnpoolPlaces", INPUTS(oribi_tflite_input(n, 0), oribi_tflite_input(n, 1)),
        ATTRS(ATTR_INTS("ksize", ksize, 4), ATTR_INTS("strides", strides, 4)));
    return oribi_tflite_bind(n, 0, y);
}

bool oribi_tflite_flex(oribi_tflite_node *n, oribi_flex_map *out)
{
    oribi_flat_vector options = {0};
    if (n->failed ||
        !oribi_flat_read_vector(&n->table, 5, 1, "custom options", &options, n->status)) {
        n->failed = true;
        return false;
    }
    return (options.file != NULL &&
            oribi_flex_open(options.file->data + options.at, options.count, out)) ||
           oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "the custom options are no FlexBuffers map");
}

int64_t oribi_tflite_flex_int(oribi_tflite_node *n, const oribi_flex_map *map, const char *key,
                              int64_t absent)
{
    double value = (double)absent;
    (void)oribi_flex_number(map, key, &value);
    if (!(value >= INT32_MIN && value <= INT32_MAX)) {
        oribi_tflite_fail(n, TF_INVALID_ARGUMENT, "option %s is %g", key, value);
        return 0;
    }
    return (int64_t)value;
}

float oribi_tflite_flex_float(const oribi_flex_map *map, const char *key)
{
    double value = 0;
    (void)oribi_flex_number(map, key, &value);
    return (float)value;
}

static const oribi_tflite_custom customs[] = {
    {"Convolution2DTransposeBias", {ORIBI_TFLITE_CUSTOM, 0, 3, 3, 1, transpose_conv_bias, NULL}},
    {"MaxPoolingWithArgmax2D", {ORIBI_TFLITE_CUSTOM, 0, 1, 1, 2, max_pool_places, NULL}},
    {"MaxUnpooling2D", {ORIBI_TFLITE_CUSTOM, 0, 2, 2, 1, max_unpool_places, NULL}},
    {"TFLite_Detection_PostProcess",
     {ORIBI_TFLITE_CUSTOM, 0, 3, 3, 4, oribi_tflite_detection, NULL}},
    {"TFLM_DECODE", {ORIBI_TFLITE_CUSTOM, 0, 2, -1, -1, oribi_tflite_decode, NULL}},
    {.name = NULL},
};

const oribi_tflite_row *oribi_tflite_find_custom(const char *name)
{
    static const oribi_tflite_custom *const tables[] = {
        customs, oribi_tflite_signal_rows, oribi_tflite_landmark_rows, oribi_tflite_ethos_u_rows};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        for (const oribi_tflite_custom *custom = tables[i]; custom->name != NULL; custom++) {
            if (strcmp(custom->name, name) == 0) {
                return &custom->row;
            }
        }
    }
    return NULL;
}
