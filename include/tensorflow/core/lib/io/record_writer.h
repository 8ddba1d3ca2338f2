/* SPDX-License-Identifier: Apache-2.0 */
/* RecordWriter: writes a TFRecord file. */
#ifndef ORIBI_TENSORFLOW_CORE_LIB_IO_RECORD_WRITER_H_
#define ORIBI_TENSORFLOW_CORE_LIB_IO_RECORD_WRITER_H_

#include "tensorflow/core/lib/core/coding.h"
#include "tensorflow/core/lib/hash/crc32c.h"
#include "tensorflow/core/platform/file_system.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace io
{

/* Written by name: "", "ZLIB", "GZIP". */
struct RecordWriterOptions {
    enum CompressionType { NONE = 0, ZLIB_COMPRESSION = 1, SNAPPY_COMPRESSION = 2 };
    static RecordWriterOptions CreateRecordWriterOptions(const string &type)
    {
        RecordWriterOptions out;
        out.compression_type = type.empty() ? NONE : ZLIB_COMPRESSION;
        out.window_bits = type == "GZIP" ? 15 + 16 : 15;
        return out;
    }
    CompressionType compression_type = NONE;
    int window_bits = 15;
    int64 buffer_size = 0;
};

/* The file stays the caller's, who closes it behind the writer. Files are not packed. */
class RecordWriter
{
  public:
    explicit RecordWriter(WritableFile *file,
                          const RecordWriterOptions &options = RecordWriterOptions())
        : file_(file), is_plain_(options.compression_type == RecordWriterOptions::NONE)
    {
    }
    Status WriteRecord(StringPiece record)
    {
        if (file_ == nullptr || !is_plain_) {
            return is_plain_ ? errors::FailedPrecondition("the writer is closed")
                             : errors::Unimplemented("records are not written packed");
        }
        string head, foot;
        core::PutFixed64(&head, record.size());
        core::PutFixed32(&head, crc32c::Mask(crc32c::Value(head.data(), head.size())));
        core::PutFixed32(&foot, crc32c::Mask(crc32c::Value(record.data(), record.size())));
        TF_RETURN_IF_ERROR(file_->Append(head));
        TF_RETURN_IF_ERROR(file_->Append(record));
        return file_->Append(foot);
    }
    Status Flush()
    {
        return file_ != nullptr ? file_->Flush() : Status();
    }
    Status Close()
    {
        file_ = nullptr;
        return Status();
    }

  private:
    WritableFile *file_;
    bool is_plain_;
};

} // namespace io
} // namespace tensorflow

#endif
