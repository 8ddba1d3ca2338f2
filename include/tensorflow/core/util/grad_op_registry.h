/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of ops in graphs that C++ code builds, for sources that register them beside their ops.
 * The host differentiates no graph, so that a registered function is never called; its types are
 * names alone. */
#ifndef ORIBI_TENSORFLOW_CORE_UTIL_GRAD_OP_REGISTRY_H_
#define ORIBI_TENSORFLOW_CORE_UTIL_GRAD_OP_REGISTRY_H_

#include <map>
#include <vector>

#include "tensorflow/core/platform/errors.h"

namespace tensorflow ORIBI_HIDDEN
{

class Operation;
class Output;
class Scope;

namespace ops
{

/* Null: an op without a gradient. */
using GradFunc = Status (*)(const Scope &scope, const Operation &op,
                            const std::vector<Output> &grad_inputs,
                            std::vector<Output> *grad_outputs);

class GradOpRegistry
{
  public:
    static GradOpRegistry *Global()
    {
        static auto *registry = new GradOpRegistry;
        return registry;
    }
    bool Register(const string &op, GradFunc fn)
    {
        return functions_.emplace(op, fn).second;
    }
    Status Lookup(const string &op, GradFunc *out) const
    {
        const auto found = functions_.find(op);
        if (found == functions_.end()) {
            return errors::NotFound("No gradient defined for op: ", op);
        }
        *out = found->second;
        return Status();
    }

  private:
    std::map<string, GradFunc> functions_;
};

} // namespace ops
} // namespace ORIBI_HIDDEN

#define ORIBI_GRADIENT_NAME2(n) oribi_gradient_##n
#define ORIBI_GRADIENT_NAME(n)  ORIBI_GRADIENT_NAME2(n)
#define REGISTER_GRADIENT_OP(name, fn)                                                             \
    static const bool ORIBI_GRADIENT_NAME(__COUNTER__) TF_ATTRIBUTE_UNUSED =                       \
        ::tensorflow::ops::GradOpRegistry::Global()->Register(name, fn)
#define REGISTER_NO_GRADIENT_OP(name) REGISTER_GRADIENT_OP(name, nullptr)

#endif
