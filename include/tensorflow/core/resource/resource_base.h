/* SPDX-License-Identifier: Apache-2.0 */
/* ResourceBase: what an object that ops share is derived from. */
#ifndef ORIBI_TENSORFLOW_CORE_RESOURCE_RESOURCE_BASE_H_
#define ORIBI_TENSORFLOW_CORE_RESOURCE_RESOURCE_BASE_H_

#include "tensorflow/core/lib/core/refcount.h"

namespace tensorflow ORIBI_HIDDEN
{

class ResourceBase : public core::RefCounted
{
  public:
    virtual string DebugString() const
    {
        return "";
    }
    virtual int64 MemoryUsed() const
    {
        return 0;
    }
};

} // namespace tensorflow

#endif
