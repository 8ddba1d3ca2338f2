/* SPDX-License-Identifier: Apache-2.0 */
/* ResourceHandle: the element of a resource tensor. Eight bytes that may be copied freely: the
 * address of a record which lives as long as the plugin. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_RESOURCE_HANDLE_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_RESOURCE_HANDLE_H_

#include <map>
#include <mutex>
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
        static std::mutex mutex;
        static auto *records = new std::map<std::tuple<string, string, uint64>, Record *>;
        std::lock_guard<std::mutex> held(mutex);
        Record *&record = (*records)[std::make_tuple(container, name, hash)];
        if (record == nullptr) {
            record = new Record{"CPU:0", container, name, type, hash};
        }
        ResourceHandle out;
        out.record_ = record;
        return out;
    }
    bool valid() const
    {
        return record_ != nullptr;
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
    const Record &get() const
    {
        static const Record none{};
        return record_ != nullptr ? *record_ : none;
    }
    const Record *record_ = nullptr;
};
static_assert(sizeof(ResourceHandle) == 8, "the element of a resource tensor has 8 bytes");

} // namespace tensorflow

#endif
