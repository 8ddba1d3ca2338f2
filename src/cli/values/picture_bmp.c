/* SPDX-License-Identifier: Apache-2.0 */
/* BMP without compression: a palette of up to 256 colours, 24 or 32 bits; rows from the top or from
 * the bottom.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "picture.h"

enum { FILE_HEAD = 14, NO_COMPRESSION = 0, BIT_FIELDS = 3 };

typedef struct bitmap {
    const uint8_t *file, *palette, *rows;
    size_t n_colours, row_bytes;
    uint64_t width, height;
    int bits;
    bool from_top, has_alpha;
} bitmap;

static bool fail(const cli_picture *out, const char *why)
{
    cli_error("%s: %s", out->path, why);
    return false;
}

/* The order of bytes that BI_RGB has, too; others are rare. */
static bool are_usual_masks(const uint8_t *masks)
{
    return cli_little(masks, 4) == 0xff0000 && cli_little(masks + 4, 4) == 0xff00 &&
           cli_little(masks + 8, 4) == 0xff;
}

static bool read_head(const uint8_t *file, size_t bytes, cli_picture *out, bitmap *b)
{
    if (bytes < FILE_HEAD + 40) {
        return fail(out, "damaged BMP: the header is cut off");
    }
    const uint8_t *info = file + FILE_HEAD;
    uint64_t rows_at = cli_little(file + 10, 4), info_bytes = cli_little(info, 4), palette_at;
    uint32_t width = cli_little(info + 4, 4), height = cli_little(info + 8, 4),
             packing = cli_little(info + 16, 4);
    uint32_t n_colours = cli_little(info + 32, 4);

    b->bits = (int)cli_little(info + 14, 2);
    b->from_top = height >> 31 != 0;
    b->width = width;
    b->height = b->from_top ? 0u - height : height;
    palette_at = FILE_HEAD + info_bytes + (packing == BIT_FIELDS && info_bytes == 40 ? 12 : 0);
    if (info_bytes < 40 || info_bytes > 1024 || palette_at > bytes) {
        return fail(out, "a BMP with a header of that size is not supported");
    }
    bool is_usual = packing == NO_COMPRESSION;
    if (packing == BIT_FIELDS && b->bits == 32 && bytes >= FILE_HEAD + 52) {
        is_usual = are_usual_masks(info + 40);
    }
    if (!is_usual || (b->bits != 8 && b->bits != 24 && b->bits != 32)) {
        return fail(
            out,
            "the BMP is not supported; it must be uncompressed, with 8, 24 or 32 bits per pixel");
    }
    if (width == 0 || width >> 31 != 0 || b->height == 0 || b->height >> 31 != 0) {
        return fail(out, "damaged BMP: its width or height is not a number of pixels");
    }
    b->n_colours = b->bits != 8 ? 0 : n_colours == 0 ? 256 : n_colours;
    b->row_bytes = (size_t)((b->width * (unsigned)b->bits + 31) / 32 * 4);
    if (b->n_colours > 256 || rows_at < palette_at + b->n_colours * 4 || rows_at > bytes ||
        (bytes - rows_at) / b->row_bytes < b->height) {
        return fail(out, "damaged BMP: the palette or the pixels are cut off");
    }
    b->palette = file + palette_at;
    b->rows = file + rows_at;
    return true;
}

/* A file of 32 bits whose fourth byte is 0 everywhere has no alpha; all of it would be invisible.
 */
static bool has_alpha(const bitmap *b, const char *path)
{
    for (uint64_t y = 0; y < b->height && b->bits == 32; y++) {
        for (uint64_t x = 0; x < b->width; x++) {
            if (b->rows[y * b->row_bytes + 4 * x + 3] != 0) {
                return true;
            }
        }
        if (cli_budget_is_late(path)) {
            return false;
        }
    }
    return false;
}

static bool read_row(const bitmap *b, const uint8_t *in, uint8_t *rgba)
{
    const size_t step = (size_t)b->bits / 8;

    for (uint64_t x = 0; x < b->width; x++, in += step, rgba += 4) {
        if (b->bits == 8 && in[0] >= b->n_colours) {
            return false;
        }
        const uint8_t *bgr = b->bits == 8 ? b->palette + 4 * in[0] : in;
        rgba[0] = bgr[2];
        rgba[1] = bgr[1];
        rgba[2] = bgr[0];
        rgba[3] = b->has_alpha ? in[3] : 255;
    }
    return true;
}

bool cli_picture_read_bmp(const uint8_t *file, size_t bytes, cli_picture *out)
{
    bitmap b = {.file = file};

    if (!read_head(file, bytes, out, &b) || !cli_picture_begin(out, b.width, b.height) ||
        !cli_budget_take(out->path, b.width * 4)) {
        return false;
    }
    uint8_t *rgba = cli_alloc((size_t)b.width * 4);
    bool good = true;
    b.has_alpha = out->channels == 4 && has_alpha(&b, out->path);
    for (uint64_t y = 0; y < b.height && good; y++) {
        uint64_t from = b.from_top ? y : b.height - 1 - y;
        if (!read_row(&b, b.rows + from * b.row_bytes, rgba)) {
            good = fail(out, "damaged BMP: a pixel has a colour that is not in the palette");
        }
        good = good && cli_picture_put_row(out, (size_t)y, rgba, 4);
    }
    free(rgba);
    cli_budget_give(b.width * 4);
    return good;
}
