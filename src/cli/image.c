/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures as inputs: decoded by stb_image, resized to the input's height and width, then
 * (pixel - mean) * scale, in the layout that the input wants; drawn in the terminal on request.
 */
#include <stb_image.h>
#include <stb_image_resize.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

typedef struct geometry {
    int height, width, channels;
    bool nchw;
} geometry;

static bool find_geometry(const int64_t *dims, int rank, const char *layout, const char *path,
                          geometry *out)
{
    if (rank < 3 || rank > 4 || (rank == 4 && dims[0] > 1)) {
        cli_error("%s: a picture fits an input of rank 3, or 4 with batch 1, not this one (rank "
                  "%d)",
                  path, rank);
        return false;
    }
    const int64_t *d = dims + (rank - 3);
    bool first = d[0] == 1 || d[0] == 3 || d[0] == 4;
    out->nchw = layout != NULL ? strcmp(layout, "nchw") == 0 : first;
    int64_t sizes[3] = {out->nchw ? d[1] : d[0], out->nchw ? d[2] : d[1], out->nchw ? d[0] : d[2]};
    if (sizes[0] < 1 || sizes[1] < 1 || sizes[0] > 16384 || sizes[1] > 16384 ||
        (sizes[2] != 1 && sizes[2] != 3 && sizes[2] != 4)) {
        cli_error("%s: cannot tell height, width and channels of the input; give --layout nchw or "
                  "nhwc, and --shape when dimensions are unknown",
                  path);
        return false;
    }
    out->height = (int)sizes[0];
    out->width = (int)sizes[1];
    out->channels = (int)sizes[2];
    return true;
}

/* "a" or "a,b,c" into one number for each channel. */
static bool parse_channels(const char *text, int channels, double fallback, double *out)
{
    for (int c = 0; c < channels; c++) {
        out[c] = fallback;
    }
    if (text == NULL) {
        return true;
    }
    for (int c = 0; c < channels; c++) {
        char *end;
        out[c] = strtod(text, &end);
        if (end == text || (*end != ',' && *end != 0)) {
            cli_error("a mean or scale wants one number or one for each channel, not '%s'", text);
            return false;
        }
        text = *end == ',' ? end + 1 : text;
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

static uint8_t *load(const char *path, const geometry *g)
{
    size_t bytes;
    int width, height, channels;
    uint8_t *file = cli_read_file(path, &bytes);

    if (file == NULL) {
        return NULL;
    }
    uint8_t *decoded = bytes > INT32_MAX ? NULL
                                         : stbi_load_from_memory(file, (int)bytes, &width, &height,
                                                                 &channels, g->channels);
    free(file);
    if (decoded == NULL) {
        cli_error("%s: not a picture that can be read (%s)", path, stbi_failure_reason());
        return NULL;
    }
    uint8_t *pixels = cli_alloc((size_t)g->width * (size_t)g->height * (size_t)g->channels);
    if (width == g->width && height == g->height) {
        memcpy(pixels, decoded, (size_t)width * (size_t)height * (size_t)g->channels);
    } else {
        stbir_resize_uint8(decoded, width, height, 0, pixels, g->width, g->height, 0, g->channels);
    }
    stbi_image_free(decoded);
    return pixels;
}

TF_Tensor *cli_image_read(const char *path, TF_DataType type, const int64_t *dims, int rank,
                          const cli_image_options *options)
{
    geometry g;
    double mean[4], scale[4];
    int64_t full[4];

    if (type != TF_FLOAT && type != TF_UINT8 && type != TF_INT8) {
        cli_error("%s: a picture fits an input of type f32, u8 or i8, not %s", path,
                  cli_type_name(type));
        return NULL;
    }
    if (!find_geometry(dims, rank, options->layout, path, &g) ||
        !parse_channels(options->mean, g.channels, 0, mean) ||
        !parse_channels(options->scale, g.channels, type == TF_FLOAT ? 1.0 / 255 : 1, scale)) {
        return NULL;
    }
    uint8_t *pixels = load(path, &g);
    if (pixels == NULL) {
        return NULL;
    }
    for (int i = 0; i < rank; i++) {
        full[i] = dims[i] < 0 ? 1 : dims[i];
    }
    TF_Tensor *tensor = cli_tensor(type, full, rank);
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
