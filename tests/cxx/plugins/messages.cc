/* SPDX-License-Identifier: Apache-2.0 */
/* Ops that take tensors and functions as messages, and variables of whoever they are. MessageChecks
 * says in words which of its checks fail: "" is none. */
#include "tensorflow/cc/framework/grad_op_registry.h"
#include "tensorflow/core/framework/attr_value.pb.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/tensor.pb.h"
#include "tensorflow/core/framework/tensor_slice.h"
#include "tensorflow/core/framework/variant_op_registry.h"
#include "tensorflow/core/kernels/training_op_helpers.h"
#include "tensorflow/core/platform/stream_executor.h"
#include "tensorflow/core/util/mirror_pad_mode.h"
#include "tensorflow/core/util/padding.h"
#include "tensorflow/core/util/ptr_util.h"

using namespace tensorflow;

namespace
{

struct Count {
    int32 n = 0;
    string TypeName() const
    {
        return "messages::Count";
    }
    void Encode(VariantTensorData *data) const
    {
        data->set_metadata(n);
    }
    bool Decode(const VariantTensorData &data)
    {
        return data.get_metadata(&n);
    }
};
Status CountZeros(OpKernelContext *, const Count &, Count *out)
{
    out->n = 0;
    return Status();
}
Status CountSum(OpKernelContext *, const Count &a, const Count &b, Count *out)
{
    out->n = a.n + b.n;
    return a.n < 0 ? errors::InvalidArgument("below 0") : Status();
}
Status CountCopy(const Count &from, Count *to,
                 const UnaryVariantOpRegistry::AsyncTensorDeviceCopyFn &)
{
    *to = from;
    return Status();
}
struct Other {
    int32 n = 0;
};
struct CpuDevice {
};

} // namespace

REGISTER_UNARY_VARIANT_DECODE_FUNCTION(Count, "messages::Count");
REGISTER_UNARY_VARIANT_UNARY_OP_FUNCTION(ZEROS_LIKE_VARIANT_UNARY_OP, DEVICE_CPU, Count,
                                         CountZeros);
REGISTER_UNARY_VARIANT_BINARY_OP_FUNCTION(ADD_VARIANT_BINARY_OP, DEVICE_CPU, Count, CountSum);
INTERNAL_REGISTER_UNARY_VARIANT_DEVICE_COPY_FUNCTION(Count, HOST_TO_DEVICE, CountCopy);

REGISTER_OP("MessageChecks")
    .Attr("t: tensor")
    .Attr("f: func")
    .Attr(GetPaddingAttrString() + " = 'VALID'")
    .Attr(GetMirrorPadModeAttrString() + " = 'SYMMETRIC'")
    .Output("failed: string")
    .SetShapeFn([](shape_inference::InferenceContext *c) {
        Padding padding = SAME;
        TF_RETURN_IF_ERROR(c->GetAttr("padding", &padding));
        c->set_output(0, padding == VALID ? c->Scalar() : c->UnknownShape());
        return Status();
    });
REGISTER_NO_GRADIENT_OP("MessageChecks");

class MessageChecks : public OpKernel
{
  public:
    explicit MessageChecks(OpKernelConstruction *ctx) : OpKernel(ctx)
    {
        OP_REQUIRES_OK(ctx, ctx->GetAttr("t", &proto_));
        OP_REQUIRES_OK(ctx, ctx->GetAttr("f", &function_));
        OP_REQUIRES_OK(ctx, GetNodeAttr(ctx->def(), "t", &from_def_));
        OP_REQUIRES_OK(ctx, ctx->GetAttr("padding", &padding_));
        OP_REQUIRES_OK(ctx, ctx->GetAttr("mode", &mode_));
        OP_REQUIRES(ctx, padding_ == VALID && mode_ == MirrorPadMode::SYMMETRIC,
                    errors::Internal("another padding"));
    }
    void Compute(OpKernelContext *ctx) override
    {
        Tensor *out = nullptr;
        failed_.clear();
        CheckAttrs();
        CheckTypes();
        CheckLists();
        CheckBad();
        CheckText();
        CheckVariants(ctx);
        CheckSlices();
        OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &out));
        out->scalar<tstring>()() = failed_;
    }

  private:
    void Expect(bool holds, const char *what)
    {
        failed_ += holds ? "" : string(what) + "; ";
    }
    static TensorProto Message(DataType type, int64 n)
    {
        TensorProto proto;
        proto.set_dtype(type);
        proto.mutable_tensor_shape()->add_dim()->set_size(n);
        return proto;
    }
    void CheckAttrs()
    {
        Tensor tensor;
        Expect(tensor.FromProto(proto_) && tensor.dtype() == DT_FLOAT && tensor.dims() == 1 &&
                   tensor.dim_size(0) == 2 && tensor.vec<float>()(1) == -2.5f &&
                   from_def_.vec<float>()(0) == 1.5f,
               "an attribute that is a tensor");
        const auto &attrs = function_.attr();
        const auto found = attrs.find("k");
        Expect(function_.name() == "body" && attrs.size() == 2 && found != attrs.end() &&
                   found->second.i() == -7,
               "attributes of a function");
        const auto inner = attrs.find("g");
        Expect(inner != attrs.end() && inner->second.func().name() == "inner" &&
                   inner->second.func().attr().at("b").b(),
               "a function in a function");
        NameAttrList copy = function_;
        (*copy.mutable_attr())["new"] = AttrValue();
        Expect(copy.attr().size() == 3 && function_.attr().size() == 2, "a copy that is changed");
        string nested;
        for (int i = 0; i < 60; i++) { /* k { g: { k { g: ... } } } */
            const auto wrap = [](int field, const string &bytes) {
                string out(1, static_cast<char>(field << 3 | 2));
                for (size_t n = bytes.size(); out.size() == 1 || n > 0; n >>= 7) {
                    out.push_back(static_cast<char>((n & 127) | (n > 127 ? 128 : 0)));
                }
                return out + bytes;
            };
            nested = wrap(2, wrap(1, "g") + wrap(2, wrap(10, nested)));
        }
        Expect(!copy.ParseFromString(nested), "a function in too many functions");
    }
    template <typename T> void CheckType(std::initializer_list<T> values)
    {
        Tensor tensor(DataTypeToEnum<T>::v(), TensorShape({static_cast<int64>(values.size())}));
        std::copy(values.begin(), values.end(), tensor.vec<T>().data());
        for (int content = 0; content < 2; content++) {
            TensorProto proto, read;
            Tensor back;
            content ? tensor.AsProtoTensorContent(&proto) : tensor.AsProtoField(&proto);
            Expect(proto.tensor_content().empty() == (content == 0), "where the elements are");
            Expect(read.ParseFromString(proto.SerializeAsString()) && back.FromProto(read) &&
                       back.dtype() == tensor.dtype() && back.shape() == tensor.shape() &&
                       back.tensor_data() == tensor.tensor_data(),
                   DataTypeString(tensor.dtype()).c_str());
        }
    }
    void CheckTypes()
    {
        CheckType<float>({1.5f, -0.0f, 3e38f});
        CheckType<double>({1.5, -1e300});
        CheckType<int8>({-128, 127, 0});
        CheckType<uint8>({0, 255});
        CheckType<int16>({-32768, 32767});
        CheckType<uint16>({0, 65535});
        CheckType<int32>({-2147483647 - 1, 2147483647});
        CheckType<uint32>({0, 4294967295u});
        CheckType<int64>({kint64min, kint64max, -1});
        CheckType<uint64>({0, ~uint64{0}});
        CheckType<bool>({true, false, true});
        CheckType<complex64>({complex64(1, -2), complex64(3, 4)});
        CheckType<complex128>({complex128(1, -2), complex128(3, 4)});
        CheckType<half>({half(1.5f), half(-2.0f)});
        CheckType<bfloat16>({bfloat16(1.5f), bfloat16(-2.0f)});
    }
    void CheckLists()
    {
        TensorProto proto = Message(DT_FLOAT, 4);
        Tensor tensor;
        Expect(tensor.FromProto(proto) && tensor.vec<float>()(3) == 0, "no element is zero");
        proto.add_float_val(2);
        proto.add_float_val(5);
        Expect(tensor.FromProto(proto) && tensor.vec<float>()(0) == 2 &&
                   tensor.vec<float>()(3) == 5,
               "the last element stands for the rest");
        TensorProto pairs = Message(DT_COMPLEX64, 3);
        for (int i = 1; i < 5; i++) {
            pairs.add_scomplex_val(static_cast<float>(i));
        }
        Expect(tensor.FromProto(pairs) && tensor.vec<complex64>()(2) == complex64(3, 4),
               "pairs of numbers");
    }
    void CheckBad()
    {
        Tensor tensor(int32{7});
        TensorProto proto = Message(DT_FLOAT, 2);
        proto.set_tensor_content(string(7, 'x'));
        Expect(!tensor.FromProto(proto), "content of another size");
        Expect(!tensor.FromProto(Message(DT_FLOAT, -1)), "an unknown size");
        Expect(!tensor.FromProto(Message(DT_FLOAT, int64{1} << 62)), "a size without memory");
        Expect(!tensor.FromProto(Message(DT_INVALID, 1)), "no type");
        Expect(!tensor.FromProto(Message(static_cast<DataType>(977), 1)), "a type of nobody");
        Expect(!tensor.FromProto(Message(DT_RESOURCE, 1)), "a handle");
        proto.mutable_tensor_shape()->set_unknown_rank(true);
        Expect(!tensor.FromProto(proto) && !TensorShape::IsValid(proto.tensor_shape()),
               "an unknown rank");
        Expect(tensor.scalar<int32>()() == 7, "a failure that changes nothing");
        const string bytes = Message(DT_FLOAT, 1000).SerializeAsString();
        Expect(!proto.ParseFromString(StringPiece(bytes).substr(0, bytes.size() - 1)),
               "a message cut short");
        Expect(!proto.ParseFromString("\x2a\x03"
                                      "abc"),
               "three bytes of a float");
    }
    void CheckText()
    {
        TensorProto proto, read;
        Tensor tensor(DT_STRING, TensorShape({2})), back;
        tensor.vec<tstring>()(0) = "a text that is too long to stand in the element itself";
        tensor.AsProtoField(&proto);
        Expect(read.ParseFromString(proto.SerializeAsString()) && back.FromProto(read) &&
                   back.vec<tstring>()(0) == tensor.vec<tstring>()(0) &&
                   back.vec<tstring>()(1).empty(),
               "text");
        TensorProto packed = Message(DT_STRING, 2);
        packed.set_tensor_content("\x02\x01"
                                  "abc");
        Expect(back.FromProto(packed) && back.vec<tstring>()(0) == "ab" &&
                   back.vec<tstring>()(1) == "c",
               "text as content");
        packed.set_tensor_content("\x02\x03"
                                  "abc");
        Expect(!back.FromProto(packed), "text that is longer than the content");
    }
    void CheckVariants(OpKernelContext *ctx)
    {
        Variant count = Count{5}, sum, zero;
        VariantTensorData data;
        count.Encode(&data);
        Variant decoded = data;
        Expect(data.type_name() == "messages::Count" && DecodeUnaryVariant(&decoded) &&
                   decoded.get<Count>() != nullptr && decoded.get<Count>()->n == 5,
               "a variant by its registered name");
        data.set_type_name("nobody's");
        Variant unknown = data, plain = Other();
        Expect(!DecodeUnaryVariant(&unknown) && !DecodeUnaryVariant(&plain), "a name of nobody");
        Expect(BinaryOpVariants<CpuDevice>(ctx, ADD_VARIANT_BINARY_OP, count, decoded, &sum).ok() &&
                   sum.get<Count>()->n == 10 &&
                   UnaryOpVariant<CpuDevice>(ctx, ZEROS_LIKE_VARIANT_UNARY_OP, sum, &zero).ok() &&
                   zero.get<Count>()->n == 0,
               "a sum of variants");
        Expect(!BinaryOpVariants<CpuDevice>(ctx, ADD_VARIANT_BINARY_OP, count, plain, &sum).ok() &&
                   !UnaryOpVariant<CpuDevice>(ctx, CONJ_VARIANT_UNARY_OP, sum, &zero).ok() &&
                   !BinaryOpVariants<CpuDevice>(ctx, ADD_VARIANT_BINARY_OP, Count{-1}, count, &sum)
                        .ok() &&
                   sum.get<Count>()->n == 10,
               "variants that have no sum");
        Expect(VariantDeviceCopy(HOST_TO_DEVICE, sum, &zero, nullptr).ok() &&
                   zero.get<Count>()->n == 10,
               "a copy for a device");
        ops::GradFunc gradient = nullptr;
        Expect(ops::GradOpRegistry::Global()->Lookup("MessageChecks", &gradient).ok() &&
                   gradient == nullptr &&
                   !ops::GradOpRegistry::Global()->Lookup("Nobody's", &gradient).ok(),
               "an op without a gradient");
    }
    void CheckSlices()
    {
        TensorSlice a, b, both;
        TensorShape shape;
        Expect(TensorSlice::Parse("-:1,4", &a).ok() && TensorSlice::Parse("2,3:3,9", &b).ok() &&
                   a.Intersect(b, &both) && both.DebugString() == "2,3:3,2" && !a.IsFull() &&
                   TensorSlice(2).IsFull(),
               "parts that meet");
        Expect(a.SliceTensorShape(TensorShape({7, 5}), &shape).ok() &&
                   shape == TensorShape({7, 4}) &&
                   !a.SliceTensorShape(TensorShape({7, 4}), &shape).ok() &&
                   !a.SliceTensorShape(TensorShape({7}), &shape).ok() &&
                   !TensorSlice::Parse("1,x", &a).ok() && !TensorSlice::Parse("-1,2", &a).ok() &&
                   !a.Overlaps({{0, 1}, {5, 9}}),
               "parts that there are not");
        Expect(*WrapUnique(MakeUnique<int>(3).release()) == 3, "an object of its own");
        Expect(std::is_same<se::port::StatusOr<int>, StatusOr<int>>::value, "names of streams");
    }
    TensorProto proto_;
    NameAttrList function_;
    Tensor from_def_;
    Padding padding_ = SAME;
    MirrorPadMode mode_ = MirrorPadMode::REFLECT;
    string failed_;
};
REGISTER_KERNEL_BUILDER(Name("MessageChecks").Device(DEVICE_CPU), MessageChecks);

/* A variable that is the plugin's own. */
REGISTER_OP("MessageVar").Output("handle: resource").SetIsStateful();
class MessageVar : public OpKernel
{
  public:
    using OpKernel::OpKernel;
    void Compute(OpKernelContext *ctx) override
    {
        Tensor *out = nullptr;
        OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &out));
        out->scalar<ResourceHandle>()() =
            ResourceHandle::MakeRefCountingHandle(new Var(DT_FLOAT), "CPU");
    }
};
REGISTER_KERNEL_BUILDER(Name("MessageVar").Device(DEVICE_CPU), MessageVar);

/* Sets the variable to x, and changes it three times; y is what each reader saw, at the end. */
REGISTER_OP("MessageStep")
    .Input("handle: resource")
    .Input("x: float")
    .Output("y: float")
    .Attr("sparse: bool = false")
    .SetIsStateful();
class MessageStep : public OpKernel
{
  public:
    explicit MessageStep(OpKernelConstruction *ctx) : OpKernel(ctx)
    {
        OP_REQUIRES_OK(ctx, ctx->GetAttr("sparse", &sparse_));
    }
    void Compute(OpKernelContext *ctx) override
    {
        Tensor seen[3], *y = nullptr;
        OpMutableInputList references;
        OP_REQUIRES(ctx,
                    errors::IsFailedPrecondition(ctx->mutable_input_list("x", &references)) &&
                        references.size() == 0,
                    errors::Internal("x is no reference"));
        OP_REQUIRES_OK(ctx, Assign(ctx));
        for (int i = 0; i < 3; i++) {
            const bool lock = i == 1;
            auto locks =
                MaybeLockVariableInputMutexesInOrder<CpuDevice, float>(ctx, lock, sparse_, {0, 0});
            OP_REQUIRES_OK(ctx, (GetInputTensorFromVariable<CpuDevice, float>(ctx, 0, lock, sparse_,
                                                                              &seen[i])));
            seen[i].scalar<float>()() += 1;
        }
        MaybeForwardRefInputToRefOutput(ctx, 0, 0);
        OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({3}), &y));
        for (int i = 0; i < 3; i++) {
            y->vec<float>()(i) = seen[i].scalar<float>()();
        }
    }

  private:
    static Status Assign(OpKernelContext *ctx)
    {
        Var *var = nullptr;
        mutex *own = GetTrainingVariableMutex<CpuDevice, float>(ctx, 0, false, &var);
        if (own != nullptr) {
            mutex_lock lock(*own);
            *var->tensor() = tensor::DeepCopy(ctx->input(1));
            var->Unref();
            return Status();
        }
        CStatus status;
        TF_AssignVariable(ctx->c_context(), 0, 1, false, nullptr, status);
        return status.ToStatus();
    }
    bool sparse_ = false;
};
REGISTER_KERNEL_BUILDER(Name("MessageStep").Device(DEVICE_CPU), MessageStep);
