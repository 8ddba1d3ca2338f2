/* SPDX-License-Identifier: Apache-2.0 */
/* TraceMe: a part of a kernel by name. The host times whole kernels (oribi run --trace), so that
 * the names go nowhere; none is made. */
#ifndef ORIBI_TENSORFLOW_CORE_PROFILER_LIB_TRACEME_H_
#define ORIBI_TENSORFLOW_CORE_PROFILER_LIB_TRACEME_H_

#include <initializer_list>
#include <utility>

#include "tensorflow/core/platform/strcat.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace profiler
{

enum TraceMeLevel { kCritical = 1, kInfo = 2, kVerbose = 3 };
inline int GetTFTraceMeLevel(bool is_expensive)
{
    return is_expensive ? kInfo : kVerbose;
}

struct TraceMeArg {
    template <typename T> TraceMeArg(StringPiece, const T &)
    {
    }
};
inline string TraceMeEncode(string name, std::initializer_list<TraceMeArg>)
{
    return name;
}
inline string TraceMeEncode(std::initializer_list<TraceMeArg>)
{
    return "";
}

class TraceMe
{
  public:
    /* A name, or a function that makes one. */
    template <typename Name> explicit TraceMe(const Name &, int = kCritical)
    {
    }
    TraceMe(const TraceMe &) = delete;
    TraceMe &operator=(const TraceMe &) = delete;
    ~TraceMe()
    {
    }
    void Stop()
    {
    }
    template <typename Metadata> void AppendMetadata(const Metadata &)
    {
    }
    static bool Active(int = kInfo)
    {
        return false;
    }
};

} // namespace profiler
} // namespace tensorflow

#endif
