/* SPDX-License-Identifier: Apache-2.0 */
/* lookup::LookupInterface: what a table of keys and values is derived from. */
#ifndef ORIBI_TENSORFLOW_CORE_RESOURCE_LOOKUP_INTERFACE_H_
#define ORIBI_TENSORFLOW_CORE_RESOURCE_LOOKUP_INTERFACE_H_

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_mgr.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace lookup
{

class InitializableLookupTable;

class LookupInterface : public ResourceBase
{
  public:
    /* values: as keys, then value_shape(); where a key is missing, the default value. */
    virtual Status Find(OpKernelContext *ctx, const Tensor &keys, Tensor *values,
                        const Tensor &default_value) = 0;
    virtual Status Insert(OpKernelContext *ctx, const Tensor &keys, const Tensor &values) = 0;
    virtual Status Remove(OpKernelContext *ctx, const Tensor &keys) = 0;
    virtual size_t size() const = 0;
    /* Outputs "keys" and "values". */
    virtual Status ExportValues(OpKernelContext *ctx) = 0;
    virtual Status ImportValues(OpKernelContext *ctx, const Tensor &keys, const Tensor &values) = 0;
    virtual DataType key_dtype() const = 0;
    virtual DataType value_dtype() const = 0;
    virtual TensorShape key_shape() const = 0;
    virtual TensorShape value_shape() const = 0;
    virtual InitializableLookupTable *GetInitializableLookupTable()
    {
        return nullptr;
    }

    virtual Status CheckKeyAndValueTensorsForInsert(const Tensor &keys, const Tensor &values)
    {
        return CheckPairs(keys, values);
    }
    virtual Status CheckKeyAndValueTensorsForImport(const Tensor &keys, const Tensor &values)
    {
        return CheckPairs(keys, values);
    }
    virtual Status CheckKeyTensorForRemove(const Tensor &keys)
    {
        TF_RETURN_IF_ERROR(CheckType("Key", key_dtype(), keys));
        return CheckKeyShape(keys.shape());
    }
    Status CheckFindArguments(const Tensor &keys, const Tensor &default_value)
    {
        TF_RETURN_IF_ERROR(CheckType("Key", key_dtype(), keys));
        TF_RETURN_IF_ERROR(CheckType("Value", value_dtype(), default_value));
        TF_RETURN_IF_ERROR(CheckKeyShape(keys.shape()));
        TensorShape each = keys.shape();
        each.RemoveLastDims(key_shape().dims());
        each.AppendShape(value_shape());
        if (!(default_value.shape() == value_shape()) && !(default_value.shape() == each)) {
            return errors::InvalidArgument("Expected shape ", value_shape().DebugString(), " or ",
                                           each.DebugString(), " for default value, got ",
                                           default_value.shape().DebugString());
        }
        return Status();
    }

  protected:
    static Status CheckType(const char *what, DataType wanted, const Tensor &tensor)
    {
        return tensor.dtype() == wanted
                   ? Status()
                   : errors::InvalidArgument(what, " must be type ", DataTypeString(wanted),
                                             " but got ", DataTypeString(tensor.dtype()));
    }
    Status CheckKeyAndValueTypes(const Tensor &keys, const Tensor &values)
    {
        TF_RETURN_IF_ERROR(CheckType("Key", key_dtype(), keys));
        return CheckType("Value", value_dtype(), values);
    }
    Status CheckKeyShape(const TensorShape &shape)
    {
        return TensorShapeUtils::EndsWith(shape, key_shape())
                   ? Status()
                   : errors::InvalidArgument("Input key shape ", shape.DebugString(),
                                             " must end with the table's key shape ",
                                             key_shape().DebugString());
    }

  private:
    Status CheckPairs(const Tensor &keys, const Tensor &values)
    {
        TF_RETURN_IF_ERROR(CheckKeyAndValueTypes(keys, values));
        TF_RETURN_IF_ERROR(CheckKeyShape(keys.shape()));
        TensorShape wanted = keys.shape();
        wanted.RemoveLastDims(key_shape().dims());
        wanted.AppendShape(value_shape());
        return values.shape() == wanted
                   ? Status()
                   : errors::InvalidArgument("Expected shape ", wanted.DebugString(),
                                             " for value, got ", values.shape().DebugString());
    }
};

} // namespace lookup
} // namespace tensorflow

#endif
