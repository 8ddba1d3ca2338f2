/* SPDX-License-Identifier: Apache-2.0 */
/* A picture in another size, in linear numbers and with its edges repeated: Catmull-Rom in a
 * direction that grows, Mitchell in one that does not. Row by row of the source, each spread over
 * the rows that it has a share in; sums are in the order of the source, so that results are the
 * same bits as those of stb_image_resize 0.97, which did this before.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "picture.h"

/* Weights of one direction: element `first[o] + k` of the source has weights[o * most + k] in
 * element o of the result, for k < count[o]. The source goes on past its edges. */
typedef struct filter {
    int64_t *first, *count;
    float *weights;
    int64_t most; /* weights of one element */
    uint64_t bytes;
} filter;

static float catmull_rom(float x)
{
    x = fabsf(x);
    return x < 1.0f   ? 1 - x * x * (2.5f - 1.5f * x)
           : x < 2.0f ? 2 - x * (4 + x * (0.5f * x - 2.5f))
                      : 0.0f;
}

static float mitchell(float x)
{
    x = fabsf(x);
    return x < 1.0f   ? (16 + x * x * (21 * x - 36)) / 18
           : x < 2.0f ? (32 + x * (-60 + x * (36 - 7 * x))) / 18
                      : 0.0f;
}

static void normalize(float *weights, int64_t n, float total)
{
    for (int64_t i = 0; i < n && total > 0; i++) {
        weights[i] *= 1 / total;
    }
}

/* The elements of the source that reach into element o where the result is larger. */
static void weigh_larger(filter *f, int64_t o, float scale)
{
    float radius = 2 * scale, centre = (float)o + 0.5f, total = 0;
    int64_t first = (int64_t)floor((double)((centre - radius) / scale) + 0.5);
    int64_t last = (int64_t)floor((double)((centre + radius) / scale) - 0.5), n = 0;
    float *weights = f->weights + o * f->most;

    for (int64_t i = first; i <= last && n < f->most; i++) {
        weights[n] = catmull_rom(centre / scale - ((float)i + 0.5f));
        total += weights[n++];
    }
    f->first[o] = first;
    f->count[o] = n;
    normalize(weights, n, total);
}

/* Element i of the source reaches into those elements of a result that is not larger. */
static void reach(int64_t i, float scale, int64_t *first, int64_t *last)
{
    float radius = 2 / scale, centre = (float)i + 0.5f;

    *first = (int64_t)floor((double)((centre - radius) * scale) + 0.5);
    *last = (int64_t)floor((double)((centre + radius) * scale) - 0.5);
}

static void weigh_smaller(filter *f, int64_t o, float scale, int64_t margin, int64_t in)
{
    int64_t guess = (int64_t)floor(((double)o - 3) / (double)scale) - 2, n = 0, first, last;
    float *weights = f->weights + o * f->most, total = 0;
    int64_t end = in + margin;

    f->first[o] = -1;
    for (int64_t i = guess < -margin ? -margin : guess; i < end && n < f->most; i++) {
        reach(i, scale, &first, &last);
        if (o < first) {
            break;
        }
        if (o > last) {
            continue;
        }
        if (n == 0) {
            f->first[o] = i;
        }
        weights[n] = mitchell((float)o + 0.5f - ((float)i + 0.5f) * scale) * scale;
        total += weights[n++];
    }
    f->count[o] = n;
    normalize(weights, n, total);
}

static bool filter_make(filter *f, size_t in, size_t out, const char *path)
{
    const float scale = (float)(int64_t)out / (float)(int64_t)in;
    const bool is_larger = scale > 1;
    const int64_t margin = (int64_t)ceil((double)(4 / scale)) / 2;
    const int64_t most = is_larger ? 6 : 2 * margin + 6; /* of weights that one element has */

    *f = (filter){.most = most,
                  .bytes = out * (2 * sizeof *f->first + (uint64_t)most * sizeof *f->weights)};
    if (!cli_budget_take(path, f->bytes)) {
        f->bytes = 0;
        return false;
    }
    f->first = cli_alloc(out * sizeof *f->first);
    f->count = cli_alloc(out * sizeof *f->count);
    f->weights = cli_alloc(out * (size_t)most * sizeof *f->weights);
    for (size_t o = 0; o < out; o++) {
        if (is_larger) {
            weigh_larger(f, (int64_t)o, scale);
        } else {
            weigh_smaller(f, (int64_t)o, scale, margin, (int64_t)in);
        }
        if (o % 256 == 0 && cli_budget_is_late(path)) {
            return false;
        }
    }
    return true;
}

static void filter_free(filter *f)
{
    free(f->first);
    free(f->count);
    free(f->weights);
    cli_budget_give(f->bytes);
}

static size_t inside(int64_t at, size_t size)
{
    return at < 0 ? 0 : (size_t)at < size ? (size_t)at : size - 1;
}

/* Columns that the row has beyond its edges, on the left; `count` is of all columns. */
static size_t margin_of(const filter *f, size_t in, size_t out, size_t *count)
{
    int64_t low = 0, high = (int64_t)in;

    for (size_t o = 0; o < out; o++) {
        low = f->first[o] < low ? f->first[o] : low;
        high = f->first[o] + f->count[o] > high ? f->first[o] + f->count[o] : high;
    }
    *count = (size_t)(high - low);
    return (size_t)-low;
}

typedef struct scratch {
    float *wide; /* a row of the source from 0 to 1, with its margins */
    size_t margin, wide_count;
    float *row, *sums; /* a row, and all, of the result */
} scratch;

static void widen_row(const cli_picture *p, size_t y, const scratch *s)
{
    const size_t channels = (size_t)p->channels;
    const uint8_t *row = p->pixels + y * p->width * channels;

    for (size_t x = 0; x < s->wide_count; x++) {
        const uint8_t *pixel = row + inside((int64_t)x - (int64_t)s->margin, p->width) * channels;
        for (size_t c = 0; c < channels; c++) {
            s->wide[x * channels + c] = (float)pixel[c] / 255.0f;
        }
    }
}

/* The row in the width of the result. */
static void shrink_row(const scratch *s, const filter *f, size_t channels, size_t width)
{
    for (size_t x = 0; x < width; x++) {
        const float *weights = f->weights + (int64_t)x * f->most;
        const float *in = s->wide + (size_t)(f->first[x] + (int64_t)s->margin) * channels;
        float sum[4] = {0};
        for (int64_t k = 0; k < f->count[x]; k++) {
            for (size_t c = 0; c < channels; c++) {
                sum[c] += *in++ * weights[k];
            }
        }
        memcpy(s->row + x * channels, sum, channels * sizeof *sum);
    }
}

static uint8_t to_byte(float value)
{
    float kept = !(value > 0) ? 0 : value > 1 ? 1 : value;

    return (uint8_t)((double)(kept * 255.0f) + 0.5);
}

/* Adds row `at` of the source to each row of the result that it has a share in. */
static void spread_row(const filter *f, int64_t at, size_t *lowest, size_t height, const float *row,
                       size_t row_count, float *sums)
{
    while (*lowest < height && f->first[*lowest] + f->count[*lowest] <= at) {
        (*lowest)++;
    }
    for (size_t y = *lowest; y < height && f->first[y] <= at; y++) {
        if (at - f->first[y] < f->count[y]) {
            float weight = f->weights[(int64_t)y * f->most + at - f->first[y]];
            for (size_t i = 0; i < row_count; i++) {
                sums[y * row_count + i] += row[i] * weight;
            }
        }
    }
}

static bool resize(const cli_picture *p, const filter *across, const filter *down, size_t width,
                   size_t height, const scratch *s)
{
    const size_t channels = (size_t)p->channels;
    const int64_t end = down->first[height - 1] + down->count[height - 1];
    size_t have = SIZE_MAX, lowest = 0;

    for (int64_t y = down->first[0]; y < end; y++) {
        if (inside(y, p->height) != have) {
            have = inside(y, p->height);
            widen_row(p, have, s);
            shrink_row(s, across, channels, width);
        }
        spread_row(down, y, &lowest, height, s->row, width * channels, s->sums);
        if (cli_budget_is_late(p->path)) {
            return false;
        }
    }
    return true;
}

/* NULL: late. */
static uint8_t *resize_between(const cli_picture *p, const filter *across, const filter *down,
                               size_t width, size_t height, scratch *s)
{
    const size_t channels = (size_t)p->channels, count = width * height * channels;
    uint8_t *out = NULL;

    s->wide = cli_alloc(s->wide_count * channels * sizeof *s->wide);
    s->row = cli_alloc(width * channels * sizeof *s->row);
    s->sums = cli_alloc(count * sizeof *s->sums);
    if (resize(p, across, down, width, height, s)) {
        out = cli_alloc(count);
        for (size_t i = 0; i < count; i++) {
            out[i] = to_byte(s->sums[i]);
        }
    }
    free(s->wide);
    free(s->row);
    free(s->sums);
    return out;
}

uint8_t *cli_picture_resize(const cli_picture *picture, size_t width, size_t height)
{
    const size_t channels = (size_t)picture->channels, count = width * height * channels;
    filter across = {.bytes = 0}, down = {.bytes = 0};
    scratch s = {NULL, 0, 0, NULL, NULL};
    uint8_t *out = NULL;

    if (filter_make(&across, picture->width, width, picture->path) &&
        filter_make(&down, picture->height, height, picture->path)) {
        s.margin = margin_of(&across, picture->width, width, &s.wide_count);
        uint64_t bytes =
            (s.wide_count * channels + width * channels + count) * sizeof(float) + count;
        if (cli_budget_take(picture->path, bytes)) {
            out = resize_between(picture, &across, &down, width, height, &s);
            cli_budget_give(bytes);
        }
    }
    filter_free(&across);
    filter_free(&down);
    return out;
}
