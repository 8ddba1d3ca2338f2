/* SPDX-License-Identifier: Apache-2.0 */
/* ResourceMgr: objects that outlive a run, by container and name. One for each plugin; the host
 * does not see them. A kernel that makes a handle to one: resource_op_kernel.h. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_RESOURCE_MGR_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_RESOURCE_MGR_H_

#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "tensorflow/core/framework/op_kernel_context.h"
#include "tensorflow/core/framework/resource_handle.h"
#include "tensorflow/core/framework/type_index.h"
#include "tensorflow/core/lib/core/refcount.h"
#include "tensorflow/core/platform/mutex.h"

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

class ResourceMgr
{
    using Key = std::tuple<string, string, uint64>;

  public:
    ResourceMgr() = default;
    ~ResourceMgr()
    {
        Clear();
    }
    const string &default_container() const
    {
        static const string name = "localhost";
        return name;
    }
    /* Takes the caller's reference, also when it fails. */
    template <typename T> Status Create(const string &container, const string &name, T *resource)
    {
        mutex_lock held(mutex_);
        if (!all_.emplace(KeyOf<T>(container, name), resource).second) {
            resource->Unref();
            return errors::AlreadyExists("Resource ", container, "/", name, " exists already");
        }
        return Status();
    }
    /* *out carries a reference for the caller. */
    template <typename T> Status Lookup(const string &container, const string &name, T **out) const
    {
        mutex_lock held(mutex_);
        return Find(container, name, out);
    }
    template <typename T>
    Status Lookup(const string &container, const string &name, core::RefCountPtr<T> *out) const
    {
        T *resource = nullptr;
        TF_RETURN_IF_ERROR(Lookup(container, name, &resource));
        out->reset(resource);
        return Status();
    }
    /* The creator runs under the lock, once for each name. */
    template <typename T, bool = false>
    Status LookupOrCreate(const string &container, const string &name, T **out,
                          std::function<Status(T **)> creator)
    {
        mutex_lock held(mutex_);
        if (Find(container, name, out).ok()) {
            return Status();
        }
        TF_RETURN_IF_ERROR(creator(out));
        all_.emplace(KeyOf<T>(container, name), *out);
        (*out)->Ref();
        return Status();
    }
    template <typename T> Status Delete(const string &container, const string &name)
    {
        return Erase(KeyOf<T>(container, name));
    }
    Status Delete(const ResourceHandle &handle)
    {
        return Erase(Key(handle.container(), handle.name(), handle.hash_code()));
    }
    Status Cleanup(const string &container)
    {
        mutex_lock held(mutex_);
        for (auto it = all_.begin(); it != all_.end();) {
            if (std::get<0>(it->first) == container) {
                it->second->Unref();
                it = all_.erase(it);
            } else {
                ++it;
            }
        }
        return Status();
    }
    void Clear()
    {
        mutex_lock held(mutex_);
        for (auto &item : all_) {
            item.second->Unref();
        }
        all_.clear();
    }

  private:
    template <typename T> static Key KeyOf(const string &container, const string &name)
    {
        return Key(container.empty() ? "localhost" : container, name,
                   TypeIndex::Make<T>().hash_code());
    }
    template <typename T> Status Find(const string &container, const string &name, T **out) const
    {
        const auto it = all_.find(KeyOf<T>(container, name));
        if (it == all_.end()) {
            return errors::NotFound("Resource ", container, "/", name, " does not exist.");
        }
        *out = static_cast<T *>(it->second);
        (*out)->Ref();
        return Status();
    }
    Status Erase(const Key &key)
    {
        mutex_lock held(mutex_);
        const auto it = all_.find(key);
        if (it == all_.end()) {
            return errors::NotFound("Resource ", std::get<0>(key), "/", std::get<1>(key),
                                    " does not exist.");
        }
        it->second->Unref();
        all_.erase(it);
        return Status();
    }
    mutable mutex mutex_;
    std::map<Key, ResourceBase *> all_;
};

inline ResourceMgr *PluginResourceMgr()
{
    static ResourceMgr *manager = new ResourceMgr; /* kernels may use it until the process ends */
    return manager;
}

/* Where an op keeps its resource: by its attributes container and shared_name, or a name of its
 * own for each node. */
class ContainerInfo
{
  public:
    Status Init(ResourceMgr *manager, const NodeDef &def, bool use_node_name = false)
    {
        manager_ = manager;
        container_ = Text(def, "container");
        container_ = container_.empty() ? manager->default_container() : container_;
        name_ = Text(def, "shared_name");
        private_ = name_.empty() && !use_node_name;
        if (private_) {
            static std::atomic<int64> next{0};
            name_ = strings::StrCat("_", next++, "_", def.name());
        } else if (name_.empty()) {
            name_ = def.name();
        }
        return Status();
    }
    ResourceMgr *resource_manager() const
    {
        return manager_;
    }
    const string &container() const
    {
        return container_;
    }
    const string &name() const
    {
        return name_;
    }
    bool resource_is_private_to_kernel() const
    {
        return private_;
    }

  private:
    static string Text(const NodeDef &def, StringPiece attr)
    {
        StringPiece value;
        string out;
        if (def.reader().Find(attr, &value)) {
            for (WireReader reader(value); reader.Next();) {
                out = reader.field == 2 ? string(reader.bytes) : out;
            }
        }
        return out;
    }
    ResourceMgr *manager_ = nullptr;
    string container_, name_;
    bool private_ = false;
};

template <typename T>
ResourceHandle MakeResourceHandle(OpKernelContext *ctx, const string &container, const string &name)
{
    const TypeIndex type = TypeIndex::Make<T>();
    return ResourceHandle::Make(container.empty() ? ctx->resource_manager()->default_container()
                                                  : container,
                                name, type.name(), type.hash_code());
}
template <typename T>
Status MakeResourceHandleToOutput(OpKernelContext *ctx, int i, const string &container,
                                  const string &name, const TypeIndex &)
{
    Tensor *handle = nullptr;
    TF_RETURN_IF_ERROR(ctx->allocate_output(i, TensorShape({}), &handle));
    handle->scalar<ResourceHandle>()() = MakeResourceHandle<T>(ctx, container, name);
    return Status();
}
inline const ResourceHandle &HandleFromInput(OpKernelContext *ctx, int i)
{
    return *static_cast<const ResourceHandle *>(ctx->input(i).data());
}
inline Status HandleFromInput(OpKernelContext *ctx, StringPiece name, ResourceHandle *out)
{
    const Tensor *tensor = nullptr;
    TF_RETURN_IF_ERROR(ctx->input(name, &tensor));
    *out = *static_cast<const ResourceHandle *>(tensor->data());
    return Status();
}
template <typename T>
Status LookupResource(OpKernelContext *ctx, const ResourceHandle &handle, T **out)
{
    return ctx->resource_manager()->Lookup(handle.container(), handle.name(), out);
}
template <typename T>
Status LookupResource(OpKernelContext *ctx, const ResourceHandle &handle, core::RefCountPtr<T> *out)
{
    return ctx->resource_manager()->Lookup(handle.container(), handle.name(), out);
}
template <typename T>
Status CreateResource(OpKernelContext *ctx, const ResourceHandle &handle, T *resource)
{
    return ctx->resource_manager()->Create(handle.container(), handle.name(), resource);
}
template <typename T>
Status LookupOrCreateResource(OpKernelContext *ctx, const ResourceHandle &handle, T **out,
                              std::function<Status(T **)> creator)
{
    return ctx->resource_manager()->LookupOrCreate(handle.container(), handle.name(), out,
                                                   std::move(creator));
}
template <typename T> Status DeleteResource(OpKernelContext *ctx, const ResourceHandle &handle)
{
    return ctx->resource_manager()->Delete<T>(handle.container(), handle.name());
}
inline Status DeleteResource(OpKernelContext *ctx, const ResourceHandle &handle)
{
    return ctx->resource_manager()->Delete(handle);
}
template <typename T>
Status GetResourceFromContext(OpKernelContext *ctx, const string &input, T **out)
{
    const Tensor *tensor = nullptr;
    TF_RETURN_IF_ERROR(ctx->input(input, &tensor));
    if (tensor->dtype() == DT_RESOURCE) {
        return LookupResource(ctx, *static_cast<const ResourceHandle *>(tensor->data()), out);
    }
    const auto names = tensor->flat<tstring>();
    return ctx->resource_manager()->Lookup(string(names(0)), string(names(1)), out);
}

} // namespace tensorflow

#include "tensorflow/core/framework/op_kernel.h"

#endif
