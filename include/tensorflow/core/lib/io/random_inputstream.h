/* SPDX-License-Identifier: Apache-2.0 */
/* RandomAccessInputStream: a file as a stream. */
#ifndef ORIBI_TENSORFLOW_CORE_LIB_IO_RANDOM_INPUTSTREAM_H_
#define ORIBI_TENSORFLOW_CORE_LIB_IO_RANDOM_INPUTSTREAM_H_

#include <memory>

#include "tensorflow/core/lib/io/inputstream_interface.h"
#include "tensorflow/core/platform/file_system.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace io
{

class RandomAccessInputStream : public InputStreamInterface
{
  public:
    explicit RandomAccessInputStream(RandomAccessFile *file, bool owns_file = false)
        : file_(file), owned_(owns_file ? file : nullptr)
    {
    }
    Status ReadNBytes(int64 n, tstring *result) override
    {
        if (n < 0) {
            return errors::InvalidArgument("a stream cannot read ", n, " bytes");
        }
        StringPiece got;
        result->clear();
        result->resize_uninitialized(static_cast<size_t>(n));
        const Status status =
            file_->Read(static_cast<uint64>(at_), static_cast<size_t>(n), &got, &(*result)[0]);
        if (!status.ok() && !errors::IsOutOfRange(status)) {
            result->clear();
            return status;
        }
        if (got.data() != result->data()) { /* a file that has its bytes in memory */
            std::memmove(&(*result)[0], got.data(), got.size());
        }
        result->resize(got.size());
        at_ += static_cast<int64>(got.size());
        return status;
    }
    Status SkipNBytes(int64 n) override
    {
        if (n < 0) {
            return errors::InvalidArgument("a stream cannot skip ", n, " bytes");
        }
        char last = 0;
        StringPiece got;
        /* Is the last byte there? If not, the end is looked for by reading. */
        if (n == 0 || file_->Read(static_cast<uint64>(at_ + n - 1), 1, &got, &last).ok()) {
            at_ += n;
            return Status();
        }
        return InputStreamInterface::SkipNBytes(n);
    }
    int64 Tell() const override
    {
        return at_;
    }
    Status Seek(int64 position)
    {
        at_ = position;
        return Status();
    }
    Status Reset() override
    {
        return Seek(0);
    }

  private:
    RandomAccessFile *file_;
    std::unique_ptr<RandomAccessFile> owned_;
    int64 at_ = 0;
};

} // namespace io
} // namespace tensorflow

#endif
