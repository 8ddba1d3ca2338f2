/* SPDX-License-Identifier: Apache-2.0 */
/* KernelDefBuilder: Name(op).Device(type).TypeConstraint<T>(attribute)... One kernel of the C
 * interface is made for each combination of the allowed types. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_KERNEL_DEF_BUILDER_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_KERNEL_DEF_BUILDER_H_

#include <utility>
#include <vector>

#include "tensorflow/c/kernels.h"
#include "tensorflow/core/framework/registration.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/lib/gtl/array_slice.h"

namespace tensorflow ORIBI_HIDDEN
{

class KernelDefBuilder
{
  public:
    explicit KernelDefBuilder(const char *op) : op_(op)
    {
    }
    KernelDefBuilder &Device(const char *type)
    {
        device_ = type;
        return *this;
    }
    KernelDefBuilder &Device(const DeviceType &type)
    {
        device_ = type.type_string();
        return *this;
    }
    KernelDefBuilder &TypeConstraint(const char *attr, gtl::ArraySlice<DataType> allowed)
    {
        constraints_.emplace_back(attr, std::vector<DataType>(allowed.begin(), allowed.end()));
        return *this;
    }
    KernelDefBuilder &TypeConstraint(const char *attr, DataType allowed)
    {
        return TypeConstraint(attr, gtl::ArraySlice<DataType>(&allowed, 1));
    }
    template <typename T> KernelDefBuilder &TypeConstraint(const char *attr)
    {
        return TypeConstraint(attr, DataTypeToEnum<T>::v());
    }
    KernelDefBuilder &HostMemory(const char *argument)
    {
        host_memory_.push_back(argument);
        return *this;
    }
    KernelDefBuilder &Label(const char *label)
    {
        label_ = label;
        return *this;
    }
    KernelDefBuilder &Priority(int32 priority)
    {
        priority_ = priority;
        return *this;
    }
    const KernelDefBuilder &Build() const
    {
        return *this;
    }

    /* make(op, device) gives a builder of the C interface with the functions of a class. */
    Status Register(const char *class_name,
                    TF_KernelBuilder *(*make)(const char *, const char *)) const
    {
        std::vector<size_t> chosen(constraints_.size(), 0);
        for (;;) {
            TF_RETURN_IF_ERROR(RegisterOne(class_name, make(op_.c_str(), device_.c_str()), chosen));
            size_t i = 0;
            while (i < chosen.size() && ++chosen[i] >= constraints_[i].second.size()) {
                chosen[i++] = 0;
            }
            if (i == chosen.size()) {
                return Status();
            }
        }
    }

  private:
    Status RegisterOne(const char *class_name, TF_KernelBuilder *builder,
                       const std::vector<size_t> &chosen) const
    {
        CStatus status;
        for (size_t i = 0; i < chosen.size() && status.ok(); i++) {
            if (!constraints_[i].second.empty()) {
                TF_KernelBuilder_TypeConstraint(
                    builder, constraints_[i].first.c_str(),
                    static_cast<TF_DataType>(constraints_[i].second[chosen[i]]), status);
            }
        }
        if (!status.ok()) {
            TF_DeleteKernelBuilder(builder);
            return status.ToStatus();
        }
        for (const string &argument : host_memory_) {
            TF_KernelBuilder_HostMemory(builder, argument.c_str());
        }
        if (!label_.empty()) {
            TF_KernelBuilder_Label(builder, label_.c_str());
        }
        if (priority_ != 0) {
            TF_KernelBuilder_Priority(builder, priority_);
        }
        TF_RegisterKernelBuilder(class_name, builder, status);
        return status.ToStatus();
    }

    string op_, device_ = "CPU", label_;
    std::vector<std::pair<string, std::vector<DataType>>> constraints_;
    std::vector<string> host_memory_;
    int32 priority_ = 0;
};

namespace register_kernel
{

class Name : public KernelDefBuilder
{
  public:
    explicit Name(const char *op) : KernelDefBuilder(op)
    {
    }
};

} // namespace register_kernel
} // namespace tensorflow

#endif
