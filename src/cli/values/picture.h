/* SPDX-License-Identifier: Apache-2.0 */
/* A picture between its decoder and the input: rows of 8-bit channels. cli_image.c puts it in. */
#ifndef ORIBI_CLI_PICTURE_H_
#define ORIBI_CLI_PICTURE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cli_picture {
    const char *path; /* for messages */
    size_t width, height;
    int channels; /* 1 (gray), 3 (RGB) or 4 (RGBA), whatever the file has */
    uint8_t *pixels;
} cli_picture;

/* Room for a picture of that size, all black; false after a message: the budget has not so much.
 * The caller of a decoder frees the pixels. */
bool cli_picture_begin(cli_picture *picture, uint64_t width, uint64_t height);
/* One row of 1, 3 or 4 channels into row `y`; gray is the luma of a colour, a missing alpha 255.
 * False after a message: the time is up. */
bool cli_picture_put_row(cli_picture *picture, size_t y, const uint8_t *row, int channels);

/* Decoders: path and channels are set. False after a message; a file that ends early is damaged. */
bool cli_picture_read_png(const uint8_t *file, size_t bytes, cli_picture *out);
bool cli_picture_read_jpeg(const uint8_t *file, size_t bytes, cli_picture *out);
bool cli_picture_read_bmp(const uint8_t *file, size_t bytes, cli_picture *out);

/* Another size: Catmull-Rom where it grows, Mitchell where it does not. NULL after a message. */
uint8_t *cli_picture_resize(const cli_picture *picture, size_t width, size_t height);

#endif
