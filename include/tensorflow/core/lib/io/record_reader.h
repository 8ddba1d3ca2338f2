/* SPDX-License-Identifier: Apache-2.0 */
/* RecordReader: the records of a TFRecord file, each with its length and two checksums. Packed
 * files are read where zlib.h is found; the plugin then links zlib (-lz). */
#ifndef ORIBI_TENSORFLOW_CORE_LIB_IO_RECORD_READER_H_
#define ORIBI_TENSORFLOW_CORE_LIB_IO_RECORD_READER_H_

#include <memory>

#include "tensorflow/core/lib/core/coding.h"
#include "tensorflow/core/lib/hash/crc32c.h"
#include "tensorflow/core/lib/io/buffered_inputstream.h"

#if defined(__has_include)
#if __has_include(<zlib.h>)
#define ORIBI_HAS_ZLIB 1
#include "tensorflow/core/lib/io/zlib_inputstream.h"
#endif
#endif

namespace tensorflow ORIBI_HIDDEN
{
namespace io
{

/* Written by name: "", "ZLIB", "GZIP". */
struct RecordReaderOptions {
    enum CompressionType { NONE = 0, ZLIB_COMPRESSION = 1, SNAPPY_COMPRESSION = 2 };
    static RecordReaderOptions CreateRecordReaderOptions(const string &type)
    {
        RecordReaderOptions out;
        out.compression_type = type.empty() ? NONE : ZLIB_COMPRESSION;
        out.window_bits = type == "GZIP" ? 15 + 16 : 15;
        return out;
    }
    CompressionType compression_type = NONE;
    int window_bits = 15;
    int64 buffer_size = 0;
};

/* Reads at the places that the caller gives; packed files in order only. */
class RecordReader
{
  public:
    explicit RecordReader(RandomAccessFile *file,
                          const RecordReaderOptions &options = RecordReaderOptions())
        : stream_(Open(file, options))
    {
    }
    /* The record at *offset, and the place of the next one in *offset. OUT_OF_RANGE at the end,
     * DATA_LOSS when a checksum is wrong or the file ends within a record. */
    Status ReadRecord(uint64 *offset, tstring *record)
    {
        TF_RETURN_IF_ERROR(Place(*offset));
        uint64 n = 0;
        TF_RETURN_IF_ERROR(ReadLength(&n));
        TF_RETURN_IF_ERROR(ReadChecked(n, record, *offset));
        *offset += n + kHead + kFoot;
        return Status();
    }
    Status SkipRecords(uint64 *offset, int wanted, int *skipped)
    {
        tstring unused;
        for (*skipped = 0; *skipped < wanted; ++*skipped) {
            TF_RETURN_IF_ERROR(ReadRecord(offset, &unused));
        }
        return Status();
    }

  private:
    static constexpr uint64 kHead = 12, kFoot = 4; /* length and its sum; the record's sum */
    static std::unique_ptr<BufferedInputStream> Open(RandomAccessFile *file,
                                                     const RecordReaderOptions &options)
    {
        const size_t bytes =
            options.buffer_size > 0 ? static_cast<size_t>(options.buffer_size) : 256 << 10;
        std::unique_ptr<InputStreamInterface> stream(new RandomAccessInputStream(file));
#ifdef ORIBI_HAS_ZLIB
        if (options.compression_type == RecordReaderOptions::ZLIB_COMPRESSION) {
            stream.reset(new ZlibInputStream(stream.release(), bytes, bytes,
                                             ZlibCompressionOptions::OfWindow(options.window_bits),
                                             true));
        }
#else
        if (options.compression_type != RecordReaderOptions::NONE) {
            return nullptr;
        }
#endif
        return std::unique_ptr<BufferedInputStream>(
            new BufferedInputStream(stream.release(), bytes, true));
    }
    Status Place(uint64 offset)
    {
        if (stream_ == nullptr) {
            return errors::Unimplemented("packed records need zlib, which was not found");
        }
        return stream_->Tell() == static_cast<int64>(offset)
                   ? Status()
                   : stream_->Seek(static_cast<int64>(offset));
    }
    Status ReadLength(uint64 *n)
    {
        tstring head;
        const int64 at = stream_->Tell();
        const Status status = stream_->ReadNBytes(8, &head);
        if (!status.ok()) {
            return head.empty() || !errors::IsOutOfRange(status)
                       ? status
                       : errors::DataLoss("truncated record at ", at);
        }
        *n = core::DecodeFixed64(head.data());
        return CheckSum(head, at);
    }
    Status ReadChecked(uint64 n, tstring *record, uint64 at)
    {
        const Status status = stream_->ReadNBytes(static_cast<int64>(n), record);
        if (!status.ok()) {
            return errors::IsOutOfRange(status) ? errors::DataLoss("truncated record at ", at)
                                                : status;
        }
        return CheckSum(*record, static_cast<int64>(at));
    }
    Status CheckSum(StringPiece bytes, int64 at)
    {
        tstring sum;
        const Status status = stream_->ReadNBytes(4, &sum);
        if (!status.ok()) {
            return errors::IsOutOfRange(status) ? errors::DataLoss("truncated record at ", at)
                                                : status;
        }
        return crc32c::Unmask(core::DecodeFixed32(sum.data())) ==
                       crc32c::Value(bytes.data(), bytes.size())
                   ? Status()
                   : errors::DataLoss("corrupted record at ", at);
    }
    std::unique_ptr<BufferedInputStream> stream_;
};

/* Reads one record after the other. */
class SequentialRecordReader
{
  public:
    explicit SequentialRecordReader(RandomAccessFile *file,
                                    const RecordReaderOptions &options = RecordReaderOptions())
        : reader_(file, options)
    {
    }
    Status ReadRecord(tstring *record)
    {
        return reader_.ReadRecord(&offset_, record);
    }
    Status SkipRecords(int wanted, int *skipped)
    {
        return reader_.SkipRecords(&offset_, wanted, skipped);
    }
    uint64 TellOffset() const
    {
        return offset_;
    }
    Status SeekOffset(uint64 offset)
    {
        if (offset < offset_) {
            return errors::InvalidArgument("a sequential reader cannot go from ", offset_,
                                           " back to ", offset);
        }
        offset_ = offset;
        return Status();
    }

  private:
    RecordReader reader_;
    uint64 offset_ = 0;
};

} // namespace io
} // namespace tensorflow

#endif
