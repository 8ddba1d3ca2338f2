/* SPDX-License-Identifier: Apache-2.0 */
/* InputStreamInterface: bytes in order. */
#ifndef ORIBI_TENSORFLOW_CORE_LIB_IO_INPUTSTREAM_INTERFACE_H_
#define ORIBI_TENSORFLOW_CORE_LIB_IO_INPUTSTREAM_INTERFACE_H_

#include <algorithm>

#include "tensorflow/core/platform/errors.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace io
{

class InputStreamInterface
{
  public:
    InputStreamInterface() = default;
    InputStreamInterface(const InputStreamInterface &) = delete;
    InputStreamInterface &operator=(const InputStreamInterface &) = delete;
    virtual ~InputStreamInterface() = default;
    /* OUT_OF_RANGE when the stream ends before; *result has what was left. */
    virtual Status ReadNBytes(int64 n, tstring *result) = 0;
    virtual Status SkipNBytes(int64 n)
    {
        constexpr int64 kAtOnce = 1 << 16;
        tstring unused;
        for (; n > 0; n -= kAtOnce) {
            TF_RETURN_IF_ERROR(ReadNBytes(std::min(n, kAtOnce), &unused));
        }
        return n < -kAtOnce ? errors::InvalidArgument("a stream cannot skip backwards") : Status();
    }
    /* Bytes read so far. */
    virtual int64 Tell() const = 0;
    virtual Status Reset() = 0;
};

} // namespace io
} // namespace tensorflow

#endif
