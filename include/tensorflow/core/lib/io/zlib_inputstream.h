/* SPDX-License-Identifier: Apache-2.0 */
/* ZlibInputStream: what a stream of zlib or gzip contains. The plugin links zlib (-lz). */
#ifndef ORIBI_TENSORFLOW_CORE_LIB_IO_ZLIB_INPUTSTREAM_H_
#define ORIBI_TENSORFLOW_CORE_LIB_IO_ZLIB_INPUTSTREAM_H_

#include <memory>

#include "tensorflow/core/lib/io/inputstream_interface.h"
#include "tensorflow/core/lib/io/zlib_compression_options.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace io
{

class ZlibInputStream : public InputStreamInterface
{
  public:
    ZlibInputStream(InputStreamInterface *stream, size_t input_bytes, size_t output_bytes,
                    const ZlibCompressionOptions &options, bool owns_input_stream = false)
        : stream_(stream), owned_(owns_input_stream ? stream : nullptr),
          in_size_(std::max<size_t>(1, input_bytes)), out_size_(std::max<size_t>(1, output_bytes)),
          window_bits_(options.window_bits)
    {
        Begin();
    }
    ~ZlibInputStream() override
    {
        inflateEnd(&zlib_);
    }
    Status ReadNBytes(int64 n, tstring *result) override
    {
        result->clear();
        while (static_cast<int64>(result->size()) < n) {
            if (at_ == out_.size()) {
                TF_RETURN_IF_ERROR(Fill());
            }
            const size_t more =
                std::min(static_cast<size_t>(n) - result->size(), out_.size() - at_);
            result->append(out_.data() + at_, more);
            at_ += more;
            read_ += static_cast<int64>(more);
        }
        return Status();
    }
    int64 Tell() const override
    {
        return read_;
    }
    Status Reset() override
    {
        TF_RETURN_IF_ERROR(stream_->Reset());
        inflateEnd(&zlib_);
        Begin();
        return Status();
    }

  private:
    void Begin()
    {
        zlib_ = z_stream();
        is_open_ = inflateInit2(&zlib_, window_bits_) == Z_OK;
        in_.clear();
        out_.clear();
        at_ = 0;
        read_ = 0;
    }
    /* Nothing unpacked is left: unpacks more. Members of gzip may follow one another. */
    Status Fill()
    {
        if (!is_open_) {
            return errors::Internal("zlib could not begin");
        }
        at_ = 0;
        out_.resize(out_size_);
        zlib_.next_out = reinterpret_cast<Bytef *>(&out_[0]);
        zlib_.avail_out = static_cast<uInt>(out_size_);
        while (zlib_.avail_out == out_size_) {
            if (zlib_.avail_in == 0) {
                const Status status = stream_->ReadNBytes(static_cast<int64>(in_size_), &in_);
                if (in_.empty()) {
                    out_.clear();
                    return status.ok() ? errors::OutOfRange("the stream ends") : status;
                }
                zlib_.next_in = reinterpret_cast<Bytef *>(&in_[0]);
                zlib_.avail_in = static_cast<uInt>(in_.size());
            }
            const int code = inflate(&zlib_, Z_NO_FLUSH);
            if (code == Z_STREAM_END) {
                inflateReset(&zlib_);
            } else if (code != Z_OK && code != Z_BUF_ERROR) {
                out_.clear();
                return errors::DataLoss("inflate() failed with error ", code, ": ",
                                        zlib_.msg != nullptr ? zlib_.msg : "no message");
            }
        }
        out_.resize(out_size_ - zlib_.avail_out);
        return Status();
    }
    InputStreamInterface *stream_;
    std::unique_ptr<InputStreamInterface> owned_;
    size_t in_size_, out_size_, at_ = 0;
    int window_bits_;
    int64 read_ = 0;
    bool is_open_ = false;
    z_stream zlib_;
    tstring in_, out_;
};

} // namespace io
} // namespace tensorflow

#endif
