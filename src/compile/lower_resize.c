/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering of the resizing of images. */
#include "compile/compile_internal.h"
#include "micro/resize_prepare.h"
#include "tensor/status.h"

typedef int32_t places_function(const struct oribi_micro_resize_spec *spec, int32_t *out_places);

/* Places the table of one dimension, `width` numbers for each pixel. */
static bool place(oribi_lowering *lowering, oribi_call *call, const char *name, int32_t in,
                  int32_t out, places_function *places, int32_t width)
{
    const struct oribi_micro_resize_spec spec = {in, out, oribi_lower_bool(call, "align_corners"),
                                                 oribi_lower_bool(call, "half_pixel_centers")};
    int32_t *table = oribi_arena_array(lowering->arena, (size_t)out * (size_t)width, sizeof *table);
    if (table == NULL) {
        return oribi_fail_memory(lowering->status);
    }
    ORIBI_TRY(oribi_lower_check(lowering, call, places(&spec, table)));
    oribi_call_place(call, name, ORIBI_ELEMENT_S32, (int64_t)out * width, table);
    return true;
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

static void set_sizes(oribi_call *call, const images *i)
{
    call->n_inputs = 1;
    oribi_call_number(call, "batch", i->in[0]);
    oribi_call_number(call, "in_h", i->in[1]);
    oribi_call_number(call, "in_w", i->in[2]);
    oribi_call_number(call, "out_h", i->out[1]);
    oribi_call_number(call, "out_w", i->out[2]);
}

bool oribi_lower_resize_nearest(oribi_lowering *lowering, oribi_call *call)
{
    images i;
    ORIBI_TRY(read_images(lowering, call, &i));
    call->kernel = "resize_nearest";
    set_sizes(call, &i);
    oribi_call_number(call, "pixel_bytes", i.in[3] * i.element_bytes);
    return place(lowering, call, "rows", i.in[1], i.out[1], oribi_micro_resize_nearest_places, 1) &&
           place(lowering, call, "columns", i.in[2], i.out[2], oribi_micro_resize_nearest_places,
                 1);
}

/* Places and weights of one dimension. */
static bool place_weights(oribi_lowering *lowering, oribi_call *call, const char *const names[2],
                          int32_t in, int32_t out)
{
    const struct oribi_micro_resize_spec spec = {in, out, oribi_lower_bool(call, "align_corners"),
                                                 oribi_lower_bool(call, "half_pixel_centers")};
    int32_t *table = oribi_arena_array(lowering->arena, (size_t)out * 2, sizeof *table);
    float *weights = oribi_arena_array(lowering->arena, (size_t)out, sizeof *weights);
    if (table == NULL || weights == NULL) {
        return oribi_fail_memory(lowering->status);
    }
    const int32_t code = oribi_micro_resize_bilinear_weights(&spec, table, weights);
    ORIBI_TRY(oribi_lower_check(lowering, call, code));
    oribi_call_place(call, names[0], ORIBI_ELEMENT_S32, (int64_t)out * 2, table);
    oribi_call_place(call, names[1], ORIBI_ELEMENT_F32, out, weights);
    return true;
}

static bool lower_bytes(oribi_lowering *lowering, oribi_call *call, const images *i)
{
    static const char *const rows[2] = {"rows", "row_weights"};
    static const char *const columns[2] = {"columns", "column_weights"};
    call->kernel = "resize_bilinear_u8";
    return place_weights(lowering, call, rows, i->in[1], i->out[1]) &&
           place_weights(lowering, call, columns, i->in[2], i->out[2]);
}

bool oribi_lower_resize_bilinear(oribi_lowering *lowering, oribi_call *call)
{
    images i;
    const TF_DataType type = oribi_lower_output(lowering, call)->dtype;
    ORIBI_TRY(read_images(lowering, call, &i));
    set_sizes(call, &i);
    oribi_call_number(call, "channels", i.in[3]);
    if (type == TF_UINT8) {
        return lower_bytes(lowering, call, &i);
    }
    call->kernel = type == TF_INT16 ? "resize_bilinear_s16" : "resize_bilinear_s8";
    call->args = call->header = "resize_bilinear_q";
    return place(lowering, call, "rows", i.in[1], i.out[1], oribi_micro_resize_bilinear_places,
                 3) &&
           place(lowering, call, "columns", i.in[2], i.out[2], oribi_micro_resize_bilinear_places,
                 3);
}
