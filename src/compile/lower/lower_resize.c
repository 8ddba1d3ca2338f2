/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of the resizing of images. */
#include "compile/lower/args_table.h"
#include "compile/lower/float/lower_f32.h"
#include "compile/lower/lower.h"
#include "micro/resize/resize_bilinear_q.h"
#include "micro/resize/resize_bilinear_real.h"
#include "micro/resize/resize_nearest.h"
#include "micro/resize/resize_prepare.h"
#include "tensor/status.h"

typedef int32_t places_function(const struct oribi_micro_resize_spec *spec, int32_t *out_places);

/* The table of one dimension, `width` numbers for each pixel, in the arena; NULL: with a message.
 */
static const int32_t *make_table(oribi_lowering *lowering, const oribi_call *call, int32_t in,
                                 int32_t out, places_function *places, int32_t width)
{
    const struct oribi_micro_resize_spec spec = {in, out, oribi_lower_bool(call, "align_corners"),
                                                 oribi_lower_bool(call, "half_pixel_centers")};
    int32_t *table = oribi_claim_array(lowering->arena, (size_t)out * (size_t)width, sizeof *table,
                                       lowering->status);
    if (table == NULL) {
        return NULL;
    }
    return oribi_lower_check(lowering, call, places(&spec, table)) ? table : NULL;
}

typedef struct images {
    int32_t in[4], out[4], element_bytes;
} images;

static bool read_images(oribi_lowering *lowering, const oribi_call *call, images *i)
{
    oribi_sizes ignored;
    const oribi_value *x = oribi_lower_input(lowering, call, 0);
    ORIBI_TRY(oribi_lower_sizes(lowering, call, x, &ignored, &i->element_bytes));
    if (ignored.n != 4) {
        return oribi_lower_fail(lowering, call, ORIBI_MICRO_INVALID);
    }
    return oribi_lower_dims(lowering, call, x, i->in) &&
           oribi_lower_dims(lowering, call, oribi_lower_output(lowering, call), i->out);
}

/* The members that all kernels have. */
#define SET_SIZES(args, i)                                                                         \
    do {                                                                                           \
        (args)->batch = (i)->in[0];                                                                \
        (args)->in_h = (i)->in[1];                                                                 \
        (args)->in_w = (i)->in[2];                                                                 \
        (args)->out_h = (i)->out[1];                                                               \
        (args)->out_w = (i)->out[2];                                                               \
    } while (0)

bool oribi_lower_resize_nearest(oribi_lowering *lowering, oribi_call *call)
{
    images i;
    struct oribi_micro_resize_nearest_args args = {0};
    ORIBI_TRY(read_images(lowering, call, &i));
    SET_SIZES(&args, &i);
    args.pixel_bytes = i.in[3] * i.element_bytes;
    args.rows = make_table(lowering, call, i.in[1], i.out[1], oribi_micro_resize_nearest_places, 1);
    ORIBI_TRY(args.rows != NULL);
    args.columns =
        make_table(lowering, call, i.in[2], i.out[2], oribi_micro_resize_nearest_places, 1);
    ORIBI_TRY(args.columns != NULL);
    call->n_inputs = 1;
    ORIBI_TRY(ORIBI_CALL_SET(lowering, call, "resize_nearest", resize_nearest, &args));
    ORIBI_CALL_PLACE(call, &args, rows, i.out[1]);
    ORIBI_CALL_PLACE(call, &args, columns, i.out[2]);
    return true;
}

/* Places and weights of one dimension. */
static bool make_weights(oribi_lowering *lowering, const oribi_call *call, int32_t in, int32_t out,
                         const int32_t **out_places, const float **out_weights)
{
    const struct oribi_micro_resize_spec spec = {in, out, oribi_lower_bool(call, "align_corners"),
                                                 oribi_lower_bool(call, "half_pixel_centers")};
    int32_t *table =
        oribi_claim_array(lowering->arena, (size_t)out * 2, sizeof *table, lowering->status);
    float *weights =
        oribi_claim_array(lowering->arena, (size_t)out, sizeof *weights, lowering->status);
    ORIBI_TRY(table != NULL && weights != NULL);
    *out_places = table;
    *out_weights = weights;
    return oribi_lower_check(lowering, call,
                             oribi_micro_resize_bilinear_weights(&spec, table, weights));
}

/* By weights in float32. */
static bool lower_real(oribi_lowering *lowering, oribi_call *call, const images *i,
                       const char *kernel)
{
    struct oribi_micro_resize_bilinear_real_args args = {.channels = i->in[3]};
    SET_SIZES(&args, i);
    ORIBI_TRY(
        make_weights(lowering, call, i->in[1], i->out[1], &args.rows, &args.row_weights) &&
        make_weights(lowering, call, i->in[2], i->out[2], &args.columns, &args.column_weights) &&
        ORIBI_CALL_SET(lowering, call, kernel, resize_bilinear_real, &args));
    ORIBI_CALL_PLACE(call, &args, rows, (int64_t)i->out[1] * 2);
    ORIBI_CALL_PLACE(call, &args, row_weights, i->out[1]);
    ORIBI_CALL_PLACE(call, &args, columns, (int64_t)i->out[2] * 2);
    ORIBI_CALL_PLACE(call, &args, column_weights, i->out[2]);
    return true;
}

static bool lower_integers(oribi_lowering *lowering, oribi_call *call, const images *i,
                           const char *kernel)
{
    struct oribi_micro_resize_bilinear_q_args args = {.channels = i->in[3]};
    SET_SIZES(&args, i);
    args.rows =
        make_table(lowering, call, i->in[1], i->out[1], oribi_micro_resize_bilinear_places, 3);
    ORIBI_TRY(args.rows != NULL);
    args.columns =
        make_table(lowering, call, i->in[2], i->out[2], oribi_micro_resize_bilinear_places, 3);
    ORIBI_TRY(args.columns != NULL &&
              ORIBI_CALL_SET(lowering, call, kernel, resize_bilinear_q, &args));
    ORIBI_CALL_PLACE(call, &args, rows, (int64_t)i->out[1] * 3);
    ORIBI_CALL_PLACE(call, &args, columns, (int64_t)i->out[2] * 3);
    return true;
}

bool oribi_lower_resize_bilinear(oribi_lowering *lowering, oribi_call *call)
{
    images i;
    const TF_DataType type = oribi_lower_output(lowering, call)->dtype;
    ORIBI_TRY(type != TF_FLOAT || oribi_lower_is_f32(lowering, call));
    ORIBI_TRY(read_images(lowering, call, &i));
    call->n_inputs = 1;
    return type == TF_UINT8   ? lower_real(lowering, call, &i, "resize_bilinear_u8")
           : type == TF_FLOAT ? lower_real(lowering, call, &i, "resize_bilinear_f32")
           : type == TF_INT16 ? lower_integers(lowering, call, &i, "resize_bilinear_s16")
                              : lower_integers(lowering, call, &i, "resize_bilinear_s8");
}
