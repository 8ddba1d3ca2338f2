/* SPDX-License-Identifier: Apache-2.0 */
/* core::RefCounted: objects that count who needs them. */
#ifndef ORIBI_TENSORFLOW_CORE_LIB_CORE_REFCOUNT_H_
#define ORIBI_TENSORFLOW_CORE_LIB_CORE_REFCOUNT_H_

#include <atomic>
#include <memory>

#include "tensorflow/core/platform/types.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace core
{

/* Born with one reference. */
class RefCounted
{
  public:
    RefCounted() : references_(1)
    {
    }
    RefCounted(const RefCounted &) = delete;
    RefCounted &operator=(const RefCounted &) = delete;
    void Ref() const
    {
        references_.fetch_add(1, std::memory_order_relaxed);
    }
    bool Unref() const
    {
        const bool last = references_.fetch_sub(1, std::memory_order_acq_rel) == 1;
        if (last) {
            delete this;
        }
        return last;
    }
    bool RefCountIsOne() const
    {
        return references_.load(std::memory_order_acquire) == 1;
    }
    int_fast32_t RefCount() const
    {
        return references_.load(std::memory_order_acquire);
    }

  protected:
    virtual ~RefCounted() = default;

  private:
    mutable std::atomic<int_fast32_t> references_;
};

struct RefCountDeleter {
    void operator()(const RefCounted *object) const
    {
        object->Unref();
    }
};
template <typename T> using RefCountPtr = std::unique_ptr<T, RefCountDeleter>;
template <typename T> RefCountPtr<T> GetNewRef(T *object)
{
    object->Ref();
    return RefCountPtr<T>(object);
}

class ScopedUnref
{
  public:
    explicit ScopedUnref(const RefCounted *object) : object_(object)
    {
    }
    ~ScopedUnref()
    {
        if (object_ != nullptr) {
            object_->Unref();
        }
    }
    ScopedUnref(const ScopedUnref &) = delete;
    ScopedUnref &operator=(const ScopedUnref &) = delete;

  private:
    const RefCounted *object_;
};

} // namespace core
} // namespace tensorflow

#endif
