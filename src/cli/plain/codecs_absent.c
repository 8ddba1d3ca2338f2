/* SPDX-License-Identifier: Apache-2.0 */
/* The command without zlib, libspng and libjpeg, as in Python's wheels, whose users have decoders:
 * PNG and JPEG and deflated members of an .npz are refused with words that say what to do.
 */
#include <zlib.h>

#include "cli.h"
#include "values/picture.h"

static bool refuse(const cli_picture *picture, const char *kind)
{
    cli_error("%s: this command was built without a decoder for %s; give a BMP, or the pixels as "
              ".npy",
              picture->path, kind);
    return false;
}

bool cli_picture_read_png(const uint8_t *file, size_t bytes, cli_picture *out)
{
    (void)file;
    (void)bytes;
    return refuse(out, "PNG");
}

bool cli_picture_read_jpeg(const uint8_t *file, size_t bytes, cli_picture *out)
{
    (void)file;
    (void)bytes;
    return refuse(out, "JPEG");
}

/* CRC-32 of IEEE 802.3, reflected, as zlib's: a bit at a time makes the table, a byte the sum. */
unsigned long crc32_z(unsigned long before, const void *data, size_t bytes)
{
    const uint8_t *at = data;
    uint32_t table[256], crc = ~(uint32_t)before;

    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++) {
            table[i] = table[i] >> 1 ^ ((table[i] & 1) != 0 ? 0xedb88320u : 0);
        }
    }
    for (size_t i = 0; i < bytes; i++) {
        crc = crc >> 8 ^ table[(crc ^ at[i]) & 0xff];
    }
    return (uint32_t)~crc;
}

int inflateInit2(z_stream *stream, int window_bits)
{
    (void)stream;
    (void)window_bits;
    cli_error("this command was built without zlib: write the .npz with numpy.savez, not "
              "savez_compressed");
    return Z_OK;
}

int inflate(z_stream *stream, int flush)
{
    (void)stream;
    (void)flush;
    return Z_DATA_ERROR;
}

int inflateEnd(z_stream *stream)
{
    (void)stream;
    return Z_OK;
}
