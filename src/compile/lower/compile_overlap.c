/* SPDX-License-Identifier: Apache-2.0 */
/* The largest distance from input to output at which no window loses what it has yet to read. */
#include "compile/lower/compile_overlap.h"

/* First byte of the image that a window of this index reads, relative to the image. */
static int64_t first_read(const oribi_overlap *w, int32_t y, int32_t x)
{
    int64_t row = (int64_t)y * w->stride[0] - w->before[0];
    int64_t column = (int64_t)x * w->stride[1] - w->before[1];
    row = row < 0 ? 0 : row;
    column = column < 0 ? 0 : column;
    return (row * w->in[1] + column) * w->in_bytes;
}

/* Windows from the last to the first: whatever a later one reads must lie behind the result. */
static int64_t largest_distance(const oribi_overlap *w)
{
    const int64_t in_image = (int64_t)w->in[0] * w->in[1] * w->in_bytes;
    const int64_t out_image = (int64_t)w->out[0] * w->out[1] * w->out_bytes;
    int64_t needed = INT64_MAX, distance = INT64_MAX;
    for (int32_t n = w->batch; n-- > 0;) {
        for (int32_t y = w->out[0]; y-- > 0;) {
            for (int32_t x = w->out[1]; x-- > 0;) {
                const int64_t pixel = (int64_t)y * w->out[1] + x;
                const int64_t end = n * out_image + (pixel + 1) * w->out_bytes;
                if (needed != INT64_MAX && needed - end < distance) {
                    distance = needed - end;
                }
                const int64_t read = n * in_image + first_read(w, y, x);
                needed = read < needed ? read : needed;
            }
        }
    }
    return distance;
}

void oribi_overlap_add(oribi_call *call, const oribi_overlap *windows)
{
    const int64_t distance = largest_distance(windows);
    const int64_t in_pixels = (int64_t)windows->batch * windows->in[0] * windows->in[1];
    const int64_t out_pixels = (int64_t)windows->batch * windows->out[0] * windows->out[1];
    if (distance > -in_pixels * windows->in_bytes - out_pixels * windows->out_bytes) {
        call->aliases[call->n_aliases++] = (oribi_call_alias){0, false, distance};
    }
}
