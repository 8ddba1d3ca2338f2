/* SPDX-License-Identifier: Apache-2.0 */
/* Files: read at a place, write at the end; folders. Both classes of files may be derived from: an
 * archive's member, bytes in memory. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_FILE_SYSTEM_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_FILE_SYSTEM_H_

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <glob.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "tensorflow/core/platform/errors.h"

namespace tensorflow ORIBI_HIDDEN
{

class RandomAccessFile
{
  public:
    RandomAccessFile() = default;
    RandomAccessFile(const RandomAccessFile &) = delete;
    RandomAccessFile &operator=(const RandomAccessFile &) = delete;
    virtual ~RandomAccessFile() = default;
    virtual Status Name(StringPiece *) const
    {
        return errors::Unimplemented("the file does not say its name");
    }
    /* OUT_OF_RANGE when fewer than n bytes are there; what was read is given all the same. Any
     * thread, several at once. */
    virtual Status Read(uint64 offset, size_t n, StringPiece *out, char *scratch) const = 0;
};

class WritableFile
{
  public:
    WritableFile() = default;
    WritableFile(const WritableFile &) = delete;
    WritableFile &operator=(const WritableFile &) = delete;
    virtual ~WritableFile() = default;
    virtual Status Append(StringPiece text) = 0;
    virtual Status Close() = 0;
    virtual Status Flush() = 0;
    virtual Status Sync()
    {
        return Flush();
    }
    virtual Status Tell(int64 *)
    {
        return errors::Unimplemented("the file does not say where it ends");
    }
};

class ReadOnlyMemoryRegion
{
  public:
    virtual ~ReadOnlyMemoryRegion() = default;
    virtual const void *data() = 0;
    virtual uint64 length() = 0;
};

struct FileStatistics {
    int64 length = -1;
    int64 mtime_nsec = 0;
    bool is_directory = false;
};

namespace internal
{

inline Status FileError(const string &name)
{
    const int error = errno;
    const string text = strings::StrCat(name, "; ", std::strerror(error));
    switch (error) {
    case ENOENT:
        return errors::NotFound(text);
    case EEXIST:
        return errors::AlreadyExists(text);
    case EACCES:
    case EPERM:
    case EROFS:
        return errors::PermissionDenied(text);
    case ENOTEMPTY:
    case EISDIR:
    case ENOTDIR:
        return errors::FailedPrecondition(text);
    default:
        return errors::Unknown(text);
    }
}

class StdioReader : public RandomAccessFile
{
  public:
    StdioReader(const string &name, std::FILE *file) : name_(name), file_(file)
    {
    }
    ~StdioReader() override
    {
        std::fclose(file_);
    }
    Status Name(StringPiece *out) const override
    {
        *out = name_;
        return Status();
    }
    Status Read(uint64 offset, size_t n, StringPiece *out, char *scratch) const override
    {
        size_t got = 0;
        while (got < n) {
            const ssize_t more =
                ::pread(::fileno(file_), scratch + got, n - got, static_cast<off_t>(offset + got));
            if (more < 0 && errno != EINTR) {
                *out = StringPiece(scratch, got);
                return FileError(name_);
            }
            if (more == 0) {
                break;
            }
            got += more > 0 ? static_cast<size_t>(more) : 0;
        }
        *out = StringPiece(scratch, got);
        return got == n ? Status() : errors::OutOfRange("the file ends before ", offset + n);
    }

  private:
    string name_;
    std::FILE *file_;
};

class StdioWriter : public WritableFile
{
  public:
    explicit StdioWriter(std::FILE *file) : file_(file)
    {
    }
    ~StdioWriter() override
    {
        if (file_ != nullptr) {
            std::fclose(file_);
        }
    }
    Status Append(StringPiece text) override
    {
        return file_ != nullptr && std::fwrite(text.data(), 1, text.size(), file_) == text.size()
                   ? Status()
                   : errors::Unavailable("a file could not be written");
    }
    Status Flush() override
    {
        return file_ == nullptr || std::fflush(file_) == 0 ? Status()
                                                           : errors::Unavailable("flush failed");
    }
    Status Tell(int64 *out) override
    {
        *out = file_ == nullptr ? -1 : std::ftell(file_);
        return *out >= 0 ? Status() : errors::FailedPrecondition("the file is closed");
    }
    Status Close() override
    {
        std::FILE *file = file_;
        file_ = nullptr;
        return file == nullptr || std::fclose(file) == 0 ? Status()
                                                         : errors::Unavailable("close failed");
    }

  private:
    std::FILE *file_;
};

class HeldBytes : public ReadOnlyMemoryRegion
{
  public:
    explicit HeldBytes(size_t n) : bytes(n, 0)
    {
    }
    const void *data() override
    {
        return bytes.data();
    }
    uint64 length() override
    {
        return bytes.size();
    }
    std::vector<char> bytes;
};

} // namespace internal

class FileSystem
{
  public:
    virtual ~FileSystem() = default;
    Status NewRandomAccessFile(const string &name, std::unique_ptr<RandomAccessFile> *out)
    {
        std::FILE *file = std::fopen(name.c_str(), "rb");
        if (file == nullptr) {
            return internal::FileError(name);
        }
        out->reset(new internal::StdioReader(name, file));
        return Status();
    }
    Status NewWritableFile(const string &name, std::unique_ptr<WritableFile> *out)
    {
        return NewWriter(name, "wb", out);
    }
    Status NewAppendableFile(const string &name, std::unique_ptr<WritableFile> *out)
    {
        return NewWriter(name, "ab", out);
    }
    /* The file as it is now. */
    Status NewReadOnlyMemoryRegionFromFile(const string &name,
                                           std::unique_ptr<ReadOnlyMemoryRegion> *out)
    {
        uint64 size = 0;
        StringPiece text;
        std::unique_ptr<RandomAccessFile> file;
        TF_RETURN_IF_ERROR(GetFileSize(name, &size));
        TF_RETURN_IF_ERROR(NewRandomAccessFile(name, &file));
        std::unique_ptr<internal::HeldBytes> held(
            new internal::HeldBytes(static_cast<size_t>(size)));
        TF_RETURN_IF_ERROR(file->Read(0, static_cast<size_t>(size), &text, held->bytes.data()));
        *out = std::move(held);
        return Status();
    }
    Status FileExists(const string &name)
    {
        FileStatistics facts;
        return Stat(name, &facts);
    }
    Status Stat(const string &name, FileStatistics *out)
    {
        struct stat facts;
        if (::stat(name.c_str(), &facts) != 0) {
            return internal::FileError(name);
        }
        out->length = facts.st_size;
        out->mtime_nsec = static_cast<int64>(facts.st_mtime) * 1000000000;
        out->is_directory = S_ISDIR(facts.st_mode);
        return Status();
    }
    Status IsDirectory(const string &name)
    {
        FileStatistics facts;
        TF_RETURN_IF_ERROR(Stat(name, &facts));
        return facts.is_directory ? Status()
                                  : errors::FailedPrecondition(name, " is not a directory");
    }
    Status GetFileSize(const string &name, uint64 *size)
    {
        FileStatistics facts;
        TF_RETURN_IF_ERROR(Stat(name, &facts));
        *size = static_cast<uint64>(facts.length);
        return Status();
    }
    Status DeleteFile(const string &name)
    {
        return ::unlink(name.c_str()) == 0 ? Status() : internal::FileError(name);
    }
    Status RenameFile(const string &from, const string &to)
    {
        return std::rename(from.c_str(), to.c_str()) == 0 ? Status() : internal::FileError(from);
    }
    Status CreateDir(const string &name)
    {
        return ::mkdir(name.c_str(), 0755) == 0 ? Status() : internal::FileError(name);
    }
    Status RecursivelyCreateDir(const string &name)
    {
        for (size_t end = 1; end <= name.size(); end++) {
            const string part = name.substr(0, end);
            if ((end == name.size() || name[end] == '/') && !IsDirectory(part).ok()) {
                TF_RETURN_IF_ERROR(CreateDir(part));
            }
        }
        return Status();
    }
    Status DeleteDir(const string &name)
    {
        return ::rmdir(name.c_str()) == 0 ? Status() : internal::FileError(name);
    }
    /* Names without the folder's. */
    Status GetChildren(const string &name, std::vector<string> *out)
    {
        ::DIR *folder = ::opendir(name.c_str());
        if (folder == nullptr) {
            return internal::FileError(name);
        }
        out->clear();
        while (const struct dirent *entry = ::readdir(folder)) {
            const string child = entry->d_name;
            if (child != "." && child != "..") {
                out->push_back(child);
            }
        }
        ::closedir(folder);
        return Status();
    }
    Status GetMatchingPaths(const string &pattern, std::vector<string> *out)
    {
        ::glob_t found = {};
        const int error = ::glob(pattern.c_str(), 0, nullptr, &found);
        out->assign(found.gl_pathv, found.gl_pathv + (error == 0 ? found.gl_pathc : 0));
        ::globfree(&found);
        return error == 0 || error == GLOB_NOMATCH
                   ? Status()
                   : errors::Unavailable("the files that match ", pattern, " cannot be listed");
    }

  private:
    static Status NewWriter(const string &name, const char *mode,
                            std::unique_ptr<WritableFile> *out)
    {
        std::FILE *file = std::fopen(name.c_str(), mode);
        if (file == nullptr) {
            return internal::FileError(name);
        }
        out->reset(new internal::StdioWriter(file));
        return Status();
    }
};

} // namespace tensorflow

#endif
