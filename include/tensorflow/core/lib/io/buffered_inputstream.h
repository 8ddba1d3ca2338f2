/* SPDX-License-Identifier: Apache-2.0 */
/* BufferedInputStream: a stream that is read in large pieces and handed out in small ones. */
#ifndef ORIBI_TENSORFLOW_CORE_LIB_IO_BUFFERED_INPUTSTREAM_H_
#define ORIBI_TENSORFLOW_CORE_LIB_IO_BUFFERED_INPUTSTREAM_H_

#include <memory>

#include "tensorflow/core/lib/io/random_inputstream.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace io
{

class BufferedInputStream : public InputStreamInterface
{
  public:
    BufferedInputStream(InputStreamInterface *stream, size_t buffer_bytes,
                        bool owns_input_stream = false)
        : stream_(stream), owned_(owns_input_stream ? stream : nullptr),
          size_(std::max<size_t>(1, buffer_bytes))
    {
    }
    BufferedInputStream(RandomAccessFile *file, size_t buffer_bytes)
        : BufferedInputStream(new RandomAccessInputStream(file), buffer_bytes, true)
    {
    }
    Status ReadNBytes(int64 n, tstring *result) override
    {
        return Take(n, result);
    }
    Status SkipNBytes(int64 n) override
    {
        if (n < 0) {
            return errors::InvalidArgument("a stream cannot skip ", n, " bytes");
        }
        const int64 held = std::min(n, static_cast<int64>(buffer_.size() - at_));
        at_ += static_cast<size_t>(held);
        return n == held ? Status() : stream_->SkipNBytes(n - held);
    }
    int64 Tell() const override
    {
        return stream_->Tell() - static_cast<int64>(buffer_.size() - at_);
    }
    Status Reset() override
    {
        TF_RETURN_IF_ERROR(stream_->Reset());
        buffer_.clear();
        at_ = 0;
        return Status();
    }
    Status Seek(int64 position)
    {
        if (position < 0) {
            return errors::InvalidArgument("a stream has no position ", position);
        }
        const int64 begin = stream_->Tell() - static_cast<int64>(buffer_.size());
        if (position >= begin && position <= stream_->Tell()) {
            at_ = static_cast<size_t>(position - begin);
            return Status();
        }
        if (position < begin) {
            TF_RETURN_IF_ERROR(Reset());
        }
        return SkipNBytes(position - Tell());
    }
    /* Up to the end of the line, which is read and left out, as is a carriage return. OUT_OF_RANGE
     * when there is no byte left. */
    template <typename T> Status ReadLine(T *result)
    {
        return ReadLine(result, false);
    }
    /* With the end of the line, if there is one. */
    string ReadLineAsString()
    {
        string line;
        ReadLine(&line, true).IgnoreError();
        return line;
    }
    Status SkipLine()
    {
        string unused;
        return ReadLine(&unused);
    }
    template <typename T> Status ReadAll(T *result)
    {
        result->clear();
        Status status;
        while (status.ok()) {
            result->append(buffer_.data() + at_, buffer_.size() - at_);
            at_ = buffer_.size();
            status = Fill();
        }
        return errors::IsOutOfRange(status) ? Status() : status;
    }

  private:
    /* The buffer is empty: the next bytes. */
    Status Fill()
    {
        const Status status = stream_->ReadNBytes(static_cast<int64>(size_), &buffer_);
        at_ = 0;
        return buffer_.empty() && status.ok() ? errors::OutOfRange("the stream ends")
               : buffer_.empty()              ? status
                                              : Status();
    }
    Status Take(int64 n, tstring *result)
    {
        if (n < 0) {
            return errors::InvalidArgument("a stream cannot read ", n, " bytes");
        }
        result->clear();
        while (static_cast<int64>(result->size()) < n) {
            if (at_ == buffer_.size()) {
                TF_RETURN_IF_ERROR(Fill());
            }
            const size_t more =
                std::min(static_cast<size_t>(n) - result->size(), buffer_.size() - at_);
            result->append(buffer_.data() + at_, more);
            at_ += more;
        }
        return Status();
    }
    template <typename T> Status ReadLine(T *result, bool keeps_end)
    {
        result->clear();
        for (bool has_begun = false;; has_begun = true) {
            if (at_ == buffer_.size()) {
                const Status status = Fill();
                if (!status.ok()) {
                    return has_begun && errors::IsOutOfRange(status) ? Status() : status;
                }
            }
            const char c = buffer_[at_++];
            if (c == '\n') {
                if (keeps_end) {
                    result->append(1, c);
                }
                return Status();
            }
            if (c != '\r') {
                result->append(1, c);
            }
        }
    }
    InputStreamInterface *stream_;
    std::unique_ptr<InputStreamInterface> owned_;
    size_t size_, at_ = 0;
    tstring buffer_;
};

} // namespace io
} // namespace tensorflow

#endif
