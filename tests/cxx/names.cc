// SPDX-License-Identifier: Apache-2.0
// Names each include path and each name that the C++ face promises, as custom ops use them.
// Compiled only: by each compiler and standard, with Eigen, beside a real Abseil (names_test.py).
// That the names do what they should: face_test.c, session_test.c.
#if REAL_ABSEIL == 1 // before ours
#include "real_abseil.h"
#endif
#include <thread>

#include "tensorflow/cc/framework/gradients.h"
#include "tensorflow/core/framework/allocator.h"
#include "tensorflow/core/framework/attr_reader.h"
#include "tensorflow/core/framework/bfloat16.h"
#include "tensorflow/core/framework/bounds_check.h"
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/node_def_util.h"
#include "tensorflow/core/framework/numeric_types.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/partial_tensor_shape.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/resource_handle.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/resource_op_kernel.h"
#include "tensorflow/core/framework/selective_registration.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor.pb.h"
#include "tensorflow/core/framework/tensor_reference.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/tensor_slice.h"
#include "tensorflow/core/framework/tensor_types.h"
#include "tensorflow/core/framework/types.h"
#include "tensorflow/core/framework/types.pb.h"
#include "tensorflow/core/framework/variant.h"
#include "tensorflow/core/framework/variant_op_registry.h"
#include "tensorflow/core/kernels/fill_functor.h"
#include "tensorflow/core/kernels/lookup_table_op.h"
#include "tensorflow/core/kernels/training_op_helpers.h"
#include "tensorflow/core/lib/io/record_reader.h"
#include "tensorflow/core/lib/io/record_writer.h"
#include "tensorflow/core/util/batch_util.h"
#include "tensorflow/core/util/sparse/sparse_tensor.h"
#include "tensorflow/core/util/guarded_philox_random.h"
#include "tensorflow/core/util/util.h"
#include "tsl/platform/errors.h"
#include "xla/tsl/platform/statusor.h"
#include "tensorflow/core/kernels/bounds_check.h"
#include "tensorflow/core/lib/bfloat16/bfloat16.h"
#include "tensorflow/core/lib/core/bits.h"
#include "tensorflow/core/lib/core/blocking_counter.h"
#include "tensorflow/core/lib/core/errors.h"
#include "tensorflow/core/lib/core/notification.h"
#include "tensorflow/core/lib/core/refcount.h"
#include "tensorflow/core/lib/core/status.h"
#include "tensorflow/core/lib/core/stringpiece.h"
#include "tensorflow/core/lib/core/threadpool.h"
#include "tensorflow/core/lib/gtl/array_slice.h"
#include "tensorflow/core/lib/gtl/inlined_vector.h"
#include "tensorflow/core/lib/gtl/optional.h"
#include "tensorflow/core/lib/hash/hash.h"
#include "tensorflow/core/lib/io/path.h"
#include "tensorflow/core/lib/strings/numbers.h"
#include "tensorflow/core/lib/strings/str_util.h"
#include "tensorflow/core/lib/strings/strcat.h"
#include "tensorflow/core/lib/strings/stringprintf.h"
#include "tensorflow/core/platform/byte_order.h"
#include "tensorflow/core/platform/default/logging.h"
#include "tensorflow/core/platform/env.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/platform/logging.h"
#include "tensorflow/core/platform/macros.h"
#include "tensorflow/core/platform/mutex.h"
#include "tensorflow/core/platform/status.h"
#include "tensorflow/core/platform/statusor.h"
#include "tensorflow/core/platform/thread_annotations.h"
#include "tensorflow/core/platform/tstring.h"
#include "tensorflow/core/platform/types.h"
#include "tensorflow/core/public/version.h"
#include "tensorflow/core/util/padding.h"
#include "tensorflow/core/util/tensor_format.h"
#include "tensorflow/core/util/work_sharder.h"
#include "tensorflow/stream_executor/lib/statusor.h"
#if !defined(ORIBI_NO_EIGEN) ||                                                                    \
    defined(NAMES_EIGEN) // sources name it whether or not views are of it
#include "third_party/eigen3/unsupported/Eigen/CXX11/Tensor"
#endif
#if REAL_ABSEIL == 2 // after ours
#include "real_abseil.h"
#endif
#include "absl/base/attributes.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"

namespace tensorflow
{

using shape_inference::DimensionHandle;
using shape_inference::DimensionOrConstant;
using shape_inference::InferenceContext;
using shape_inference::ShapeAndType;
using shape_inference::ShapeHandle;

static Status Shapes(InferenceContext *c)
{
    ShapeHandle s = c->input(0), t;
    DimensionHandle d, e;
    std::vector<ShapeHandle> list;
    TF_RETURN_IF_ERROR(c->input("xs", &list));
    TF_RETURN_IF_ERROR(c->WithRank(s, 2, &s));
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(s, 1, &s));
    TF_RETURN_IF_ERROR(c->WithRankAtMost(s, 3, &s));
    TF_RETURN_IF_ERROR(c->WithValue(c->Dim(s, 0), 3, &d));
    TF_RETURN_IF_ERROR(c->Merge(s, t, &t));
    TF_RETURN_IF_ERROR(c->Merge(d, e, &e));
    TF_RETURN_IF_ERROR(c->MergePrefix(s, t, &s, &t));
    TF_RETURN_IF_ERROR(c->Subshape(s, 1, &t));
    TF_RETURN_IF_ERROR(c->Subshape(s, 0, -1, &t));
    TF_RETURN_IF_ERROR(c->Subshape(s, 0, -1, 2, &t));
    TF_RETURN_IF_ERROR(c->Concatenate(s, t, &t));
    TF_RETURN_IF_ERROR(c->ReplaceDim(s, 0, d, &t));
    TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &t));
    TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensorTreatScalarAsUnknownShape(0, &t));
    TF_RETURN_IF_ERROR(c->MakeShapeFromTensor(c->input_tensor(0), s, &t));
    TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(PartialTensorShape({1, -1}), &t));
    TF_RETURN_IF_ERROR(c->MakeShapeFromTensorShape(TensorShape({1}), &t));
    TF_RETURN_IF_ERROR(c->MakeDimForScalarInput(0, &d));
    TF_RETURN_IF_ERROR(c->MakeDimForScalarInputWithNegativeIndexing(0, 3, &d));
    TF_RETURN_IF_ERROR(c->Divide(d, 2, true, &d));
    TF_RETURN_IF_ERROR(c->Add(d, 1, &d));
    TF_RETURN_IF_ERROR(c->Subtract(d, e, &d));
    TF_RETURN_IF_ERROR(c->Multiply(d, e, &d));
    TF_RETURN_IF_ERROR(c->Min(d, 7, &d));
    TF_RETURN_IF_ERROR(c->Max(d, 7, &d));
    int64 n = 0;
    if (const Tensor *value = c->input_tensor(1)) {
        TF_RETURN_IF_ERROR(c->GetScalarFromTensor(value, &n));
    }
    float f = 0;
    TF_RETURN_IF_ERROR(c->GetAttr("f", &f));
    if (!c->RankKnown(s) || !c->FullyDefined(s) || !c->ValueKnown(d) || c->Rank(s) != 2 ||
        c->Value(c->DimKnownRank(s, 0)) == InferenceContext::kUnknownDim ||
        c->Value(c->NumElements(s)) < n || s.SameHandle(t)) {
        return errors::InvalidArgument(c->DebugString(s), c->DebugString(d), c->DebugString());
    }
    if (c->input_handle_shapes_and_types(0) == nullptr) {
        const std::vector<ShapeAndType> parts = {{s, DT_FLOAT}};
        c->set_output_handle_shapes_and_types(0, parts);
        n += c->output_handle_shapes_and_types(0) != nullptr;
        n += c->MergeInputHandleShapesAndTypes(0, parts);
        n += c->MergeOutputHandleShapesAndTypes(0, parts);
        n += c->RelaxInputHandleShapesAndMergeTypes(0, parts);
        n += c->RelaxOutputHandleShapesAndMergeTypes(0, parts);
    }
    for (int i = 0; i < c->num_inputs() && i < c->num_outputs(); i++) {
        c->set_output(i, c->MakeShape({d, c->MakeDim(3), c->UnknownDim(), n}));
    }
    c->set_output(0, c->UnknownShape());
    c->set_output(0, c->UnknownShapeOfRank(3));
    c->set_output(0, c->Scalar());
    c->set_output(0, c->Vector(n));
    c->set_output(0, c->Matrix(d, InferenceContext::kUnknownDim));
    TF_RETURN_IF_ERROR(c->output("ys", &list));
    return c->set_output("ys", list);
}

REGISTER_OP("NamesAll")
    .Attr("T: {float, double, int32} = DT_FLOAT")
    .Attr("N: int >= 1")
    .Attr("f: float = 1.0")
    .Input("xs: N * T")
    .Input("k: int32")
    .Output("ys: N * T")
    .SetShapeFn(Shapes)
    .Doc(R"doc(
Names everything.
)doc");
REGISTER_OP("NamesStateful")
    .Output("y: resource")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape);
REGISTER_OP("NamesTwo")
    .Input("x: float")
    .Output("y: float")
    .SetIsCommutative()
    .SetIsAggregate()
    .SetAllowsUninitializedInput()
    .Deprecated(7, "use NamesAll")
    .SetShapeFn([](InferenceContext *c) { return shape_inference::UnchangedShape(c); });

static Status Errors(int which)
{
    switch (which) {
    case 0:
        return errors::InvalidArgument("a", 1, 2.5f, string("b"), StringPiece("c"), tstring("d"));
    case 1:
        return errors::NotFound(TensorShape({1}), DT_FLOAT);
    case 2:
        return errors::OutOfRange("x");
    case 3:
        return errors::Unimplemented("x");
    case 4:
        return errors::Internal("x");
    case 5:
        return errors::FailedPrecondition("x");
    case 6:
        return errors::AlreadyExists("x");
    case 7:
        return errors::ResourceExhausted("x");
    case 8:
        return errors::Aborted("x");
    case 9:
        return errors::Cancelled("x");
    case 10:
        return errors::DeadlineExceeded("x");
    case 11:
        return errors::PermissionDenied("x");
    case 12:
        return errors::Unavailable("x");
    case 13:
        return errors::DataLoss("x");
    case 14:
        return errors::Unknown("x");
    case 15:
        return errors::Unauthenticated("x");
    case 16:
        return Status(error::INVALID_ARGUMENT, "x");
    case 17:
        return absl::InvalidArgumentError(absl::StrCat("x", 1));
    default:
        return OkStatus();
    }
}

static bool Texts()
{
    tstring t("abc");
    t.append("d");
    string s = strings::StrCat(t, 1, 2.5, "x", StringPiece("y"));
    strings::StrAppend(&s, t, ";");
    s += strings::Printf("%d %s", 3, "z") + str_util::Join(std::vector<int>{1, 2}, ",");
    int32 i = 0;
    float f = 0;
    const auto parts = absl::StrSplit(s, ',');
    std::vector<std::string> words(parts.begin(), parts.end());
    absl::flat_hash_map<std::string, int> counts;
    absl::flat_hash_set<int> seen = {1};
    absl::InlinedVector<int, 4> few = {1, 2};
    absl::optional<int> maybe = 3;
    absl::Span<const int> span(few.data(), few.size());
    counts[absl::StrJoin(words, "-")] = *maybe;
    for (const auto &word : str_util::Split(s, ',')) {
        counts[word]++;
    }
    auto owned = absl::make_unique<string>(absl::StrFormat("%d %s", 1, "a"));
    absl::string_view view = *owned;
    return strings::safe_strto32("12", &i) && strings::safe_strtof("1.5", &f) &&
           absl::StartsWith(view, "1") && absl::StrContains(view, "a") &&
           absl::ConsumePrefix(&view, "1") && absl::SimpleAtoi("3", &i) && seen.count(1) == 1 &&
           str_util::StartsWith(s, "abc") && str_util::EndsWith(s, ",2") && span.size() == 2 &&
           !absl::StripAsciiWhitespace(view).empty() && Hash64(s) != 0 && t.size() == 4 &&
           absl::StrReplaceAll(view, {{"a", "b"}}) == "b" && io::JoinPath("a", "b") == "a/b";
}

static void Logs(int n)
{
    LOG(INFO) << "n " << n;
    LOG(WARNING) << TensorShape({n});
    LOG_IF(ERROR, n > 3) << "many";
    LOG_FIRST_N(INFO, 1) << "once";
    VLOG(1) << "detail";
    CHECK(n >= 0) << "n is " << n;
    CHECK_EQ(n, n);
    CHECK_NE(n, n + 1);
    CHECK_LT(n, n + 1);
    CHECK_LE(n, n);
    CHECK_GT(n + 1, n);
    CHECK_GE(n, n);
    CHECK_NOTNULL(&n);
    DCHECK(n >= 0);
    DCHECK_EQ(n, n);
    TF_CHECK_OK(Errors(99));
}

static bool ShapesOfTensors(const TensorShape &shape)
{
    TensorShape other, made;
    other.AddDim(3);
    other.InsertDim(0, 2);
    other.set_dim(0, 4);
    other.AppendShape(shape);
    other.RemoveDim(0);
    for (const auto dim : other) {
        other.set_dim(0, dim.size);
    }
    const PartialTensorShape partial({-1, 2});
    const std::vector<int64> dims = {1, 2};
    return TensorShapeUtils::IsScalar(shape) || TensorShapeUtils::IsVector(shape) ||
           TensorShapeUtils::IsMatrix(shape) || TensorShapeUtils::IsVectorOrHigher(shape) ||
           TensorShapeUtils::IsMatrixOrHigher(shape) || TensorShapeUtils::IsSquareMatrix(shape) ||
           TensorShapeUtils::StartsWith(shape, other) || TensorShapeUtils::EndsWith(shape, other) ||
           TensorShapeUtils::MakeShape(dims.data(), dims.size(), &made).ok() ||
           partial.IsCompatibleWith(shape) || partial.IsFullyDefined() ||
           partial.AsTensorShape(&made) || shape == other || shape.num_elements() == 1 ||
           !TensorShapeUtils::ShapeListString({shape}).empty() || shape.dims() == 1;
}

template <typename T> class AllOp : public OpKernel
{
  public:
    explicit AllOp(OpKernelConstruction *ctx) : OpKernel(ctx)
    {
        OP_REQUIRES_OK(ctx, ctx->GetAttr("f", &f_));
        OP_REQUIRES(ctx, f_ > 0 && ctx->HasAttr("f"), errors::InvalidArgument("f"));
        OP_REQUIRES_OK(ctx, GetNodeAttr(ctx->def(), "f", &f_));
        OP_REQUIRES_OK(ctx, ctx->MatchSignature({DT_FLOAT, DT_INT32}, {DT_FLOAT}));
    }
    void Compute(OpKernelContext *ctx) override
    {
        OpInputList in;
        OpOutputList out;
        OP_REQUIRES_OK(ctx, ctx->input_list("xs", &in));
        OP_REQUIRES_OK(ctx, ctx->output_list("ys", &out));
        const Tensor *k = nullptr;
        OP_REQUIRES_OK(ctx, ctx->input("k", &k));
        Tensor temp, *y = nullptr;
        OP_REQUIRES_OK(ctx, ctx->allocate_temp(DataTypeToEnum<T>::value, in[0].shape(), &temp));
        OP_REQUIRES_OK(ctx, out.allocate(0, in[0].shape(), &y));
        OP_REQUIRES_OK(ctx, ctx->allocate_output("ys", in[0].shape(), &y));
        OP_REQUIRES_OK(ctx,
                       ctx->forward_input_or_allocate_output({0}, 0, ctx->input(0).shape(), &y));
        const Tensor &x = ctx->input(0);
        typename TTypes<T>::ConstFlat from = x.flat<T>();
        typename TTypes<T>::Flat to = y->flat<T>();
        typename TTypes<T>::ConstMatrix matrix = x.matrix<T>();
        typename TTypes<T, 3>::ConstTensor cube = x.tensor<T, 3>();
        typename TTypes<T>::ConstVec vec = x.vec<T>();
        typename TTypes<T>::Scalar one = y->scalar<T>();
        typename TTypes<T, 2>::Tensor shaped = y->shaped<T, 2>({1, x.NumElements()});
        typename TTypes<T, 2>::ConstTensor inner = x.flat_inner_dims<T, 2>();
        one() = matrix(0, 0) + cube(0, 0, 0) + vec(0) + shaped(0, 0) + inner(0, 0) +
                x.flat_outer_dims<T>()(0, 0);
        const auto *threads = ctx->device()->tensorflow_cpu_worker_threads();
        Shard(threads->num_threads, threads->workers, from.size(), 100, [&](int64 a, int64 b) {
            for (int64 i = a; i < b; i++) {
                to(i) = from(i);
            }
        });
        threads->workers->ParallelFor(from.size(), 100, [&](int64, int64) {});
#ifdef ORIBI_HAS_EIGEN
        to.device(ctx->eigen_device<Eigen::ThreadPoolDevice>()) = from * from.constant(T(2));
#endif
        mutex_lock held(mutex_);
        condition_.notify_all();
        ctx->set_output(0, temp.Slice(0, 1));
        ctx->SetStatus(Errors(k->scalar<int32>()()));
        Logs(static_cast<int>(ctx->num_inputs() + x.dims() + x.dim_size(0) + x.TotalBytes()));
        OP_REQUIRES(ctx, Texts() && ShapesOfTensors(x.shape()), errors::Internal("texts"));
        OP_REQUIRES(ctx, !ctx->cancellation_manager()->IsCancelled(), errors::Cancelled("run"));
    }

  private:
    float f_ = 0;
    mutex mutex_;
    condition_variable condition_;
    int64 count_ TF_GUARDED_BY(mutex_) = 0;
};
#define REGISTER_ALL(T)                                                                            \
    REGISTER_KERNEL_BUILDER(Name("NamesAll")                                                       \
                                .Device(DEVICE_CPU)                                                \
                                .TypeConstraint<T>("T")                                            \
                                .HostMemory("k")                                                   \
                                .Label("")                                                         \
                                .Priority(1),                                                      \
                            AllOp<T>)
TF_CALL_float(REGISTER_ALL);
TF_CALL_double(REGISTER_ALL);
TF_CALL_int32(REGISTER_ALL);
#undef REGISTER_ALL

template <typename T> struct Listed {
    static constexpr DataType value = DataTypeToEnum<T>::value;
};
#define LISTED(T) static_assert(Listed<T>::value != DT_INVALID, #T);
TF_CALL_POD_TYPES(LISTED)
TF_CALL_NUMBER_TYPES(LISTED)
TF_CALL_REAL_NUMBER_TYPES(LISTED)
TF_CALL_INTEGRAL_TYPES(LISTED)
TF_CALL_FLOAT_TYPES(LISTED)
TF_CALL_COMPLEX_TYPES(LISTED)
TF_CALL_POD_STRING_TYPES(LISTED)
TF_CALL_QUANTIZED_TYPES(LISTED)
TF_CALL_GPU_NUMBER_TYPES(LISTED)
TF_CALL_tstring(LISTED);
TF_CALL_half(LISTED);
TF_CALL_bfloat16(LISTED);
#undef LISTED

class Kept : public ResourceBase
{
  public:
    string DebugString() const override
    {
        return "kept";
    }
};
class KeptOp : public ResourceOpKernel<Kept>
{
  public:
    using ResourceOpKernel<Kept>::ResourceOpKernel;

  private:
    Status CreateResource(Kept **out) override
    {
        *out = new Kept;
        return OkStatus();
    }
};
REGISTER_KERNEL_BUILDER(Name("NamesStateful").Device(DEVICE_CPU), KeptOp);

static Status Resources(OpKernelContext *ctx)
{
    ResourceMgr *all = ctx->resource_manager();
    Kept *kept = nullptr;
    TF_RETURN_IF_ERROR(all->Create<Kept>("box", "name", new Kept));
    TF_RETURN_IF_ERROR(all->Lookup<Kept>("box", "name", &kept));
    core::ScopedUnref unref(kept);
    TF_RETURN_IF_ERROR(all->Delete<Kept>("box", "name"));
    const ResourceHandle handle = MakeResourceHandle<Kept>(ctx, "box", "name");
    TF_RETURN_IF_ERROR(CreateResource(ctx, handle, new Kept));
    core::RefCountPtr<Kept> again;
    TF_RETURN_IF_ERROR(LookupResource(ctx, HandleFromInput(ctx, 0), &again));
    TF_RETURN_IF_ERROR(DeleteResource<Kept>(ctx, handle));
    return all->Cleanup("box");
}

class LaterOp : public AsyncOpKernel
{
  public:
    using AsyncOpKernel::AsyncOpKernel;
    void ComputeAsync(OpKernelContext *ctx, DoneCallback done) override
    {
        OP_REQUIRES_ASYNC(ctx, ctx->num_inputs() == 1, errors::Internal("one"), done);
        OP_REQUIRES_OK_ASYNC(ctx, Resources(ctx), done);
        done();
    }
};
REGISTER_KERNEL_BUILDER(Name("NamesTwo").Device(DEVICE_CPU), LaterOp);

} // namespace tensorflow
