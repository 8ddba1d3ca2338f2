/* SPDX-License-Identifier: Apache-2.0 */
/* ResourceHandle: the element of a resource tensor. Eight bytes that may be copied freely: the
 * address of a record which lives as long as the plugin. Eight bytes of anybody else are told apart
 * before they are taken for one. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_RESOURCE_HANDLE_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_RESOURCE_HANDLE_H_

#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include "tensorflow/core/framework/types.h"

namespace tensorflow ORIBI_HIDDEN
{

class ResourceHandle
{
    struct Record {
        string device, container, name, type;
        uint64 hash;
    };

  public:
    ResourceHandle() = default;
    /* The same three texts give the same handle. */
    static ResourceHandle Make(const string &container, const string &name, const string &type,
                               uint64 hash)
    {
        Registry &registry = All();
        std::lock_guard<std::mutex> held(registry.mutex);
        Record *&record = registry.by_name[std::make_tuple(container, name, hash)];
        if (record == nullptr) {
            record = new Record{"CPU:0", container, name, type, hash};
            registry.known.insert(record);
        }
        ResourceHandle out;
        out.record_ = record;
        return out;
    }
    /* Made by this plugin? */
    bool valid() const
    {
        Registry &registry = All();
        std::lock_guard<std::mutex> held(registry.mutex);
        return registry.known.count(record_) != 0;
    }
    const string &device() const
    {
        return get().device;
    }
    const string &container() const
    {
        return get().container;
    }
    const string &name() const
    {
        return get().name;
    }
    const string &maybe_type_name() const
    {
        return get().type;
    }
    uint64 hash_code() const
    {
        return get().hash;
    }
    string DebugString() const
    {
        return "container: " + container() + " name: " + name() + " type: " + maybe_type_name();
    }

  private:
    struct Registry {
        std::mutex mutex;
        std::map<std::tuple<string, string, uint64>, Record *> by_name;
        std::set<const Record *> known;
    };
    static Registry &All()
    {
        static Registry *all = new Registry; /* kernels may use it until the process ends */
        return *all;
    }
    const Record &get() const
    {
        static const Record none{};
        return valid() ? *record_ : none;
    }
    const Record *record_ = nullptr;
};
static_assert(sizeof(ResourceHandle) == 8, "the element of a resource tensor has 8 bytes");

} // namespace tensorflow

#endif
