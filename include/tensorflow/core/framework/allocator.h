/* SPDX-License-Identifier: Apache-2.0 */
/* Names that code passes to allocations; the host decides where memory comes from. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_ALLOCATOR_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_ALLOCATOR_H_

#include <cstdlib>

#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{

struct AllocatorAttributes {
    void set_on_host(bool v)
    {
        host = v;
    }
    bool on_host() const
    {
        return host;
    }
    void set_gpu_compatible(bool)
    {
    }
    void set_nic_compatible(bool)
    {
    }
    bool host = false;
};
struct AllocationAttributes {
    bool retry_on_failure = true;
    bool allocation_will_be_logged = false;
};

class Allocator
{
  public:
    static constexpr size_t kAllocatorAlignment = 64;
    virtual ~Allocator() = default;
    virtual string Name()
    {
        return "cpu";
    }
    virtual void *AllocateRaw(size_t alignment, size_t bytes)
    {
        void *block = nullptr;
        return posix_memalign(&block, alignment < 8 ? 8 : alignment, bytes) == 0 ? block : nullptr;
    }
    virtual void DeallocateRaw(void *block)
    {
        std::free(block);
    }
};
inline Allocator *cpu_allocator()
{
    static Allocator heap;
    return &heap;
}

} // namespace tensorflow

#endif
