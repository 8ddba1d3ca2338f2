/* SPDX-License-Identifier: Apache-2.0 */
/* NodeDef: name, op, inputs and device of a node; attributes are read through GetAttr. */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_NODE_DEF_PB_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_NODE_DEF_PB_H_

#include "tensorflow/core/framework/node_def_reader.h"

namespace tensorflow ORIBI_HIDDEN
{

class NodeDef
{
  public:
    NodeDef() : reader_(string())
    {
    }
    NodeDef(string name, string bytes) : name_(std::move(name)), reader_(std::move(bytes))
    {
        op_ = reader_.op();
        device_ = reader_.device();
        inputs_ = reader_.inputs();
    }
    const string &name() const
    {
        return name_;
    }
    const string &op() const
    {
        return op_;
    }
    const string &device() const
    {
        return device_;
    }
    int input_size() const
    {
        return static_cast<int>(inputs_.size());
    }
    const string &input(int i) const
    {
        return inputs_[static_cast<size_t>(i)];
    }
    const NodeDefReader &reader() const
    {
        return reader_;
    }

  private:
    string name_, op_, device_;
    std::vector<string> inputs_;
    NodeDefReader reader_;
};

} // namespace tensorflow

#endif
