/* SPDX-License-Identifier: Apache-2.0 */
/* What is read from a serialised NodeDef: the op, and attributes for which the C interface has no
 * getter (shapes, functions). Bytes come from the host, yet every length is checked. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_NODE_DEF_READER_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_NODE_DEF_READER_H_

#include <vector>

#include "tensorflow/core/framework/attr_value.pb.h"

namespace tensorflow ORIBI_HIDDEN
{

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
    std::vector<string> inputs() const
    {
        std::vector<string> out;
        for (WireReader node(bytes_); node.Next();) {
            if (node.field == 3) {
                out.emplace_back(node.bytes.data(), node.bytes.size());
            }
        }
        return out;
    }
    string device() const
    {
        string out;
        for (WireReader node(bytes_); node.Next();) {
            out = node.field == 4 ? string(node.bytes) : out;
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
            if (attr.field == 10 && out->ParseFromString(attr.bytes)) {
                return Status();
            }
        }
        return errors::InvalidArgument("attribute '", name, "' is no function");
    }

  private:
    string bytes_;
};

} // namespace tensorflow

#endif
