/* SPDX-License-Identifier: Apache-2.0 */
/* GetNodeAttr: attributes of a node by its NodeDef, where code has one at hand, or by the map of a
 * function's attributes. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_NODE_DEF_UTIL_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_NODE_DEF_UTIL_H_

#include <cstring>
#include <vector>

#include "tensorflow/core/framework/node_def.pb.h"
#include "tensorflow/core/framework/messages/tensor_of_proto.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace node_attr
{

/* field: its number in AttrValue and in the list of AttrValue; Set reads one element. */
template <int kField> struct Form {
    static constexpr int field = kField;
    static constexpr bool is_float = kField == 4;
    static constexpr bool is_packed = kField >= 3 && kField <= 6;
};
template <typename T> struct Of;
template <> struct Of<string> : Form<2> {
    static bool Set(const WireReader &value, string *out)
    {
        *out = string(value.bytes);
        return true;
    }
};
template <> struct Of<tstring> : Form<2> {
    static bool Set(const WireReader &value, tstring *out)
    {
        *out = value.bytes;
        return true;
    }
};
template <> struct Of<int64> : Form<3> {
    static bool Set(const WireReader &value, int64 *out)
    {
        *out = static_cast<int64>(value.number);
        return true;
    }
};
template <> struct Of<int32> : Form<3> {
    static bool Set(const WireReader &value, int32 *out)
    {
        const int64 wide = static_cast<int64>(value.number);
        *out = static_cast<int32>(wide);
        return *out == wide;
    }
};
template <> struct Of<float> : Form<4> {
    static bool Set(const WireReader &value, float *out)
    {
        if (value.bytes.size() != sizeof *out) {
            return false;
        }
        std::memcpy(out, value.bytes.data(), sizeof *out);
        return true;
    }
};
template <> struct Of<bool> : Form<5> {
    static bool Set(const WireReader &value, bool *out)
    {
        *out = value.number != 0;
        return true;
    }
};
template <> struct Of<DataType> : Form<6> {
    static bool Set(const WireReader &value, DataType *out)
    {
        *out = static_cast<DataType>(value.number);
        return true;
    }
};
template <> struct Of<PartialTensorShape> : Form<7> {
    static bool Set(const WireReader &value, PartialTensorShape *out)
    {
        *out = ShapeFromProto(value.bytes);
        return true;
    }
};
template <> struct Of<TensorShape> : Form<7> {
    static bool Set(const WireReader &value, TensorShape *out)
    {
        return ShapeFromProto(value.bytes).AsTensorShape(out);
    }
};

template <> struct Of<TensorProto> : Form<8> {
    static bool Set(const WireReader &value, TensorProto *out)
    {
        return out->ParseFromString(value.bytes);
    }
};
template <> struct Of<Tensor> : Form<8> {
    static bool Set(const WireReader &value, Tensor *out)
    {
        TensorProto proto;
        return proto.ParseFromString(value.bytes) && out->FromProto(proto);
    }
};
template <> struct Of<NameAttrList> : Form<10> {
    static bool Set(const WireReader &value, NameAttrList *out)
    {
        return out->ParseFromString(value.bytes);
    }
};

template <typename T> bool Read(StringPiece attr, T *out)
{
    bool found = false;
    for (WireReader value(attr); value.Next();) {
        if (value.field == Of<T>::field) {
            found = Of<T>::Set(value, out);
        }
    }
    return found;
}
template <typename T> bool ReadItems(StringPiece list, std::vector<T> *out)
{
    bool fits = true;
    for (WireReader value(list); fits && value.Next();) {
        T item{};
        if (value.field != Of<T>::field) {
            continue;
        }
        if (Of<T>::is_packed && value.is_bytes) {
            WireReader packed(value.bytes);
            while (fits && packed.NextPacked(Of<T>::is_float)) {
                fits = Of<T>::Set(packed, &item);
                out->push_back(item);
            }
            continue;
        }
        fits = Of<T>::Set(value, &item);
        out->push_back(item);
    }
    return fits;
}
template <typename T> bool Read(StringPiece attr, std::vector<T> *out)
{
    std::vector<T> items;
    for (WireReader value(attr); value.Next();) {
        if (value.field == 1) {
            if (!ReadItems(value.bytes, &items)) {
                return false;
            }
            out->swap(items);
            return true;
        }
    }
    return false;
}

} // namespace node_attr

class AttrSlice
{
  public:
    AttrSlice(const NodeDef &def) : def_(&def)
    {
    }
    const NodeDef &def() const
    {
        return *def_;
    }

  private:
    const NodeDef *def_;
};

inline bool HasNodeAttr(const NodeDef &def, StringPiece name)
{
    StringPiece value;
    return def.reader().Find(name, &value);
}
template <typename T> Status GetNodeAttr(const AttrSlice &attrs, StringPiece name, T *out)
{
    StringPiece value;
    if (!attrs.def().reader().Find(name, &value)) {
        return errors::NotFound("No attr named '", name, "' in node '", attrs.def().name(), "'");
    }
    if (!node_attr::Read(value, out)) {
        return errors::InvalidArgument("Attr '", name, "' of node '", attrs.def().name(),
                                       "' has another type, or a value out of range");
    }
    return Status();
}
template <typename T> bool TryGetNodeAttr(const AttrSlice &attrs, StringPiece name, T *out)
{
    return GetNodeAttr(attrs, name, out).ok();
}

} // namespace tensorflow

#endif
