/* SPDX-License-Identifier: Apache-2.0 */
/* Env: time, files, threads, as far as kernels use them. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_ENV_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_ENV_H_

#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/file_system.h"
#include "tensorflow/core/platform/threadpool.h"

namespace tensorflow ORIBI_HIDDEN
{

class Thread
{
  public:
    explicit Thread(std::function<void()> fn) : thread_(std::move(fn))
    {
    }
    virtual ~Thread()
    {
        thread_.join();
    }

  private:
    std::thread thread_;
};

class Env : public FileSystem
{
  public:
    static Env *Default()
    {
        static Env *env = new Env;
        return env;
    }
    uint64 NowNanos() const
    {
        return static_cast<uint64>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                       std::chrono::system_clock::now().time_since_epoch())
                                       .count());
    }
    uint64 NowMicros() const
    {
        return NowNanos() / 1000;
    }
    uint64 NowSeconds() const
    {
        return NowNanos() / 1000000000;
    }
    void SleepForMicroseconds(int64 micros)
    {
        std::this_thread::sleep_for(std::chrono::microseconds(micros));
    }
    Thread *StartThread(const ThreadOptions &, const string &, std::function<void()> fn)
    {
        return new Thread(std::move(fn));
    }
    void SchedClosure(std::function<void()> fn)
    {
        std::thread(std::move(fn)).detach();
    }
};

inline Status ReadFileToString(Env *env, const string &name, string *out)
{
    std::unique_ptr<RandomAccessFile> file;
    uint64 size = 0;
    StringPiece text;
    TF_RETURN_IF_ERROR(env->GetFileSize(name, &size));
    TF_RETURN_IF_ERROR(env->NewRandomAccessFile(name, &file));
    out->resize(static_cast<size_t>(size));
    TF_RETURN_IF_ERROR(file->Read(0, static_cast<size_t>(size), &text, &(*out)[0]));
    return Status();
}
inline Status WriteStringToFile(Env *env, const string &name, StringPiece text)
{
    std::unique_ptr<WritableFile> file;
    TF_RETURN_IF_ERROR(env->NewWritableFile(name, &file));
    TF_RETURN_IF_ERROR(file->Append(text));
    return file->Close();
}

} // namespace tensorflow

#endif
