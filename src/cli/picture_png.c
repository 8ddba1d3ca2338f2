/* SPDX-License-Identifier: Apache-2.0 */
/* PNG, all kinds of it, by libspng. 16 bits become 8, palettes and gray become colours. */
#include <spng.h>
#include <stdlib.h>

#include "cli.h"
#include "picture.h"

enum {
    /* Chunks beside the pixels say nothing that is used here; what they may take is small. */
    MAX_CHUNK_BYTES = 1 << 20,
    MAX_CACHE_BYTES = 4 << 20
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

static bool read_rows(spng_ctx *png, const struct spng_ihdr *head, cli_picture *out)
{
    const size_t row_bytes = out->width * 4;
    const size_t n_kept = head->interlace_method != 0 ? out->height : 1;
    const uint64_t kept_bytes = (uint64_t)row_bytes * n_kept;

    if (!cli_budget_take(out->path, kept_bytes)) {
        return false;
    }
    uint8_t *rgba = cli_alloc((size_t)kept_bytes);
    bool good = true;
    int error = 0;
    if (n_kept > 1) {
        error = read_passes(png, rgba, row_bytes, out->path);
    }
    for (size_t y = 0; y < out->height && good && (error == 0 || n_kept > 1); y++) {
        error = n_kept > 1 ? error : spng_decode_row(png, rgba, row_bytes);
        good = error == 0 || error == SPNG_EOI;
        good = good && cli_picture_put_row(out, y, rgba + (n_kept > 1 ? y * row_bytes : 0), 4);
    }
    free(rgba);
    cli_budget_give(kept_bytes);
    if (error > 0 && error != SPNG_EOI) {
        return fail(out, error);
    }
    return good && error == SPNG_EOI;
}

static bool read_image(spng_ctx *png, const uint8_t *file, size_t bytes, cli_picture *out)
{
    struct spng_ihdr head;
    int error = spng_set_crc_action(png, SPNG_CRC_ERROR, SPNG_CRC_DISCARD);

    error = error != 0 ? error : spng_set_chunk_limits(png, MAX_CHUNK_BYTES, MAX_CACHE_BYTES);
    error = error != 0 ? error : spng_set_png_buffer(png, file, bytes);
    error = error != 0 ? error : spng_get_ihdr(png, &head);
    if (error != 0) {
        return fail(out, error);
    }
    if (!cli_picture_begin(out, head.width, head.height)) {
        return false;
    }
    error = spng_decode_image(png, NULL, 0, SPNG_FMT_RGBA8, SPNG_DECODE_PROGRESSIVE);
    if (error != 0) {
        return fail(out, error);
    }
    if (!read_rows(png, &head, out)) {
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
