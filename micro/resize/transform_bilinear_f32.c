/* SPDX-License-Identifier: Apache-2.0 */
/* A picture seen through a matrix. */
#include "micro/float_rules.h"

#include "micro/port.h"
#include "micro/resize/transform_bilinear_f32.h"

struct line { /* a row of the matrix: of column, row and 1 */
    float across, down, shift;
};

static struct line line_of(const float *row, int32_t half_pixel)
{
    const double moved = (double)row[3] + (double)row[0] * 0.5 + (double)row[1] * 0.5 - 0.5;
    const struct line line = {row[0], row[1], half_pixel != 0 ? (float)moved : row[3]};
    return line;
}

static float place(const struct line *line, float column, float row)
{
    return line->across * column + line->down * row + line->shift;
}

/* Beyond the last row or column there is nothing, and nothing of it is taken. */
static float pixel(const struct oribi_micro_transform_bilinear_f32_args *a, const float *image,
                   int32_t row, int32_t column, int32_t channel)
{
    return row < a->height && column < a->width
               ? image[(row * a->width + column) * a->channels + channel]
               : 0.0F;
}

static void mix(const struct oribi_micro_transform_bilinear_f32_args *a, const float *image,
                float x, float y, float *to)
{
    const int32_t column = (int32_t)x, row = (int32_t)y;
    const float right = x - (float)column, below = y - (float)row;
    for (int32_t k = 0; k < a->channels; k++) {
        const float q11 = pixel(a, image, row, column, k);
        const float q21 = pixel(a, image, row, column + 1, k);
        const float q12 = pixel(a, image, row + 1, column, k);
        const float q22 = pixel(a, image, row + 1, column + 1, k);
        const float upper = (float)((1.0 - (double)right) * (double)q11 + (double)(right * q21));
        const float lower = (float)((1.0 - (double)right) * (double)q12 + (double)(right * q22));
        to[k] = (float)((double)(below * lower) + (1.0 - (double)below) * (double)upper);
    }
}

void oribi_micro_transform_bilinear_f32(const struct oribi_micro_transform_bilinear_f32_args *args,
                                        const float *image, const float *matrix, float *output)
{
    const struct oribi_micro_transform_bilinear_f32_args *a = args;
    const struct line to_x = line_of(matrix, a->half_pixel),
                      to_y = line_of(matrix + 4, a->half_pixel);
    for (int32_t row = a->first; row < a->first + a->rows; row++) {
        TVMGEN_YIELD();
        for (int32_t column = 0; column < a->columns; column++, output += a->channels) {
            const float x = place(&to_x, (float)column, (float)row);
            const float y = place(&to_y, (float)column, (float)row);
            if (x >= 0.0F && x <= (float)(a->width - 1) && y >= 0.0F &&
                y <= (float)(a->height - 1)) {
                mix(a, image, x, y, output);
            } else {
                for (int32_t k = 0; k < a->channels; k++) {
                    output[k] = 0.0F;
                }
            }
        }
    }
}
