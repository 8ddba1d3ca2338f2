/* SPDX-License-Identifier: Apache-2.0 */
/* OpDefBuilder: what stands after REGISTER_OP(name). */
#ifndef ORIBI_TENSORFLOW_CORE_FRAMEWORK_OP_DEF_BUILDER_H_
#define ORIBI_TENSORFLOW_CORE_FRAMEWORK_OP_DEF_BUILDER_H_

#include <functional>
#include <memory>
#include <vector>

#include "tensorflow/c/ops.h"
#include "tensorflow/c/shape_inference.h"
#include "tensorflow/core/framework/registration.h"
#include "tensorflow/core/platform/exceptions.h"

namespace tensorflow ORIBI_HIDDEN
{

namespace shape_inference
{
class InferenceContext;
}
using OpShapeInferenceFn = std::function<Status(shape_inference::InferenceContext *)>;
namespace shape_inference
{
/* Runs fn on a context of the host. Defined in shape_inference.h. */
inline void RunShapeFn(const OpShapeInferenceFn &fn, TF_ShapeInferenceContext *ctx,
                       TF_Status *status);
} // namespace shape_inference

class OpDefBuilder
{
  public:
    explicit OpDefBuilder(string name) : name_(std::move(name))
    {
    }
    OpDefBuilder &Attr(string spec)
    {
        attrs_.push_back(std::move(spec));
        return *this;
    }
    OpDefBuilder &Input(string spec)
    {
        inputs_.push_back(std::move(spec));
        return *this;
    }
    OpDefBuilder &Output(string spec)
    {
        outputs_.push_back(std::move(spec));
        return *this;
    }
    OpDefBuilder &ControlOutput(string)
    {
        return *this;
    }
    OpDefBuilder &SetIsCommutative()
    {
        is_commutative_ = true;
        return *this;
    }
    OpDefBuilder &SetIsAggregate()
    {
        is_aggregate_ = true;
        return *this;
    }
    OpDefBuilder &SetIsStateful()
    {
        is_stateful_ = true;
        return *this;
    }
    OpDefBuilder &SetAllowsUninitializedInput()
    {
        allows_uninitialized_input_ = true;
        return *this;
    }
    OpDefBuilder &SetIsDistributedCommunication()
    {
        return *this;
    }
    OpDefBuilder &Deprecated(int version, string explanation)
    {
        deprecated_ = version;
        explanation_ = std::move(explanation);
        return *this;
    }
    OpDefBuilder &SetShapeFn(OpShapeInferenceFn fn)
    {
        shape_fn_ = std::move(fn);
        return *this;
    }
    OpDefBuilder &Doc(string text)
    {
        doc_ = std::move(text);
        return *this;
    }

    Status Register() const
    {
        TF_OpDefinitionBuilder *builder = TF_NewOpDefinitionBuilder(name_.c_str());
        for (const string &spec : attrs_) {
            TF_OpDefinitionBuilderAddAttr(builder, spec.c_str());
        }
        for (const string &spec : inputs_) {
            TF_OpDefinitionBuilderAddInput(builder, spec.c_str());
        }
        for (const string &spec : outputs_) {
            TF_OpDefinitionBuilderAddOutput(builder, spec.c_str());
        }
        TF_OpDefinitionBuilderSetIsCommutative(builder, is_commutative_);
        TF_OpDefinitionBuilderSetIsAggregate(builder, is_aggregate_);
        TF_OpDefinitionBuilderSetIsStateful(builder, is_stateful_);
        TF_OpDefinitionBuilderSetAllowsUninitializedInput(builder, allows_uninitialized_input_);
        if (deprecated_ > 0) {
            TF_OpDefinitionBuilderDeprecated(builder, deprecated_, explanation_.c_str());
        }
        if (!doc_.empty()) {
            TF_OpDefinitionBuilderDoc(builder, doc_.c_str());
        }
        if (shape_fn_) {
            TF_OpDefinitionBuilderSetShapeInferenceFunctionWithData(
                builder,
                [](void *fn, TF_ShapeInferenceContext *ctx, TF_Status *status) {
                    const Status thrown = StatusOfException("the shape function", [&] {
                        shape_inference::RunShapeFn(*static_cast<OpShapeInferenceFn *>(fn), ctx,
                                                    status);
                    });
                    if (!thrown.ok()) {
                        TF_SetStatus(status, static_cast<TF_Code>(static_cast<int>(thrown.code())),
                                     string(thrown.message()).c_str());
                    }
                },
                new OpShapeInferenceFn(shape_fn_),
                [](void *fn) { delete static_cast<OpShapeInferenceFn *>(fn); });
        }
        CStatus status;
        TF_RegisterOpDefinition(builder, status);
        return status.ToStatus();
    }

  private:
    string name_;
    std::vector<string> attrs_, inputs_, outputs_;
    bool is_commutative_ = false, is_aggregate_ = false, is_stateful_ = false;
    bool allows_uninitialized_input_ = false;
    int deprecated_ = 0;
    string explanation_, doc_;
    OpShapeInferenceFn shape_fn_;
};

namespace register_op
{

class OpEntry : public registration::Entry
{
  public:
    explicit OpEntry(const OpDefBuilder &builder) : builder_(builder)
    {
    }
    Status Register() override
    {
        return builder_.Register();
    }

  private:
    OpDefBuilder builder_;
};

/* A static one stands before each chain of REGISTER_OP and keeps what the chain made. */
struct OpDefBuilderReceiver {
    OpDefBuilderReceiver(const OpDefBuilder &builder)
    {
        registration::Ops().Add(new OpEntry(builder));
    }
};

} // namespace register_op
} // namespace tensorflow

#define ORIBI_REGISTER_OP(id, name)                                                                \
    static const ::tensorflow::register_op::OpDefBuilderReceiver id TF_ATTRIBUTE_UNUSED =          \
        ::tensorflow::OpDefBuilder(name)
#define REGISTER_OP(name)        ORIBI_REGISTER_OP(ORIBI_UNIQUE(oribi_register_op_), name)
#define REGISTER_SYSTEM_OP(name) REGISTER_OP(name)

#endif
