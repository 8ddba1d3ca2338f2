/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures as inputs: PNG, JPEG or BMP, decoded in picture_*.c, resized to the input's height and
 * width, or as large as it is where the input takes any, then (pixel - mean) * scale, in the layout
 * that the input wants; drawn in the terminal on request.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "picture.h"

typedef struct geometry {
    int height, width, channels; /* height and width 0: the picture's own */
    bool nchw;
} geometry;

static bool find_geometry(const cli_dims *dims, const char *layout, const char *path, geometry *out)
{
    const int rank = dims->n;
    if (rank < 3 || rank > 4 || (rank == 4 && dims->at[0] > 1)) {
        cli_error("%s: a picture fits an input of rank 3, or 4 with batch 1, not this one (rank "
                  "%d)",
                  path, rank);
        return false;
    }
    const int64_t *d = dims->at + (rank - 3);
    bool first = d[0] == 1 || d[0] == 3 || d[0] == 4;
    out->nchw = layout != NULL ? strcmp(layout, "nchw") == 0 : first;
    int64_t sizes[3] = {out->nchw ? d[1] : d[0], out->nchw ? d[2] : d[1], out->nchw ? d[0] : d[2]};
    const bool is_any = sizes[0] < 0 && sizes[1] < 0;
    if ((!is_any && (sizes[0] < 1 || sizes[1] < 1)) || sizes[0] > 16384 || sizes[1] > 16384 ||
        (sizes[2] != 1 && sizes[2] != 3 && sizes[2] != 4)) {
        cli_error("%s: cannot tell height, width and channels of the input; give --layout nchw or "
                  "nhwc, and --shape when dimensions are unknown",
                  path);
        return false;
    }
    out->height = is_any ? 0 : (int)sizes[0];
    out->width = is_any ? 0 : (int)sizes[1];
    out->channels = (int)sizes[2];
    return true;
}

/* "a" or "a,b,c" into one number for each channel. */
static bool parse_channels(const char *option, const char *text, int channels, double fallback,
                           double *out)
{
    int n = 0;

    for (int c = 0; c < channels; c++) {
        out[c] = fallback;
    }
    for (const char *at = text; at != NULL; n++) {
        char *end;
        double value = strtod(at, &end);
        if (n == channels || end == at || (*end != ',' && *end != 0) || !isfinite(value)) {
            n = -1;
            break;
        }
        out[n] = value;
        at = *end == ',' ? end + 1 : NULL;
    }
    if (text != NULL && n != 1 && n != channels) {
        cli_error("%s wants one number, or one for each of the %d channels, not '%s'", option,
                  channels, text);
        return false;
    }
    for (int c = 1; c < channels && n == 1; c++) {
        out[c] = out[0];
    }
    return true;
}

static void draw(const uint8_t *pixels, const geometry *g)
{
    static const char *const shades[] = {"  ", "\u2591\u2591", "\u2592\u2592", "\u2593\u2593",
                                         "\u2588\u2588"};
    int step = g->width > 40 ? g->width / 40 : 1;

    for (int y = 0; y < g->height; y += step) {
        fputs("    ", stdout);
        for (int x = 0; x < g->width; x += step) {
            fputs(shades[pixels[(y * g->width + x) * g->channels] * 5 / 256], stdout);
        }
        fputc('\n', stdout);
    }
}

/* An i8 picture is a u8 one less 128, as image models that were quantised have it. */
static void store(TF_Tensor *tensor, size_t index, double value)
{
    if (TF_TensorType(tensor) == TF_FLOAT) {
        ((float *)TF_TensorData(tensor))[index] = (float)value;
    } else if (TF_TensorType(tensor) == TF_INT8) {
        ((int8_t *)TF_TensorData(tensor))[index] =
            (int8_t)(value < 0     ? -128
                     : value > 255 ? 127
                                   : (int)(value + 0.5) - 128);
    } else {
        ((uint8_t *)TF_TensorData(tensor))[index] = (uint8_t)(value < 0     ? 0
                                                              : value > 255 ? 255
                                                                            : value + 0.5);
    }
}

bool cli_picture_begin(cli_picture *picture, uint64_t width, uint64_t height)
{
    uint64_t bytes;

    if (width == 0 || height == 0 || width > INT32_MAX || height > INT32_MAX ||
        __builtin_mul_overflow(width * height, (uint64_t)picture->channels, &bytes) ||
        bytes > PTRDIFF_MAX) {
        cli_error("%s: an image of %llu by %llu pixels is not supported", picture->path,
                  (unsigned long long)width, (unsigned long long)height);
        return false;
    }
    if (!cli_budget_take(picture->path, bytes)) {
        return false;
    }
    picture->width = (size_t)width;
    picture->height = (size_t)height;
    picture->pixels = cli_alloc((size_t)bytes);
    return true;
}

bool cli_picture_put_row(cli_picture *picture, size_t y, const uint8_t *row, int channels)
{
    const int wanted = picture->channels;
    uint8_t *out = picture->pixels + y * picture->width * (size_t)wanted;

    for (size_t x = 0; x < picture->width; x++, row += channels, out += wanted) {
        const uint8_t *green = channels == 1 ? row : row + 1, *blue = channels == 1 ? row : row + 2;
        if (wanted == 1) {
            out[0] = (uint8_t)((row[0] * 77 + *green * 150 + *blue * 29) >> 8);
            continue;
        }
        out[0] = row[0];
        out[1] = *green;
        out[2] = *blue;
        if (wanted == 4) {
            out[3] = channels == 4 ? row[3] : 255;
        }
    }
    return !cli_budget_is_late(picture->path);
}

bool cli_image_is(const uint8_t *file, size_t bytes)
{
    return (bytes >= 8 && memcmp(file, "\x89PNG\r\n\x1a\n", 8) == 0) ||
           (bytes >= 3 && memcmp(file, "\xff\xd8\xff", 3) == 0) ||
           (bytes >= 2 && memcmp(file, "BM", 2) == 0);
}

static bool decode(const uint8_t *file, size_t bytes, cli_picture *out)
{
    if (!cli_image_is(file, bytes)) {
        cli_error("%s: this image cannot be read; PNG, JPEG and BMP files can", out->path);
        return false;
    }
    return file[0] == 0x89   ? cli_picture_read_png(file, bytes, out)
           : file[0] == 0xff ? cli_picture_read_jpeg(file, bytes, out)
                             : cli_picture_read_bmp(file, bytes, out);
}

/* The shorter side becomes `crop` pixels, and the centre of that the input; NULL after a message.
 */
static uint8_t *cut_centre(const cli_picture *picture, const geometry *g, int crop)
{
    const size_t width = (size_t)g->width, height = (size_t)g->height, side = (size_t)crop;
    const size_t channels = (size_t)picture->channels;
    const bool is_tall = picture->height > picture->width;
    const size_t shorter = is_tall ? picture->width : picture->height;
    const size_t longer = is_tall ? picture->height : picture->width;
    const size_t other = (longer * side + shorter / 2) / shorter;
    const size_t full_width = is_tall ? side : other, full_height = is_tall ? other : side;

    if (full_width < width || full_height < height) {
        cli_error("%s: --crop %d is smaller than the input, %zu by %zu", picture->path, crop, width,
                  height);
        return NULL;
    }
    const bool is_sized = picture->width == full_width && picture->height == full_height;
    uint8_t *full =
        is_sized ? picture->pixels : cli_picture_resize(picture, full_width, full_height);
    if (full == NULL || !cli_budget_take(picture->path, width * height * channels)) {
        free(is_sized ? NULL : full);
        return NULL;
    }
    uint8_t *out = cli_alloc(width * height * channels);
    const uint8_t *from =
        full + ((full_height - height) / 2 * full_width + (full_width - width) / 2) * channels;
    for (size_t y = 0; y < height; y++) {
        memcpy(out + y * width * channels, from + y * full_width * channels, width * channels);
    }
    free(is_sized ? NULL : full);
    return out;
}

/* The picture in the size of the input, or the input in that of the picture; NULL after a message.
 */
static uint8_t *load(const uint8_t *file, size_t bytes, const char *path, geometry *g, int crop)
{
    cli_picture picture = {.path = path, .channels = g->channels};

    if (g->width == 0 && crop > 0) {
        cli_error("%s: --crop is for inputs of one size; say it by --shape", path);
        return NULL;
    }
    if (!decode(file, bytes, &picture)) {
        free(picture.pixels);
        return NULL;
    }
    g->width = g->width == 0 ? (int)picture.width : g->width;
    g->height = g->height == 0 ? (int)picture.height : g->height;
    const size_t width = (size_t)g->width, height = (size_t)g->height;
    if (crop == 0 && picture.width == width && picture.height == height) {
        return picture.pixels;
    }
    uint8_t *pixels =
        crop > 0 ? cut_centre(&picture, g, crop) : cli_picture_resize(&picture, width, height);
    free(picture.pixels);
    return pixels;
}

TF_Tensor *cli_image_read(const uint8_t *file, size_t bytes, const char *path, TF_DataType type,
                          const cli_dims *dims, const cli_image_options *options)
{
    geometry g;
    double mean[4], scale[4];
    cli_dims full = {0};

    if (type != TF_FLOAT && type != TF_UINT8 && type != TF_INT8) {
        cli_error("%s: a picture fits an input of type f32, u8 or i8, not %s", path,
                  cli_type_name(type));
        return NULL;
    }
    if (!find_geometry(dims, options->layout, path, &g) ||
        !parse_channels("--mean", options->mean, g.channels, 0, mean) ||
        !parse_channels("--scale", options->scale, g.channels, type == TF_FLOAT ? 1.0 / 255 : 1,
                        scale)) {
        return NULL;
    }
    uint8_t *pixels = load(file, bytes, path, &g, options->crop);
    if (pixels == NULL) {
        return NULL;
    }
    for (int i = 0; i < dims->n; i++) {
        const int row = dims->n - (g.nchw ? 2 : 3);
        (void)cli_dims_add(&full, i == row       ? g.height
                                  : i == row + 1 ? g.width
                                                 : (dims->at[i] < 0 ? 1 : dims->at[i]));
    }
    TF_Tensor *tensor = cli_tensor(type, &full);
    size_t plane = (size_t)g.height * (size_t)g.width, channels = (size_t)g.channels;
    for (size_t i = 0; tensor != NULL && i < plane * channels; i++) {
        size_t c = i % channels, p = i / channels;
        store(tensor, g.nchw ? c * plane + p : i, (pixels[i] - mean[c]) * scale[c]);
    }
    if (options->show) {
        draw(pixels, &g);
    }
    free(pixels);
    return tensor;
}
