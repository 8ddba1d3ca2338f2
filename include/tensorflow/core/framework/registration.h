/* SPDX-License-Identifier: Apache-2.0 */
/* What REGISTER_OP and REGISTER_KERNEL_BUILDER collect, and TF_InitKernel, which hands it to the
 * host. The list is hidden: each plugin has its own, made by its own constructors when it is
 * loaded, and nothing happens in the host before it asks. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_REGISTRATION_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_REGISTRATION_H_

#include "tensorflow/c/kernels.h"
#include "tensorflow/core/platform/errors.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace registration
{

/* An op or kernel to be registered; lives as long as the plugin. */
class Entry
{
  public:
    Entry() = default;
    Entry(const Entry &) = delete;
    Entry &operator=(const Entry &) = delete;
    virtual ~Entry() = default;
    virtual Status Register() = 0;
    Entry *next = nullptr;
};

struct List {
    Entry *first = nullptr;
    Entry **end = &first;
    void Add(Entry *entry)
    {
        *end = entry;
        end = &entry->next;
    }
};
inline List &Ops()
{
    static List *list = new List; /* outlives every destructor of the plugin */
    return *list;
}
inline List &Kernels()
{
    static List *list = new List;
    return *list;
}

/* Ops first: a kernel's constraints are checked against its op. A refusal is logged; the host knows
 * of it too and does not load the plugin by halves. */
inline void RegisterAll()
{
    for (List *list : {&Ops(), &Kernels()}) {
        for (Entry *entry = list->first; entry != nullptr; entry = entry->next) {
            const Status status = entry->Register();
            if (!status.ok()) {
                LOG(ERROR) << status;
            }
        }
    }
}

} // namespace registration
} // namespace tensorflow

/* All that a plugin names is registered. */
#define SHOULD_REGISTER_OP(op)                true
#define SHOULD_REGISTER_OP_KERNEL(class_name) true
#define SHOULD_REGISTER_OP_GRADIENT           true

/* There are no datasets whose functions could be refused an op that has state. */
#define ALLOW_STATEFUL_OP_FOR_DATASET_FUNCTIONS(op)     static_assert(true, "")
#define WHITELIST_STATEFUL_OP_FOR_DATASET_FUNCTIONS(op) static_assert(true, "")

/* A plugin that defines TF_InitKernel itself has ORIBI_NO_INIT_KERNEL defined in that file, and
 * calls tensorflow::registration::RegisterAll(). */
#ifndef ORIBI_NO_INIT_KERNEL
extern "C" __attribute__((weak, visibility("default"))) void TF_InitKernel(void)
{
    ::tensorflow::registration::RegisterAll();
}
#endif

#endif
