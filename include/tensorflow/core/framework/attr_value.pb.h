/* SPDX-License-Identifier: Apache-2.0 */
/* AttrValue: an attribute of any kind, as a message that can be read. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_ATTR_VALUE_PB_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_ATTR_VALUE_PB_H_

#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "tensorflow/core/framework/tensor.pb.h"
#include "tensorflow/core/framework/tensor_shape.pb.h"

namespace tensorflow ORIBI_HIDDEN
{

class AttrValue;

/* A function by its name, and the attributes that it is called with: std::map in the place of the
 * map of protocol buffers. */
class NameAttrList
{
  public:
    const string &name() const
    {
        return name_;
    }
    void set_name(const string &name)
    {
        name_ = name;
    }
    const std::map<string, AttrValue> &attr() const;
    std::map<string, AttrValue> *mutable_attr();
    /* False: malformed, or a function in a function more than that many times. */
    bool ParseFromString(StringPiece bytes, int most_levels = 32);

  private:
    string name_;
    std::shared_ptr<std::map<string, AttrValue>> attr_; /* shared until it is changed */
};

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
    ORIBI_MESSAGE_LIST(name, type)                                                                 \
    std::vector<type> name##_
        ORIBI_ATTR_LIST(s, string);
        ORIBI_ATTR_LIST(i, int64);
        ORIBI_ATTR_LIST(f, float);
        ORIBI_ATTR_LIST(b, bool);
        ORIBI_ATTR_LIST(type, DataType);
        ORIBI_ATTR_LIST(shape, TensorShapeProto);
        ORIBI_ATTR_LIST(tensor, TensorProto);
        ORIBI_ATTR_LIST(func, NameAttrList);
#undef ORIBI_ATTR_LIST
    };

    /* False: malformed, or a function in a function more than that many times. */
    bool ParseFromString(StringPiece bytes, int most_levels = 32)
    {
        *this = AttrValue();
        WireReader value(bytes);
        bool fits = true;
        while (fits && value.Next()) {
            case_ = static_cast<ValueCase>(value.field);
            fits = case_ == kList ? ParseList(value.bytes, most_levels)
                                  : ParseElement(value, value.field, most_levels);
        }
        return fits && !value.failed() && (bytes.empty() || case_ != VALUE_NOT_SET);
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
    ORIBI_ATTR_SCALAR(tensor, TensorProto)
    ORIBI_ATTR_SCALAR(func, NameAttrList)
#undef ORIBI_ATTR_SCALAR
    string placeholder() const
    {
        return case_ == kPlaceholder ? placeholder_ : string();
    }

  private:
    /* field: as in AttrValue, where 10 is a function. */
    bool ParseElement(const WireReader &value, int field, int most_levels)
    {
        switch (field) {
        case kS:
            list_.s_.emplace_back(value.bytes.data(), value.bytes.size());
            return true;
        case kI:
            list_.i_.push_back(static_cast<int64>(value.number));
            return true;
        case kF:
            list_.f_.push_back(Float(value.bytes));
            return true;
        case kB:
            list_.b_.push_back(value.number != 0);
            return true;
        case kType:
            list_.type_.push_back(static_cast<DataType>(value.number));
            return true;
        case kShape:
            list_.shape_.emplace_back();
            ShapeFromProto(value.bytes).AsProto(&list_.shape_.back());
            return true;
        case kTensor:
            list_.tensor_.emplace_back();
            return list_.tensor_.back().ParseFromString(value.bytes);
        case kPlaceholder:
            placeholder_.assign(value.bytes.data(), value.bytes.size());
            return true;
        case kFunc:
            list_.func_.emplace_back();
            return list_.func_.back().ParseFromString(value.bytes, most_levels);
        default:
            return true;
        }
    }
    /* Numbers may come packed, many in one field; a function has the number 9 there. */
    bool ParseList(StringPiece bytes, int most_levels)
    {
        WireReader item(bytes);
        bool fits = true;
        while (fits && item.Next()) {
            const bool is_float = item.field == kF;
            if (item.is_bytes && item.field >= kI && item.field <= kType) {
                for (WireReader packed(item.bytes); packed.NextPacked(is_float);) {
                    ParseElement(packed, item.field, most_levels);
                }
            } else {
                fits = ParseElement(item, item.field == kPlaceholder ? int{kFunc} : item.field,
                                    most_levels);
            }
        }
        return fits && !item.failed();
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

inline const std::map<string, AttrValue> &NameAttrList::attr() const
{
    static const std::map<string, AttrValue> none;
    return attr_ ? *attr_ : none;
}
inline std::map<string, AttrValue> *NameAttrList::mutable_attr()
{
    attr_ = std::make_shared<std::map<string, AttrValue>>(attr());
    return attr_.get();
}
inline bool NameAttrList::ParseFromString(StringPiece bytes, int most_levels)
{
    std::map<string, AttrValue> attrs;
    WireReader func(bytes);
    bool fits = most_levels > 0;
    while (fits && func.Next()) {
        string key;
        StringPiece value;
        if (func.field == 1) {
            name_.assign(func.bytes.data(), func.bytes.size());
            continue;
        }
        for (WireReader entry(func.field == 2 ? func.bytes : StringPiece()); entry.Next();) {
            if (entry.field == 1) {
                key.assign(entry.bytes.data(), entry.bytes.size());
            }
            value = entry.field == 2 ? entry.bytes : value;
        }
        fits = func.field != 2 || attrs[key].ParseFromString(value, most_levels - 1);
    }
    if (!attrs.empty()) {
        attr_ = std::make_shared<std::map<string, AttrValue>>(std::move(attrs));
    }
    return fits && !func.failed();
}

} // namespace tensorflow

#endif
