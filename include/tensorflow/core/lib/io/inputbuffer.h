/* SPDX-License-Identifier: Apache-2.0 */
/* InputBuffer: lines, bytes and numbers of a file, read in large pieces. */
#ifndef ORIBI_TENSORFLOW_CORE_LIB_IO_INPUTBUFFER_H_
#define ORIBI_TENSORFLOW_CORE_LIB_IO_INPUTBUFFER_H_

#include "tensorflow/core/lib/io/buffered_inputstream.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace io
{

class InputBuffer
{
  public:
    InputBuffer(RandomAccessFile *file, size_t buffer_bytes) : stream_(file, buffer_bytes)
    {
    }
    template <typename T> Status ReadLine(T *result)
    {
        return stream_.ReadLine(result);
    }
    Status ReadNBytes(int64 n, string *result)
    {
        tstring bytes;
        const Status status = stream_.ReadNBytes(n, &bytes);
        result->assign(bytes.data(), bytes.size());
        return status;
    }
    Status ReadNBytes(int64 n, char *result, size_t *bytes_read)
    {
        tstring bytes;
        const Status status = stream_.ReadNBytes(n, &bytes);
        std::memcpy(result, bytes.data(), bytes.size());
        *bytes_read = bytes.size();
        return status;
    }
    Status ReadVarint32(uint32 *result)
    {
        uint64 wide = 0;
        TF_RETURN_IF_ERROR(ReadVarint(5, &wide));
        *result = static_cast<uint32>(wide);
        return Status();
    }
    Status ReadVarint64(uint64 *result)
    {
        return ReadVarint(10, result);
    }
    Status SkipNBytes(int64 n)
    {
        return stream_.SkipNBytes(n);
    }
    Status Seek(int64 position)
    {
        return stream_.Seek(position);
    }
    int64 Tell() const
    {
        return stream_.Tell();
    }

  private:
    Status ReadVarint(int most, uint64 *result)
    {
        tstring byte;
        *result = 0;
        for (int i = 0; i < most; i++) {
            TF_RETURN_IF_ERROR(stream_.ReadNBytes(1, &byte));
            const uint64 bits = static_cast<unsigned char>(byte[0]);
            *result |= (bits & 127) << (7 * i);
            if (bits < 128) {
                return Status();
            }
        }
        return errors::DataLoss("a number of the stream has more than ", most, " bytes");
    }
    BufferedInputStream stream_;
};

} // namespace io
} // namespace tensorflow

#endif
