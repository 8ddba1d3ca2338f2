/* SPDX-License-Identifier: Apache-2.0 */
/* ResourceHandle: the element of a resource tensor. Eight bytes; those of anybody else are told
 * apart before they are taken for one. A handle names an object of a ResourceMgr: then it is the
 * address of a record that lives as long as the plugin, and may be copied by its bytes. Or it
 * counts references to an object of its own: then it is an odd number, and a copy by its bytes
 * names the object as long as a counted one does, and nothing from there on. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_RESOURCE_HANDLE_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_RESOURCE_HANDLE_H_

#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <vector>

#include "absl/types/optional.h"
#include "tensorflow/core/resource/resource_base.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/type_index.h"
#include "tensorflow/core/framework/types.h"

namespace tensorflow ORIBI_HIDDEN
{

/* Where a kernel stood in somebody's program: not known here. */
struct ManagedStackTrace {
};

struct DtypeAndPartialTensorShape {
    DataType dtype;
    PartialTensorShape shape;
};

class ResourceHandle
{
    struct Record {
        string device, container, name, type;
        uint64 hash;
        ResourceBase *object;
        int64 references; /* of a handle that counts them */
    };

  public:
    static constexpr const char *ANONYMOUS_NAME = "anonymous";

    ResourceHandle() = default;
    ResourceHandle(const ResourceHandle &other) : bits_(other.bits_)
    {
        Count(bits_, 1);
    }
    ResourceHandle(ResourceHandle &&other) noexcept : bits_(other.bits_)
    {
        other.bits_ = 0;
    }
    ResourceHandle &operator=(ResourceHandle other) noexcept
    {
        std::swap(bits_, other.bits_);
        return *this;
    }
    ~ResourceHandle()
    {
        Count(bits_, -1);
    }

    /* The same three texts give the same handle. */
    static ResourceHandle Make(const string &container, const string &name, const string &type,
                               uint64 hash)
    {
        Registry &registry = All();
        std::lock_guard<std::mutex> held(registry.mutex);
        Record *&record = registry.by_name[std::make_tuple(container, name, hash)];
        if (record == nullptr) {
            record = new Record{Device(), container, name, type, hash, nullptr, 0};
            registry.known.insert(record);
        }
        ResourceHandle out;
        out.bits_ = reinterpret_cast<uint64>(record);
        return out;
    }
    /* Takes the caller's reference; the object goes with the last handle. The device is the host's,
     * and the host does not say what shapes and calls belong to a handle. */
    template <typename T>
    static ResourceHandle
    MakeRefCountingHandle(T *object, const string & /* device */,
                          const std::vector<DtypeAndPartialTensorShape> & /* shapes */ = {},
                          const absl::optional<ManagedStackTrace> & /* trace */ = {})
    {
        return Counted(object, TypeIndex::Make<T>());
    }
    /* Index is a TypeIndex: as a template it takes no `{}`, which is a list of shapes. */
    template <typename Index>
    static auto MakeRefCountingHandle(ResourceBase *object, const string & /* device */,
                                      const Index &type,
                                      const std::vector<DtypeAndPartialTensorShape> & = {},
                                      const absl::optional<ManagedStackTrace> & = {}) ->
        typename std::enable_if<std::is_same<Index, TypeIndex>::value, ResourceHandle>::type
    {
        return Counted(object, type);
    }

    /* Made by this plugin, and its object, if it counts references to one, is still there? */
    bool valid() const
    {
        Registry &registry = All();
        std::lock_guard<std::mutex> held(registry.mutex);
        return registry.Find(bits_) != nullptr;
    }
    bool IsRefCounting() const
    {
        return bits_ % 2 == 1;
    }
    /* Of a handle that counts references: its object, whose reference stays the handle's. */
    template <typename T> StatusOr<T *> GetResource() const
    {
        if (!IsRefCounting()) {
            return errors::FailedPrecondition("the resource handle counts no references: "
                                              "its object is a ResourceMgr's");
        }
        TF_RETURN_IF_ERROR(ValidateType<T>());
        return static_cast<T *>(get().object);
    }
    template <typename T> Status ValidateType() const
    {
        return ValidateType(TypeIndex::Make<T>());
    }
    Status ValidateType(const TypeIndex &type) const
    {
        if (!valid()) {
            return errors::InvalidArgument("the resource handle is none that this plugin made, or "
                                           "its object has gone");
        }
        return hash_code() == type.hash_code()
                   ? Status()
                   : errors::InvalidArgument("Trying to access a handle's resource, '", name(),
                                             "', using the wrong type");
    }

    string device() const
    {
        return get().device;
    }
    string container() const
    {
        return get().container;
    }
    string name() const
    {
        return get().name;
    }
    string maybe_type_name() const
    {
        return get().type;
    }
    uint64 hash_code() const
    {
        return get().hash;
    }
    /* A handle that counts references is named by its object: it keeps its names. */
    void set_container(const string &container)
    {
        Rename(container, name(), maybe_type_name(), hash_code());
    }
    void set_name(const string &name)
    {
        Rename(container(), name, maybe_type_name(), hash_code());
    }
    void set_maybe_type_name(const string &type)
    {
        Rename(container(), name(), type, hash_code());
    }
    void set_hash_code(uint64 hash)
    {
        Rename(container(), name(), maybe_type_name(), hash);
    }
    void set_device(const string &) /* there is one */
    {
    }
    std::vector<DtypeAndPartialTensorShape> dtypes_and_shapes() const
    {
        return {};
    }
    string DebugString() const
    {
        return "container: " + container() + " name: " + name() + " type: " + maybe_type_name();
    }
    string SummarizeValue() const
    {
        return DebugString();
    }

  private:
    struct Registry {
        std::mutex mutex;
        std::map<std::tuple<string, string, uint64>, Record *> by_name;
        std::set<const Record *> known;
        std::map<uint64, Record> counted;
        uint64 last = 1; /* odd: no address of a record */
        const Record *Find(uint64 bits) const
        {
            if (bits % 2 == 1) {
                const auto it = counted.find(bits);
                return it != counted.end() ? &it->second : nullptr;
            }
            const Record *record = reinterpret_cast<const Record *>(bits);
            return known.count(record) != 0 ? record : nullptr;
        }
    };
    static Registry &All()
    {
        static Registry *all = new Registry; /* kernels may use it until the process ends */
        return *all;
    }
    static string Device()
    {
        return "/job:localhost/replica:0/task:0/device:CPU:0";
    }
    static ResourceHandle Counted(ResourceBase *object, const TypeIndex &type)
    {
        Registry &registry = All();
        std::lock_guard<std::mutex> held(registry.mutex);
        ResourceHandle out;
        out.bits_ = registry.last += 2;
        registry.counted[out.bits_] = {
            Device(), "Anonymous", ANONYMOUS_NAME, type.name(), type.hash_code(), object, 1};
        return out;
    }
    static void Count(uint64 bits, int change)
    {
        if (bits % 2 == 0) {
            return;
        }
        Registry &registry = All();
        ResourceBase *gone = nullptr;
        {
            std::lock_guard<std::mutex> held(registry.mutex);
            const auto it = registry.counted.find(bits);
            if (it != registry.counted.end() && (it->second.references += change) == 0) {
                gone = it->second.object;
                registry.counted.erase(it);
            }
        }
        if (gone != nullptr) {
            gone->Unref(); /* whose destructor may drop further handles */
        }
    }
    void Rename(const string &container, const string &name, const string &type, uint64 hash)
    {
        if (!IsRefCounting()) {
            *this = Make(container, name, type, hash);
        }
    }
    Record get() const
    {
        Registry &registry = All();
        std::lock_guard<std::mutex> held(registry.mutex);
        const Record *record = registry.Find(bits_);
        return record != nullptr ? *record : Record{};
    }
    uint64 bits_ = 0;
};
static_assert(sizeof(ResourceHandle) == 8, "the element of a resource tensor has 8 bytes");

} // namespace tensorflow

#endif
