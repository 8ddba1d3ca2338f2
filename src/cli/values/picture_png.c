/* SPDX-License-Identifier: Apache-2.0 */
/* PNG, all kinds of it, by libspng. 16 bits become 8, palettes and gray become colours. */
#include <spng.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "picture.h"

enum {
    MAX_CHUNK_BYTES = 16 << 20 /* of what stands beside the pixels, and is not used here */
};

static bool fail(const cli_picture *out, int error)
{
    cli_error("%s: damaged PNG: %s", out->path, spng_strerror(error));
    return false;
}

/* An interlaced picture comes in seven passes over rows of RGBA, which are all kept for that. */
static int read_passes(spng_ctx *png, uint8_t *rgba, size_t row_bytes, const char *path)
{
    int error;

    do {
        struct spng_row_info at;
        error = spng_get_row_info(png, &at);
        if (error == 0) {
            error = spng_decode_row(png, rgba + at.row_num * row_bytes, row_bytes);
        }
        if (cli_budget_is_late(path)) {
            return -1;
        }
    } while (error == 0);
    return error;
}

/* A colour of 16 bits becomes gray before it becomes 8 bits, so that it is rounded once. */
static void make_gray(uint8_t *row, size_t width)
{
    for (size_t x = 0; x < width; x++) {
        uint16_t c[3];
        memcpy(c, row + 8 * x, sizeof c);
        row[x] = (uint8_t)((c[0] * 77u + c[1] * 150u + c[2] * 29u) >> 16);
    }
}

static bool put_row(cli_picture *out, size_t y, uint8_t *row, bool is_wide)
{
    if (is_wide) {
        make_gray(row, out->width);
    }
    return cli_picture_put_row(out, y, row, is_wide ? 1 : 4);
}

static bool read_rows(spng_ctx *png, const struct spng_ihdr *head, bool is_wide, cli_picture *out)
{
    const size_t row_bytes = out->width * (is_wide ? 8 : 4);
    const bool has_passes = head->interlace_method != 0;
    const uint64_t kept_bytes = (uint64_t)row_bytes * (has_passes ? out->height : 1);

    if (!cli_budget_take(out->path, kept_bytes)) {
        return false;
    }
    uint8_t *rows = cli_alloc((size_t)kept_bytes);
    int error = has_passes ? read_passes(png, rows, row_bytes, out->path) : 0;
    bool good = error == 0 || error == SPNG_EOI;
    for (size_t y = 0; y < out->height && good; y++) {
        error = has_passes ? error : spng_decode_row(png, rows, row_bytes);
        good = (error == 0 || error == SPNG_EOI) &&
               put_row(out, y, has_passes ? rows + y * row_bytes : rows, is_wide);
    }
    free(rows);
    cli_budget_give(kept_bytes);
    if (error > 0 && error != SPNG_EOI) {
        return fail(out, error);
    }
    return good && error == SPNG_EOI;
}

/* The decoder takes what it needs and does not ask whether the file's last bytes are there. */
static bool is_whole(const uint8_t *file, size_t bytes)
{
    for (size_t at = 8; bytes - at >= 12;) {
        size_t length = (size_t)file[at] << 24 | (size_t)file[at + 1] << 16 |
                        (size_t)file[at + 2] << 8 | file[at + 3];
        if (length > bytes - at - 12) {
            break;
        }
        if (memcmp(file + at + 4, "IEND", 4) == 0) {
            return true;
        }
        at += length + 12;
    }
    return false;
}

static bool read_image(spng_ctx *png, const uint8_t *file, size_t bytes, cli_picture *out)
{
    struct spng_ihdr head;
    int error = spng_set_crc_action(png, SPNG_CRC_ERROR, SPNG_CRC_DISCARD);

    const uint64_t left = cli_budget_left();
    const size_t most = left < MAX_CHUNK_BYTES ? (size_t)left : MAX_CHUNK_BYTES;
    if (!is_whole(file, bytes)) {
        cli_error("%s: damaged PNG: the file ends early", out->path);
        return false;
    }
    error = error != 0 ? error : spng_set_chunk_limits(png, most, most);
    error = error != 0 ? error : spng_set_png_buffer(png, file, bytes);
    error = error != 0 ? error : spng_get_ihdr(png, &head);
    if (error != 0) {
        return fail(out, error);
    }
    if (!cli_picture_begin(out, head.width, head.height)) {
        return false;
    }
    const bool is_wide = head.bit_depth == 16 && out->channels == 1;
    error = spng_decode_image(png, NULL, 0, is_wide ? SPNG_FMT_RGBA16 : SPNG_FMT_RGBA8,
                              SPNG_DECODE_PROGRESSIVE | SPNG_DECODE_TRNS);
    if (error != 0) {
        return fail(out, error);
    }
    if (!read_rows(png, &head, is_wide, out)) {
        return false;
    }
    error = spng_decode_chunks(png); /* to the end of the file, so that it is there */
    return error == 0 || fail(out, error);
}

bool cli_picture_read_png(const uint8_t *file, size_t bytes, cli_picture *out)
{
    spng_ctx *png = spng_ctx_new(0);

    if (png == NULL) {
        cli_error("%s: out of memory", out->path);
        return false;
    }
    bool good = read_image(png, file, bytes, out);
    spng_ctx_free(png);
    return good;
}
