/* SPDX-License-Identifier: Apache-2.0 */
/* What is read from a serialised NodeDef: the op, and attributes for which the C interface has no
 * getter (shapes, functions). Bytes come from the host, yet every length is checked. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_NODE_DEF_READER_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_NODE_DEF_READER_H_

#include <vector>

#include "tensorflow/core/framework/tensor_shape.h"

namespace tensorflow ORIBI_HIDDEN
{

/* One message of the protocol buffer wire format, field by field. */
class WireReader
{
  public:
    explicit WireReader(StringPiece message) : rest_(message)
    {
    }
    /* False at the end and at the first malformed byte. */
    bool Next()
    {
        uint64 key = 0;
        if (rest_.empty() || !Varint(&key)) {
            return false;
        }
        field = static_cast<int>(key >> 3);
        number = 0;
        bytes = StringPiece();
        switch (key & 7) {
        case 0:
            return Varint(&number);
        case 1:
            return Take(8, &bytes);
        case 2:
            return Varint(&number) && Take(number, &bytes);
        case 5:
            return Take(4, &bytes);
        default:
            return false;
        }
    }
    /* For the bytes of a packed field: the next number, or four bytes, of it. */
    bool NextPacked(bool is_float)
    {
        return is_float ? Take(4, &bytes) : !rest_.empty() && Varint(&number);
    }
    int field = 0;
    uint64 number = 0;
    StringPiece bytes;

  private:
    bool Varint(uint64 *out)
    {
        *out = 0;
        for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
            const uint64 byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            *out |= (byte & 127) << shift;
            if (byte < 128) {
                return true;
            }
        }
        return false;
    }
    bool Take(uint64 n, StringPiece *out)
    {
        if (n > rest_.size()) {
            return false;
        }
        *out = rest_.substr(0, static_cast<size_t>(n));
        rest_.remove_prefix(static_cast<size_t>(n));
        return true;
    }
    StringPiece rest_;
};

/* Name of a function and nothing of its attributes. */
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

  private:
    string name_;
};

inline PartialTensorShape ShapeFromProto(StringPiece bytes)
{
    std::vector<int64> dims;
    bool unknown = false;
    for (WireReader shape(bytes); shape.Next();) {
        if (shape.field == 2) {
            int64 size = 0;
            for (WireReader dim(shape.bytes); dim.Next();) {
                size = dim.field == 1 ? static_cast<int64>(dim.number) : size;
            }
            dims.push_back(size);
        } else if (shape.field == 3) {
            unknown = shape.number != 0;
        }
    }
    return unknown ? PartialTensorShape() : PartialTensorShape(gtl::ArraySlice<int64>(dims));
}

class NodeDefReader
{
  public:
    explicit NodeDefReader(string bytes) : bytes_(std::move(bytes))
    {
    }
    string op() const
    {
        string out;
        for (WireReader node(bytes_); node.Next();) {
            out = node.field == 2 ? string(node.bytes) : out;
        }
        return out;
    }
    /* The AttrValue of a name; false when there is none. */
    bool Find(StringPiece name, StringPiece *value) const
    {
        for (WireReader node(bytes_); node.Next();) {
            StringPiece key, found;
            for (WireReader entry(node.field == 5 ? node.bytes : StringPiece()); entry.Next();) {
                (entry.field == 1 ? key : found) = entry.bytes;
            }
            if (node.field == 5 && key == name) {
                *value = found;
                return true;
            }
        }
        return false;
    }
    Status Get(StringPiece name, std::vector<PartialTensorShape> *out, bool list) const
    {
        StringPiece value;
        if (!Find(name, &value)) {
            return errors::NotFound("the node has no attribute '", name, "'");
        }
        StringPiece items = value;
        bool fits = !list;
        for (WireReader attr(value); list && attr.Next();) {
            fits = fits || attr.field == 1;
            items = attr.field == 1 ? attr.bytes : items;
        }
        out->clear();
        for (WireReader attr(items); fits && attr.Next();) {
            if (attr.field == 7) {
                out->push_back(ShapeFromProto(attr.bytes));
            }
        }
        if (!fits || (!list && out->size() != 1)) {
            return errors::InvalidArgument("attribute '", name, "' is no ",
                                           list ? "list of shapes" : "shape");
        }
        return Status();
    }
    Status Get(StringPiece name, NameAttrList *out) const
    {
        StringPiece value;
        if (!Find(name, &value)) {
            return errors::NotFound("the node has no attribute '", name, "'");
        }
        for (WireReader attr(value); attr.Next();) {
            for (WireReader func(attr.field == 10 ? attr.bytes : StringPiece()); func.Next();) {
                if (func.field == 1) {
                    out->set_name(string(func.bytes));
                    return Status();
                }
            }
        }
        return errors::InvalidArgument("attribute '", name, "' is no function");
    }

  private:
    string bytes_;
};

} // namespace tensorflow

#endif
