/* SPDX-License-Identifier: Apache-2.0 */
/* ResourceStore holds objects by container, name and type. A session
 * has one for each plugin, as a resource of tensorflow/c/resource.h; it goes with the session, or
 * with the last kernel that uses it. Read next: resource_mgr.h, which is what kernels see. */
#ifndef ORIBI_TENSORFLOW_CORE_RESOURCE_RESOURCE_STORE_H_
#define ORIBI_TENSORFLOW_CORE_RESOURCE_RESOURCE_STORE_H_

#include <map>
#include <tuple>

#include "tensorflow/c/resource.h"
#include "tensorflow/core/resource/resource_base.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/mutex.h"

namespace tensorflow ORIBI_HIDDEN
{

class ResourceStore
{
  public:
    using Key = std::tuple<string, string, uint64>; /* container, name, type */
    using Items = std::map<Key, ResourceBase *>;

    ResourceStore() = default;
    ResourceStore(const ResourceStore &) = delete;
    ResourceStore &operator=(const ResourceStore &) = delete;
    ~ResourceStore()
    {
        Clear();
    }
    /* The object with a reference for the caller, or null. */
    ResourceBase *Find(const Key &key)
    {
        mutex_lock held(mutex_);
        return FindLocked(key);
    }
    /* Takes the caller's reference when it adds. */
    bool Add(const Key &key, ResourceBase *object)
    {
        mutex_lock held(mutex_);
        return items_.emplace(key, object).second;
    }
    /* make(&object) runs under the lock, once for each key; it looks up no resource. */
    template <typename Make> Status FindOrAdd(const Key &key, ResourceBase **out, Make make)
    {
        mutex_lock held(mutex_);
        *out = FindLocked(key);
        if (*out != nullptr) {
            return Status();
        }
        TF_RETURN_IF_ERROR(make(out));
        if (*out == nullptr) {
            return errors::Internal("the creator of resource ", std::get<0>(key), "/",
                                    std::get<1>(key), " gave nothing");
        }
        items_.emplace(key, *out);
        (*out)->Ref();
        return Status();
    }
    bool Remove(const Key &key)
    {
        ResourceBase *gone = nullptr;
        {
            mutex_lock held(mutex_);
            const auto it = items_.find(key);
            if (it == items_.end()) {
                return false;
            }
            gone = it->second;
            items_.erase(it);
        }
        gone->Unref(); /* whose destructor may use the store */
        return true;
    }
    void RemoveContainer(const string &container)
    {
        Items gone;
        {
            mutex_lock held(mutex_);
            for (auto it = items_.begin(); it != items_.end();) {
                const auto at = it++;
                if (std::get<0>(at->first) == container) {
                    gone.insert(*at);
                    items_.erase(at);
                }
            }
        }
        Drop(gone);
    }
    void Clear()
    {
        Items gone;
        {
            mutex_lock held(mutex_);
            gone.swap(items_);
        }
        Drop(gone);
    }

    /* That of the session in which ctx computes; null when there is no memory for it. The caller
     * drops *reference. */
    static ResourceStore *OfSession(TF_OpKernelContext *ctx, TF_Resource **reference)
    {
        static const char mark = 0; /* its address: one for each plugin */
        CStatus status;
        const string type = strings::StrCat("ResourceMgr of plugin ",
                                            strings::Hex(reinterpret_cast<uint64>(&mark)));
        *reference = TF_LookupOrCreateResource(
            ctx, "", "tensorflow::ResourceMgr", type.c_str(),
            [](void *, TF_Status *) -> void * { return new ResourceStore; }, nullptr,
            [](void *store) { delete static_cast<ResourceStore *>(store); }, status);
        return *reference != nullptr ? static_cast<ResourceStore *>(TF_ResourceObject(*reference))
                                     : nullptr;
    }
    /* For what constructors of kernels create: they do not know their session. Lives as long as the
     * process. */
    static ResourceStore *OfPlugin()
    {
        static ResourceStore *store = new ResourceStore;
        return store;
    }

  private:
    ResourceBase *FindLocked(const Key &key)
    {
        const auto it = items_.find(key);
        if (it == items_.end()) {
            return nullptr;
        }
        it->second->Ref();
        return it->second;
    }
    static void Drop(const Items &gone)
    {
        for (const auto &item : gone) {
            item.second->Unref();
        }
    }
    mutex mutex_;
    Items items_;
};

} // namespace tensorflow

#endif
