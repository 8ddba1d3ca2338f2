/* SPDX-License-Identifier: Apache-2.0 */
/* JPEG, baseline and progressive, by libjpeg-turbo. Its older interface: that one can be stopped
 * between rows and between the scans of a progressive picture, of which a small file can have
 * hundreds, each as long as the picture.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

#include "cli.h"
#include "picture.h"

enum {
    MAX_SCANS = 500 /* as TurboJPEG's own limit; pictures of cameras have 10 */
};

typedef struct reader {
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    struct jpeg_decompress_struct jpeg;
    jmp_buf failed;
    cli_picture *out;
    uint8_t *row;
    bool is_told; /* the message is out */
} reader;

_Noreturn static void fail(j_common_ptr jpeg)
{
    reader *r = jpeg->client_data;
    char text[JMSG_LENGTH_MAX];

    if (!r->is_told) {
        jpeg->err->format_message(jpeg, text);
        cli_error("%s: damaged JPEG: %s", r->out->path, text);
    }
    longjmp(r->failed, 1);
}

_Noreturn static void give_up(reader *r)
{
    r->is_told = true;
    fail((j_common_ptr)&r->jpeg);
}

/* A warning tells of data that is missing or wrong: the decoder would go on with gray. */
static void on_message(j_common_ptr jpeg, int level)
{
    if (level < 0) {
        fail(jpeg);
    }
}

static void on_progress(j_common_ptr jpeg)
{
    reader *r = jpeg->client_data;

    if (cli_budget_is_late(r->out->path)) {
        give_up(r);
    }
    if (r->jpeg.input_scan_number > MAX_SCANS) {
        cli_error("%s: a JPEG with more than %d scans is not supported", r->out->path, MAX_SCANS);
        give_up(r);
    }
}

/* Coefficients of the whole picture are kept where it comes in several scans. */
static uint64_t coefficient_bytes(struct jpeg_decompress_struct *jpeg)
{
    uint64_t blocks = 0;

    for (int i = 0; jpeg_has_multiple_scans(jpeg) && i < jpeg->num_components; i++) {
        const jpeg_component_info *c = &jpeg->comp_info[i];
        blocks += ((uint64_t)c->width_in_blocks + (uint64_t)c->h_samp_factor) *
                  ((uint64_t)c->height_in_blocks + (uint64_t)c->v_samp_factor);
    }
    return blocks * DCTSIZE2 * sizeof(JCOEF);
}

static void choose_colours(reader *r)
{
    struct jpeg_decompress_struct *jpeg = &r->jpeg;

    if (jpeg->jpeg_color_space == JCS_GRAYSCALE ||
        (jpeg->jpeg_color_space == JCS_YCbCr && r->out->channels == 1)) {
        jpeg->out_color_space = JCS_GRAYSCALE;
    } else if (jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK) {
        jpeg->out_color_space = JCS_CMYK;
    } else {
        jpeg->out_color_space = JCS_RGB;
    }
}

/* Ink on paper: what is not swallowed by the colour nor by black. Adobe stores it inverted. */
static void paint(uint8_t *row, size_t width, bool is_inverted)
{
    for (size_t x = 0; x < width; x++) {
        uint8_t *p = row + 4 * x;
        unsigned black = is_inverted ? p[3] : 255u - p[3];
        for (int c = 0; c < 3; c++) {
            unsigned light = is_inverted ? p[c] : 255u - p[c];
            p[c] = (uint8_t)((light * black + 127) / 255);
        }
        p[3] = 255;
    }
}

static void read_all(reader *r, const uint8_t *file, size_t bytes)
{
    struct jpeg_decompress_struct *jpeg = &r->jpeg;

    jpeg_mem_src(jpeg, file, (unsigned long)bytes);
    jpeg_read_header(jpeg, TRUE);
    uint64_t kept = coefficient_bytes(jpeg);
    if (!cli_picture_begin(r->out, jpeg->image_width, jpeg->image_height) ||
        !cli_budget_take(r->out->path, kept)) {
        give_up(r);
    }
    choose_colours(r);
    jpeg->progress = &r->progress;
    jpeg_start_decompress(jpeg);
    const int channels = jpeg->output_components;
    r->row = cli_alloc((size_t)jpeg->output_width * (size_t)channels);
    while (jpeg->output_scanline < jpeg->output_height) {
        size_t y = jpeg->output_scanline;
        jpeg_read_scanlines(jpeg, &r->row, 1);
        if (channels == 4) {
            paint(r->row, r->out->width, jpeg->saw_Adobe_marker);
        }
        if (!cli_picture_put_row(r->out, y, r->row, channels)) {
            give_up(r);
        }
    }
    jpeg_finish_decompress(jpeg); /* to the end of the file, so that it is there */
    cli_budget_give(kept);
}

bool cli_picture_read_jpeg(const uint8_t *file, size_t bytes, cli_picture *out)
{
    reader *r = cli_alloc(sizeof *r);
    bool good = false;

    r->out = out;
    r->progress.progress_monitor = on_progress;
    r->jpeg.client_data = r;
    r->jpeg.err = jpeg_std_error(&r->errors);
    r->errors.error_exit = fail;
    r->errors.emit_message = on_message;
    if (setjmp(r->failed) == 0) {
        jpeg_create_decompress(&r->jpeg);
        read_all(r, file, bytes);
        good = true;
    }
    jpeg_destroy_decompress(&r->jpeg);
    free(r->row);
    free(r);
    return good;
}
