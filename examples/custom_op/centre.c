/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin that brings an op of its own: Com>Acme>Centre moves each picture so that its centre of
 * mass is in the middle. An ONNX model calls it as `Centre` of the domain `com.acme`. One kernel
 * computes it on the host and, as emitted C, on a microcontroller: what stands between the marks
 * `emit:` is what `oribi compile` gives to the model.
 *
 *     cc -shared -fPIC $(pkg-config --cflags oribi-plugin) centre.c -o centre.so
 *     oribi run digits_centred.onnx --plugin ./centre.so -i picture=@digit.png
 *     oribi verify digits_centred.onnx --plugin ./centre.so --target cortex-m4
 *
 * Not here: constants, scratch, state (level.c, scaled.c), kernels for the host alone
 * (../bitcast/bitcast.c). Page: docs/guide/one-kernel.md.
 */
#include "oribi/kernel_kit.h"
#include "oribi/target.h"

ORIBI_PLUGIN("centre", "1.0", "Apache-2.0");

/* emit: acme_centre.h */
#include <stdint.h>

struct acme_centre_args {
    int32_t planes, height, width;
    int32_t max_shift; /* pixels */
};

/* Moves each plane of height * width pixels; from and to are apart. */
void acme_centre(const struct acme_centre_args *args, const float *from, float *to);
/* emit: acme_centre.c */
#include "micro/float_rules.h"
#include "micro/port.h"

/* Distance from the middle to the centre of mass along one axis, rounded and limited. */
static int32_t find_shift(const struct acme_centre_args *args, const float *plane, int32_t along_y)
{
    double mass = 0, moment = 0;
    for (int32_t y = 0; y < args->height; y++) {
        for (int32_t x = 0; x < args->width; x++) {
            const double value = (double)plane[y * args->width + x];
            mass += value;
            moment += value * (double)(along_y ? y : x);
        }
    }
    const double limit = (double)args->max_shift;
    const double middle = (double)((along_y ? args->height : args->width) - 1) / 2;
    const double wanted = mass > 0 ? middle - moment / mass : 0;
    const double away = wanted < 0 ? -0.5 : 0.5;
    if (wanted != wanted) {
        return 0; /* of infinite pixels: no integer, and C does not say what it would become */
    }
    const double within = wanted > limit ? limit : wanted < -limit ? -limit : wanted;
    return (int32_t)(within + away);
}

static void move_plane(const struct acme_centre_args *args, const float *from, float *to)
{
    const int32_t dy = find_shift(args, from, 1), dx = find_shift(args, from, 0);
    for (int32_t y = 0; y < args->height; y++) {
        for (int32_t x = 0; x < args->width; x++) {
            const int32_t sy = y - dy, sx = x - dx;
            const int32_t is_inside = sy >= 0 && sy < args->height && sx >= 0 && sx < args->width;
            to[y * args->width + x] = is_inside ? from[sy * args->width + sx] : 0.0f;
        }
        TVMGEN_YIELD();
    }
}

void acme_centre(const struct acme_centre_args *args, const float *from, float *to)
{
    const int32_t pixels = args->height * args->width;
    for (int32_t i = 0; i < args->planes; i++) {
        move_plane(args, from + i * pixels, to + i * pixels);
    }
}
/* emit: end */

static void infer_shape(TF_ShapeInferenceContext *ctx, TF_Status *status)
{
    TF_ShapeHandle *shape = TF_NewShapeHandle();

    TF_ShapeInferenceContextGetInput(ctx, 0, shape, status);
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextWithRank(ctx, shape, 4, shape, status);
    }
    if (TF_GetCode(status) == TF_OK) {
        TF_ShapeInferenceContextSetOutput(ctx, 0, shape, status);
    }
    TF_DeleteShapeHandle(shape);
}

static void prepare(void *user, const oribi_region *region, oribi_target_code *code,
                    TF_Status *status)
{
    oribi_region_tensor picture = {.struct_size = sizeof picture};
    const int64_t limit = oribi_region_attr_int(region, 0, "max_shift", status);
    (void)user;
    oribi_region_input(region, 0, 0, &picture, status);
    if (TF_GetCode(status) != TF_OK) {
        return;
    }
    if (picture.bytes > INT32_MAX) {
        TF_SetStatus(status, TF_INVALID_ARGUMENT, "Centre wants pictures of less than 2 GiB");
        return;
    }
    const struct acme_centre_args args = {
        .planes = (int32_t)(picture.dims[0] * picture.dims[1]),
        .height = (int32_t)picture.dims[2],
        .width = (int32_t)picture.dims[3],
        .max_shift = limit < 1 << 29 ? (int32_t)limit : 1 << 29, /* no picture is as wide */
    };
    oribi_target_set_arguments(code, &args, sizeof args, status);
}

static void run(const void *args, const void *const *in, void *const *out, void *scratch)
{
    (void)scratch;
    acme_centre(args, in[0], out[0]);
}

#define CENTRE_ARGS(X, type)                                                                       \
    X(type, NUMBER, planes)                                                                        \
    X(type, NUMBER, height) X(type, NUMBER, width) X(type, NUMBER, max_shift)
ORIBI_ARGS_TABLE(centre_args, struct acme_centre_args, "centre", CENTRE_ARGS);
ORIBI_TARGET_SOURCE(centre_source);

static const char *const sources[] = {centre_source};
static const oribi_target_kernel kernel = {
    .struct_size = sizeof kernel,
    .op = "Com>Acme>Centre",
    .prefix = "acme_",
    .name = "centre",
    .sources = sources,
    .n_sources = 1,
    .licence = "Apache-2.0",
    .args = &centre_args,
    .prepare = prepare,
    .run = run,
};

void TF_InitKernel(void)
{
    TF_Status *status = TF_NewStatus();
    oribi_kit_register_op("Com>Acme>Centre", "picture: float", "centred: float",
                          "max_shift: int >= 0 = 2", NULL, infer_shape);
    oribi_target_register_kernel(&kernel, status); /* the host refuses the plugin if it fails */
    TF_DeleteStatus(status);
}
