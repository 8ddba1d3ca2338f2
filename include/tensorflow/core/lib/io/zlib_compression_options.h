/* SPDX-License-Identifier: Apache-2.0 */
/* ZlibCompressionOptions: how zlib packs and unpacks. */
#ifndef ORIBI_TENSORFLOW_CORE_LIB_IO_ZLIB_COMPRESSION_OPTIONS_H_
#define ORIBI_TENSORFLOW_CORE_LIB_IO_ZLIB_COMPRESSION_OPTIONS_H_

#include <zlib.h>

#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace io
{

struct ZlibCompressionOptions {
    static ZlibCompressionOptions DEFAULT()
    {
        return ZlibCompressionOptions();
    }
    static ZlibCompressionOptions RAW()
    {
        return OfWindow(-MAX_WBITS);
    }
    static ZlibCompressionOptions GZIP()
    {
        return OfWindow(MAX_WBITS + 16);
    }
    static ZlibCompressionOptions OfWindow(int bits)
    {
        ZlibCompressionOptions out;
        out.window_bits = static_cast<int8>(bits);
        return out;
    }
    int8 flush_mode = Z_NO_FLUSH;
    int64 input_buffer_size = 256 << 10;
    int64 output_buffer_size = 256 << 10;
    int8 window_bits = MAX_WBITS;
    int8 compression_level = Z_DEFAULT_COMPRESSION;
    int8 compression_method = Z_DEFLATED;
    int8 mem_level = 9;
    int8 compression_strategy = Z_DEFAULT_STRATEGY;
    bool soft_fail_on_error = false;
};

} // namespace io
} // namespace tensorflow

#endif
