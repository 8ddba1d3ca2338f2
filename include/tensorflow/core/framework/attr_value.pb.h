/* SPDX-License-Identifier: Apache-2.0 */
/* AttrValue: an attribute of any kind, as a message that can be read. Tensors are not kept. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_ATTR_VALUE_PB_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_ATTR_VALUE_PB_H_

#include <cstring>
#include <vector>

#include "tensorflow/core/framework/node_def_reader.h"
#include "tensorflow/core/framework/partial_tensor_shape.h"
#include "tensorflow/core/framework/tensor_shape.pb.h"

namespace tensorflow ORIBI_HIDDEN
{

class AttrValue
{
  public:
    enum ValueCase {
        VALUE_NOT_SET = 0,
        kList = 1,
        kS = 2,
        kI = 3,
        kF = 4,
        kB = 5,
        kType = 6,
        kShape = 7,
        kTensor = 8,
        kPlaceholder = 9,
        kFunc = 10
    };
    class ListValue
    {
      public:
#define ORIBI_ATTR_LIST(name, type)                                                                \
    int name##_size() const                                                                        \
    {                                                                                              \
        return static_cast<int>(name##_.size());                                                   \
    }                                                                                              \
    type name(int i) const                                                                         \
    {                                                                                              \
        return name##_[static_cast<size_t>(i)];                                                    \
    }                                                                                              \
    const std::vector<type> &name() const                                                          \
    {                                                                                              \
        return name##_;                                                                            \
    }                                                                                              \
    std::vector<type> name##_
        ORIBI_ATTR_LIST(s, string);
        ORIBI_ATTR_LIST(i, int64);
        ORIBI_ATTR_LIST(f, float);
        ORIBI_ATTR_LIST(b, bool);
        ORIBI_ATTR_LIST(type, DataType);
        ORIBI_ATTR_LIST(shape, TensorShapeProto);
        ORIBI_ATTR_LIST(func, NameAttrList);
#undef ORIBI_ATTR_LIST
    };

    /* False: malformed. */
    bool ParseFromString(StringPiece bytes)
    {
        *this = AttrValue();
        for (WireReader value(bytes); value.Next();) {
            case_ = static_cast<ValueCase>(value.field);
            if (case_ == kList) {
                ParseList(value.bytes);
            } else {
                ParseElement(value, value.field);
            }
        }
        return bytes.empty() || case_ != VALUE_NOT_SET;
    }
    ValueCase value_case() const
    {
        return case_;
    }
    bool has_list() const
    {
        return case_ == kList;
    }
    const ListValue &list() const
    {
        return list_;
    }
#define ORIBI_ATTR_SCALAR(name, type)                                                              \
    type name() const                                                                              \
    {                                                                                              \
        return case_ != kList && list_.name##_size() > 0 ? list_.name(0) : type();                 \
    }
    ORIBI_ATTR_SCALAR(i, int64)
    ORIBI_ATTR_SCALAR(f, float)
    ORIBI_ATTR_SCALAR(b, bool)
    ORIBI_ATTR_SCALAR(type, DataType)
    ORIBI_ATTR_SCALAR(s, string)
    ORIBI_ATTR_SCALAR(shape, TensorShapeProto)
    ORIBI_ATTR_SCALAR(func, NameAttrList)
#undef ORIBI_ATTR_SCALAR
    string placeholder() const
    {
        return case_ == kPlaceholder ? placeholder_ : string();
    }

  private:
    /* field: as in AttrValue, where 10 is a function. */
    void ParseElement(const WireReader &value, int field)
    {
        switch (field) {
        case kS:
            list_.s_.emplace_back(value.bytes.data(), value.bytes.size());
            break;
        case kI:
            list_.i_.push_back(static_cast<int64>(value.number));
            break;
        case kF:
            list_.f_.push_back(Float(value.bytes));
            break;
        case kB:
            list_.b_.push_back(value.number != 0);
            break;
        case kType:
            list_.type_.push_back(static_cast<DataType>(value.number));
            break;
        case kShape:
            list_.shape_.emplace_back();
            ShapeFromProto(value.bytes).AsProto(&list_.shape_.back());
            break;
        case kPlaceholder:
            placeholder_.assign(value.bytes.data(), value.bytes.size());
            break;
        case kFunc:
            list_.func_.emplace_back();
            for (WireReader func(value.bytes); func.Next();) {
                if (func.field == 1) {
                    list_.func_.back().set_name(string(func.bytes));
                }
            }
            break;
        default:
            break;
        }
    }
    /* Numbers may come packed, many in one field; a function has the number 9 there. */
    void ParseList(StringPiece bytes)
    {
        for (WireReader item(bytes); item.Next();) {
            const bool is_float = item.field == kF;
            if (item.field >= kI && item.field <= kType &&
                item.bytes.size() != (is_float ? sizeof(float) : 0)) {
                for (WireReader packed(item.bytes); packed.NextPacked(is_float);) {
                    ParseElement(packed, item.field);
                }
            } else {
                ParseElement(item, item.field == kPlaceholder ? int{kFunc} : item.field);
            }
        }
    }
    static float Float(StringPiece bytes)
    {
        float out = 0;
        if (bytes.size() == sizeof out) {
            std::memcpy(&out, bytes.data(), sizeof out);
        }
        return out;
    }
    ValueCase case_ = VALUE_NOT_SET;
    ListValue list_; /* one element where the value is no list */
    string placeholder_;
};

} // namespace tensorflow

#endif
