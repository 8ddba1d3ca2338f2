// SPDX-License-Identifier: Apache-2.0
// An op that uses a real Abseil beside the face: its hash table, clock, locks, texts and status.
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

#include "real_abseil.h"

#ifdef ORIBI_OWN_ABSL
#error "the face's own absl was taken, not the real one"
#endif

namespace tensorflow
{

REGISTER_OP("AbseilWords")
    .Input("x: int32")
    .Output("text: string")
    .SetShapeFn([](shape_inference::InferenceContext *c) {
        c->set_output(0, c->Scalar());
        return absl::OkStatus();
    });

static absl::StatusOr<std::string> Word(int32 i)
{
    static const auto *words = new absl::flat_hash_map<int32, std::string>{{1, "one"}, {2, "two"}};
    const auto it = words->find(i);
    if (it == words->end()) {
        return absl::NotFoundError(absl::StrCat("no word for ", i));
    }
    return it->second;
}

class AbseilWordsOp : public OpKernel
{
  public:
    using OpKernel::OpKernel;
    void Compute(OpKernelContext *ctx) override
    {
        const absl::MutexLock held(&mutex_);
        absl::Cord cord;
        OP_REQUIRES(ctx, absl::Now() > absl::UnixEpoch(), absl::InternalError("no clock"));
        for (int64 i = 0; i < ctx->input(0).NumElements(); i++) {
            const absl::StatusOr<std::string> word = Word(ctx->input(0).flat<int32>()(i));
            OP_REQUIRES_OK(ctx, word.status());
            cord.Append(strings::StrCat(*word, ";"));
        }
        Tensor *text = nullptr;
        OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &text));
        text->scalar<tstring>()() = std::string(cord);
    }

  private:
    absl::Mutex mutex_;
};
REGISTER_KERNEL_BUILDER(Name("AbseilWords").Device(DEVICE_CPU), AbseilWordsOp);

} // namespace tensorflow
