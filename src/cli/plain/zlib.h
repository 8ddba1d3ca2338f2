/* SPDX-License-Identifier: Apache-2.0 */
/* What the command uses of zlib, where it is built without (ORIBI_COMMAND_CODECS=OFF): checksums
 * work, nothing is inflated. The real header is not seen then.
 */
#ifndef ORIBI_CLI_PLAIN_ZLIB_H_
#define ORIBI_CLI_PLAIN_ZLIB_H_

#include <stddef.h>
#include <stdint.h>

typedef uint8_t Bytef;
typedef unsigned uInt;
typedef struct z_stream {
    Bytef *next_in, *next_out;
    uInt avail_in, avail_out;
} z_stream;
enum { Z_OK = 0, Z_STREAM_END = 1, Z_DATA_ERROR = -3, Z_NO_FLUSH = 0, Z_FINISH = 4 };

unsigned long crc32_z(unsigned long before, const void *data, size_t bytes);
int inflateInit2(z_stream *stream, int window_bits);
int inflate(z_stream *stream, int flush);
int inflateEnd(z_stream *stream);

#endif
