/* SPDX-License-Identifier: Apache-2.0 */
/* Files: read at a place, write at the end. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_FILE_SYSTEM_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_FILE_SYSTEM_H_

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sys/stat.h>
#include <vector>

#include "tensorflow/core/platform/errors.h"

namespace tensorflow ORIBI_HIDDEN
{

class RandomAccessFile
{
  public:
    explicit RandomAccessFile(std::FILE *file) : file_(file)
    {
    }
    virtual ~RandomAccessFile()
    {
        std::fclose(file_);
    }
    /* OUT_OF_RANGE when fewer than n bytes are there; what was read is given all the same. */
    virtual Status Read(uint64 offset, size_t n, StringPiece *out, char *scratch) const
    {
        if (std::fseek(file_, static_cast<long>(offset), SEEK_SET) != 0) {
            return errors::OutOfRange("no place ", offset, " in the file");
        }
        const size_t got = std::fread(scratch, 1, n, file_);
        *out = StringPiece(scratch, got);
        return got == n ? Status() : errors::OutOfRange("the file ends before ", offset + n);
    }

  private:
    std::FILE *file_;
};

class WritableFile
{
  public:
    explicit WritableFile(std::FILE *file) : file_(file)
    {
    }
    virtual ~WritableFile()
    {
        Close().IgnoreError();
    }
    virtual Status Append(StringPiece text)
    {
        return std::fwrite(text.data(), 1, text.size(), file_) == text.size()
                   ? Status()
                   : errors::Unavailable("a file could not be written");
    }
    virtual Status Flush()
    {
        return std::fflush(file_) == 0 ? Status() : errors::Unavailable("flush failed");
    }
    virtual Status Close()
    {
        std::FILE *file = file_;
        file_ = nullptr;
        return file == nullptr || std::fclose(file) == 0 ? Status()
                                                         : errors::Unavailable("close failed");
    }

  private:
    std::FILE *file_;
};

class FileSystem
{
  public:
    virtual ~FileSystem() = default;
    Status NewRandomAccessFile(const string &name, std::unique_ptr<RandomAccessFile> *out)
    {
        std::FILE *file = std::fopen(name.c_str(), "rb");
        if (file == nullptr) {
            return errors::NotFound(name, "; ", std::strerror(errno));
        }
        out->reset(new RandomAccessFile(file));
        return Status();
    }
    Status NewWritableFile(const string &name, std::unique_ptr<WritableFile> *out)
    {
        std::FILE *file = std::fopen(name.c_str(), "wb");
        if (file == nullptr) {
            return errors::PermissionDenied(name, "; ", std::strerror(errno));
        }
        out->reset(new WritableFile(file));
        return Status();
    }
    Status FileExists(const string &name)
    {
        struct stat facts;
        return ::stat(name.c_str(), &facts) == 0 ? Status() : errors::NotFound(name, " not found");
    }
    Status GetFileSize(const string &name, uint64 *size)
    {
        struct stat facts;
        if (::stat(name.c_str(), &facts) != 0) {
            return errors::NotFound(name, "; ", std::strerror(errno));
        }
        *size = static_cast<uint64>(facts.st_size);
        return Status();
    }
    Status DeleteFile(const string &name)
    {
        return std::remove(name.c_str()) == 0 ? Status()
                                              : errors::NotFound(name, "; ", std::strerror(errno));
    }
};

} // namespace tensorflow

#endif
