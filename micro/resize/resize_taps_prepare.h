/* SPDX-License-Identifier: Apache-2.0 */
/* Where an element of a resized dimension lies in the input, in float: TensorFlow's and ONNX's
 * rules, each to the letter, because a coordinate that falls on the other side of a half picks
 * another pixel. Host only. int8 images: resize_prepare.h.
 */
#ifndef ORIBI_MICRO_RESIZE_TAPS_PREPARE_H_
#define ORIBI_MICRO_RESIZE_TAPS_PREPARE_H_

#include <stdint.h>

/* How an output index becomes a coordinate: three rules of TensorFlow, then those of ONNX. */
enum {
    ORIBI_MICRO_RESIZE_TF_PLAIN,
    ORIBI_MICRO_RESIZE_TF_CORNERS,
    ORIBI_MICRO_RESIZE_TF_HALF,
    ORIBI_MICRO_RESIZE_HALF_PIXEL,
    ORIBI_MICRO_RESIZE_ASYMMETRIC,
    ORIBI_MICRO_RESIZE_CORNERS,
    ORIBI_MICRO_RESIZE_TF_HALF_FOR_NEAREST,
    ORIBI_MICRO_RESIZE_PYTORCH_HALF,
    ORIBI_MICRO_RESIZE_HALF_SYMMETRIC,
    ORIBI_MICRO_RESIZE_TF_CROP,
    ORIBI_MICRO_RESIZE_COORDINATES
};
enum {
    ORIBI_MICRO_RESIZE_NEAREST,
    ORIBI_MICRO_RESIZE_LINEAR,
    ORIBI_MICRO_RESIZE_CUBIC,
    ORIBI_MICRO_RESIZE_MODES
};
/* Which neighbour is nearest; of ONNX, TensorFlow's rules have their own. */
enum {
    ORIBI_MICRO_RESIZE_FLOOR,
    ORIBI_MICRO_RESIZE_CEIL,
    ORIBI_MICRO_RESIZE_PREFER_CEIL,
    ORIBI_MICRO_RESIZE_PREFER_FLOOR
};

struct oribi_micro_resize_rule {
    int32_t coordinates, mode, nearest; /* CUBIC is of ONNX's coordinates alone */
    int32_t exclude_outside;            /* 1: what lies outside weighs nothing */
    int32_t antialias;                  /* 1: a smaller picture is an average, of ONNX alone */
    float cubic_a;
};

/* One dimension. What follows `in` and `out` is of ONNX's coordinates alone. */
struct oribi_micro_resize_axis {
    int64_t in, out;  /* elements along the dimension, at least 1 */
    float scale;      /* out over in as ONNX gives it */
    float length;     /* in times scale: out, before it is rounded down */
    float start, end; /* of TF_CROP: the part of the input that is resized, in [0, 1] */
};

/* How many taps each element of the output is a weighted sum of: 1, 2 or 4 (nearest, linear,
 * cubic), more with antialias. */
int64_t oribi_micro_resize_taps(const struct oribi_micro_resize_rule *rule,
                                const struct oribi_micro_resize_axis *axis);

/* The taps of output element i: places in the input, and weights, as many as said.
 * Returns  0: it lies outside the input (TF_CROP); all places are 0 then and nothing weighs. */
int32_t oribi_micro_resize_tap(const struct oribi_micro_resize_rule *rule,
                               const struct oribi_micro_resize_axis *axis, int64_t i,
                               int32_t *places, float *weights);

/* The numbers of ONNX's words, for example "half_pixel", "linear", "floor"; -1: none of them. */
int32_t oribi_micro_resize_coordinates(const char *word);
int32_t oribi_micro_resize_mode(const char *word);
int32_t oribi_micro_resize_nearest_mode(const char *word);

#endif
