/* SPDX-License-Identifier: Apache-2.0 */
/* ResourceMgr: objects that outlive a run, by container and name. Those of a session are its own,
 * and go with it (resource_store.h); those that constructors of kernels create are the plugin's,
 * found by all its sessions. Other plugins see neither. Read next: resource_op_kernel.h. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_RESOURCE_MGR_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_RESOURCE_MGR_H_

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "tensorflow/core/framework/op_kernel_context.h"
#include "tensorflow/core/framework/resource_handle.h"
#include "tensorflow/core/resource/resource_store.h"
#include "tensorflow/core/framework/type_index.h"

namespace tensorflow ORIBI_HIDDEN
{

/* A kernel's door to the stores. Lives as long as the kernel, so that it may keep the pointer. */
class ResourceMgr
{
    using Key = ResourceStore::Key;

  public:
    ResourceMgr() = default;
    ResourceMgr(const ResourceMgr &) = delete;
    ResourceMgr &operator=(const ResourceMgr &) = delete;
    ~ResourceMgr()
    {
        TF_DeleteResource(reference_);
    }
    const string &default_container() const
    {
        static const string name = "localhost";
        return name;
    }
    /* Takes the caller's reference, also when it fails. */
    template <typename T> Status Create(const string &container, const string &name, T *resource)
    {
        const Key key = KeyOf<T>(container, name);
        if (!store()->Add(key, resource)) {
            resource->Unref();
            return errors::AlreadyExists("Resource ", Text(key), " exists already");
        }
        return Status();
    }
    /* *out carries a reference for the caller. */
    template <typename T> Status Lookup(const string &container, const string &name, T **out) const
    {
        const Key key = KeyOf<T>(container, name);
        ResourceBase *found = Find(key);
        if (found == nullptr) {
            return errors::NotFound("Resource ", Text(key), " does not exist.");
        }
        *out = static_cast<T *>(found);
        return Status();
    }
    template <typename T>
    Status Lookup(const string &container, const string &name, core::RefCountPtr<T> *out) const
    {
        T *resource = nullptr;
        TF_RETURN_IF_ERROR(Lookup(container, name, &resource));
        out->reset(resource);
        return Status();
    }
    /* The creator runs under a lock, once for each name. */
    template <typename T, bool = false>
    Status LookupOrCreate(const string &container, const string &name, T **out,
                          std::function<Status(T **)> creator)
    {
        const Key key = KeyOf<T>(container, name);
        ResourceBase *object = Find(key);
        if (object == nullptr) {
            TF_RETURN_IF_ERROR(store()->FindOrAdd(key, &object, [&](ResourceBase **made) {
                T *typed = nullptr;
                const Status status = creator(&typed);
                *made = typed;
                return status;
            }));
        }
        *out = static_cast<T *>(object);
        return Status();
    }
    template <typename T> Status Delete(const string &container, const string &name)
    {
        return Remove(KeyOf<T>(container, name));
    }
    Status Delete(const ResourceHandle &handle)
    {
        return Remove(Key(handle.container(), handle.name(), handle.hash_code()));
    }
    Status Cleanup(const string &container)
    {
        const string &name = container.empty() ? default_container() : container;
        store()->RemoveContainer(name);
        ResourceStore::OfPlugin()->RemoveContainer(name);
        return Status();
    }
    void Clear()
    {
        store()->Clear();
    }

    /* From here on the resources are those of the session in which ctx computes. A kernel is of one
     * session. */
    void Attach(TF_OpKernelContext *ctx)
    {
        if (store_.load(std::memory_order_acquire) != nullptr) {
            return;
        }
        mutex_lock held(mutex_);
        if (store_.load(std::memory_order_relaxed) == nullptr) {
            store_.store(ResourceStore::OfSession(ctx, &reference_), std::memory_order_release);
        }
    }
    /* A kernel that keeps the pointer from its constructor on is attached before it computes. */
    void SetKept()
    {
        is_kept_ = true;
    }
    bool IsKept() const
    {
        return is_kept_;
    }

  private:
    template <typename T> Key KeyOf(const string &container, const string &name) const
    {
        return Key(container.empty() ? default_container() : container, name,
                   TypeIndex::Make<T>().hash_code());
    }
    static string Text(const Key &key)
    {
        return strings::StrCat(std::get<0>(key), "/", std::get<1>(key));
    }
    ResourceStore *store() const
    {
        ResourceStore *of_session = store_.load(std::memory_order_acquire);
        return of_session != nullptr ? of_session : ResourceStore::OfPlugin();
    }
    ResourceBase *Find(const Key &key) const
    {
        ResourceBase *found = store()->Find(key);
        return found != nullptr ? found : ResourceStore::OfPlugin()->Find(key);
    }
    Status Remove(const Key &key)
    {
        if (store()->Remove(key) || ResourceStore::OfPlugin()->Remove(key)) {
            return Status();
        }
        return errors::NotFound("Resource ", Text(key), " does not exist.");
    }
    mutex mutex_;
    std::atomic<ResourceStore *> store_{nullptr};
    TF_Resource *reference_ = nullptr; /* keeps *store_ alive beyond the session's end */
    bool is_kept_ = false;
};

inline std::shared_ptr<ResourceMgr> NewResourceMgr(ResourceMgr **out)
{
    auto made = std::make_shared<ResourceMgr>();
    *out = made.get();
    return made;
}
inline void KeepResourceMgr(ResourceMgr *manager)
{
    manager->SetKept();
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
/* The first element of a resource tensor; a handle that names nothing, where there is none. */
inline const ResourceHandle &HandleOf(const Tensor &tensor)
{
    static const ResourceHandle none;
    return tensor.dtype() == DT_RESOURCE && tensor.NumElements() > 0
               ? *static_cast<const ResourceHandle *>(tensor.data())
               : none;
}
inline const ResourceHandle &HandleFromInput(OpKernelContext *ctx, int i)
{
    return HandleOf(ctx->input(i));
}
inline Status HandleFromInput(OpKernelContext *ctx, StringPiece name, ResourceHandle *out)
{
    const Tensor *tensor = nullptr;
    TF_RETURN_IF_ERROR(ctx->input(name, &tensor));
    *out = HandleOf(*tensor);
    return Status();
}
/* A model may wire any resource to any op: a variable of the host, an object of another plugin. */
template <typename T>
Status LookupResource(OpKernelContext *ctx, const ResourceHandle &handle, T **out)
{
    TF_RETURN_IF_ERROR(handle.ValidateType<T>());
    if (handle.IsRefCounting()) {
        const ResourceHandle held = handle; /* the object stays until it has a reference more */
        TF_ASSIGN_OR_RETURN(*out, held.GetResource<T>());
        (*out)->Ref();
        return Status();
    }
    return ctx->resource_manager()->Lookup(handle.container(), handle.name(), out);
}
template <typename T>
Status LookupResource(OpKernelContext *ctx, const ResourceHandle &handle, core::RefCountPtr<T> *out)
{
    T *found = nullptr;
    TF_RETURN_IF_ERROR(LookupResource(ctx, handle, &found));
    out->reset(found);
    return Status();
}
template <typename T>
Status CreateResource(OpKernelContext *ctx, const ResourceHandle &handle, T *resource)
{
    const Status status = handle.ValidateType<T>();
    if (!status.ok()) {
        resource->Unref();
        return status;
    }
    return ctx->resource_manager()->Create(handle.container(), handle.name(), resource);
}
template <typename T>
Status LookupOrCreateResource(OpKernelContext *ctx, const ResourceHandle &handle, T **out,
                              std::function<Status(T **)> creator)
{
    TF_RETURN_IF_ERROR(handle.ValidateType<T>());
    return ctx->resource_manager()->LookupOrCreate(handle.container(), handle.name(), out,
                                                   std::move(creator));
}
template <typename T> Status DeleteResource(OpKernelContext *ctx, const ResourceHandle &handle)
{
    TF_RETURN_IF_ERROR(handle.ValidateType<T>());
    if (handle.IsRefCounting()) {
        return Status(); /* it goes with its last handle */
    }
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
        return LookupResource(ctx, HandleOf(*tensor), out);
    }
    const auto names = tensor->flat<tstring>();
    if (names.size() != 2) {
        return errors::InvalidArgument("Resource handle must have 2 elements, but had shape: ",
                                       tensor->shape().DebugString());
    }
    return ctx->resource_manager()->Lookup(string(names(0)), string(names(1)), out);
}

} // namespace tensorflow

#include "tensorflow/core/framework/op_kernel.h"

#endif
