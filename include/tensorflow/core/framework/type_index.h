/* SPDX-License-Identifier: Apache-2.0 */
/* TypeIndex: tells C++ types apart without run-time type information. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_TYPE_INDEX_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_TYPE_INDEX_H_

#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{

class TypeIndex
{
  public:
    template <typename T> static TypeIndex Make()
    {
        static const char mark = 0; /* one for each type, in each plugin */
        TypeIndex out;
        out.mark_ = &mark;
        return out;
    }
    uint64 hash_code() const
    {
        return reinterpret_cast<uint64>(mark_);
    }
    const char *name() const
    {
        return "resource";
    }
    bool operator==(const TypeIndex &other) const
    {
        return mark_ == other.mark_;
    }
    bool operator!=(const TypeIndex &other) const
    {
        return mark_ != other.mark_;
    }

  private:
    const char *mark_ = nullptr;
};

} // namespace tensorflow

#endif
