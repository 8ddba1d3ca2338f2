/* SPDX-License-Identifier: Apache-2.0 */
/* OpRegistry: the ops that the host knows, those of this plugin or program among them. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_OP_REGISTRY_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_OP_REGISTRY_H_

#include <vector>

#include "tensorflow/c/c_api.h"
#include "tensorflow/core/framework/node_def_reader.h"
#include "tensorflow/core/framework/registration.h"

namespace tensorflow ORIBI_HIDDEN
{

class OpRegistry
{
  public:
    /* In a program of its own, which nobody loads, this registers what the program names. */
    static OpRegistry *Global()
    {
        static OpRegistry *registry = [] {
            registration::RegisterAll();
            return new OpRegistry;
        }();
        return registry;
    }
    /* A line for each op; those whose names begin with `_` only when they are asked for. */
    string DebugString(bool include_internal) const
    {
        string out;
        TF_Buffer *list = TF_GetAllOpList();
        if (list == nullptr) {
            return out;
        }
        const StringPiece bytes(static_cast<const char *>(list->data), list->length);
        for (WireReader ops(bytes); ops.Next();) {
            const string line = ops.field == 1 ? LineOf(ops.bytes) : string();
            if (!line.empty() && (include_internal || line[0] != '_')) {
                out += line + "\n";
            }
        }
        TF_DeleteBuffer(list);
        return out;
    }

  private:
    /* "Name(x, y) -> z [attributes T, n]" of an OpDef. */
    static string LineOf(StringPiece op)
    {
        string name, lists[3]; /* fields 2, 3 and 4: inputs, outputs, attributes */
        for (WireReader fields(op); fields.Next();) {
            if (fields.field == 1) {
                name = string(fields.bytes);
            } else if (fields.field >= 2 && fields.field <= 4) {
                string &list = lists[fields.field - 2];
                list += (list.empty() ? "" : ", ") + NameOf(fields.bytes);
            }
        }
        return name + "(" + lists[0] + ") -> " + lists[1] +
               (lists[2].empty() ? "" : " [" + lists[2] + "]");
    }
    static string NameOf(StringPiece argument)
    {
        string out;
        for (WireReader fields(argument); fields.Next();) {
            out = fields.field == 1 ? string(fields.bytes) : out;
        }
        return out;
    }
};

} // namespace tensorflow

#endif
