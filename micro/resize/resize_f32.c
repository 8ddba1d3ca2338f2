/* SPDX-License-Identifier: Apache-2.0 */
/* Resizing of floats. */
#include "micro/float_rules.h"

#include "micro/port.h"
#include "micro/resize/resize_f32.h"

/* Column x of one row; `line` is that row at the column 0. */
static float along_row(const struct oribi_micro_resize_f32_args *a, const float *line, int32_t x)
{
    const int32_t *columns = a->columns + x * a->column_taps;
    const float *weights = a->column_weights + x * a->column_taps;
    float sum = 0.0F;
    for (int32_t k = 0; k < a->column_taps; k++) {
        sum += weights[k] * line[columns[k] * a->inner];
    }
    return sum;
}

/* Row y of the output; `plane` holds all rows of the input. */
static float *resize_row(const struct oribi_micro_resize_f32_args *a, const float *plane, int32_t y,
                         float *output)
{
    const int32_t *rows = a->rows + y * a->row_taps;
    const float *weights = a->row_weights + y * a->row_taps;
    const int32_t line = a->in_w * a->inner;
    for (int32_t m = 0; m < a->middle; m++) {
        for (int32_t x = 0; x < a->out_w; x++) {
            for (int32_t i = 0; i < a->inner; i++) {
                float sum = 0.0F;
                for (int32_t k = 0; k < a->row_taps; k++) {
                    const float *from = plane + (rows[k] * a->middle + m) * line + i;
                    sum += weights[k] * along_row(a, from, x);
                }
                *output++ = sum;
            }
        }
    }
    return output;
}

void oribi_micro_resize_f32(const struct oribi_micro_resize_f32_args *args, const float *input,
                            float *output)
{
    const struct oribi_micro_resize_f32_args *a = args;
    for (int32_t o = 0; o < a->outer; o++) {
        for (int32_t y = 0; y < a->out_h; y++) {
            TVMGEN_YIELD();
            output = resize_row(a, input, y, output);
        }
        input += a->in_h * a->middle * a->in_w * a->inner;
    }
}
