/* SPDX-License-Identifier: Apache-2.0 */
/* Ops whose kernels throw, hold objects by counted handles and in variants, and have threads of
 * their own. */
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_handle.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/variant.h"
#include "tsl/platform/errors.h"
#include "tsl/platform/threadpool.h"

using namespace tensorflow;

/* --- Exceptions ------------------------------------------------------------------------------ */

REGISTER_OP("WideThrow")
    .Input("x: int32")
    .Output("y: int32")
    .Attr("where: string")
    .SetShapeFn([](shape_inference::InferenceContext *c) -> Status {
        string where;
        TF_RETURN_IF_ERROR(c->GetAttr("where", &where));
        if (where == "shape") {
            throw std::runtime_error("shapes are thrown");
        }
        c->set_output(0, c->input(0));
        return Status();
    });
REGISTER_OP("WideThrowLater").Input("x: int32").Output("y: int32").Attr("where: string");

static void Throw(const string &where, OpKernelContext *ctx)
{
    if (where == "memory") {
        throw std::bad_alloc();
    } else if (where == "number") {
        throw 7;
    } else if (where == "loop") {
        ctx->device()->tensorflow_cpu_worker_threads()->workers->ParallelFor(
            64, 1 << 20, [](int64 begin, int64) {
                if (begin == 0) {
                    throw std::runtime_error("a loop is thrown");
                }
            });
    } else if (where == "compute") {
        throw std::runtime_error("computing is thrown");
    }
    ctx->set_output(0, ctx->input(0));
}

class WideThrow : public OpKernel
{
  public:
    explicit WideThrow(OpKernelConstruction *ctx) : OpKernel(ctx)
    {
        OP_REQUIRES_OK(ctx, ctx->GetAttr("where", &where_));
        if (where_ == "constructor") {
            throw std::runtime_error("a kernel is thrown");
        }
    }
    void Compute(OpKernelContext *ctx) override
    {
        Throw(where_, ctx);
    }

  private:
    string where_;
};
REGISTER_KERNEL_BUILDER(Name("WideThrow").Device(DEVICE_CPU), WideThrow);

class WideThrowLater : public AsyncOpKernel
{
  public:
    explicit WideThrowLater(OpKernelConstruction *ctx) : AsyncOpKernel(ctx)
    {
        OP_REQUIRES_OK(ctx, ctx->GetAttr("where", &where_));
    }
    void ComputeAsync(OpKernelContext *ctx, DoneCallback done) override
    {
        Throw(where_, ctx);
        done();
        if (where_ == "after done") {
            throw std::runtime_error("nobody waits for this");
        }
    }

  private:
    string where_;
};
REGISTER_KERNEL_BUILDER(Name("WideThrowLater").Device(DEVICE_CPU), WideThrowLater);

/* --- Handles that count ---------------------------------------------------------------------- */

static std::atomic<int> n_alive{0};

class Sum : public ResourceBase
{
  public:
    Sum()
    {
        n_alive++;
    }
    ~Sum() override
    {
        n_alive--;
    }
    int Add(int x)
    {
        return sum_ += x;
    }

  private:
    std::atomic<int> sum_{0};
};
class Other : public ResourceBase
{
};

REGISTER_OP("WideMake").Output("handle: resource").Attr("other: bool = false").SetIsStateful();
class WideMake : public OpKernel
{
  public:
    explicit WideMake(OpKernelConstruction *ctx) : OpKernel(ctx)
    {
        OP_REQUIRES_OK(ctx, ctx->GetAttr("other", &other_));
    }
    void Compute(OpKernelContext *ctx) override
    {
        Tensor *out = nullptr;
        OP_REQUIRES_OK(ctx, ctx->MatchSignature({}, {DT_RESOURCE}));
        OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &out));
        const string device = ctx->device()->name();
        out->scalar<ResourceHandle>()() =
            other_ ? ResourceHandle::MakeRefCountingHandle(new Other, device)
                   : ResourceHandle::MakeRefCountingHandle(new Sum, device, {}, ctx->stack_trace());
    }

  private:
    bool other_;
};
REGISTER_KERNEL_BUILDER(Name("WideMake").Device(DEVICE_CPU), WideMake);

REGISTER_OP("WideAdd")
    .Input("handle: resource")
    .Input("x: int32")
    .Output("sum: int32")
    .SetIsStateful();
class WideAdd : public OpKernel
{
  public:
    using OpKernel::OpKernel;
    void Compute(OpKernelContext *ctx) override
    {
        core::RefCountPtr<Sum> sum;
        Tensor *out = nullptr;
        OP_REQUIRES_OK(ctx, LookupResource(ctx, HandleFromInput(ctx, 0), &sum));
        OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &out));
        out->scalar<int32>()() = sum->Add(ctx->input(1).scalar<int32>()());
    }
};
REGISTER_KERNEL_BUILDER(Name("WideAdd").Device(DEVICE_CPU), WideAdd);

/* --- Variants -------------------------------------------------------------------------------- */

/* A value that is counted, whoever copies it. */
struct Box {
    explicit Box(int x) : value(x)
    {
        n_alive++;
    }
    Box(const Box &other) : value(other.value)
    {
        n_alive++;
    }
    ~Box()
    {
        n_alive--;
    }
    string TypeName() const
    {
        return "wider.Box";
    }
    void Encode(VariantTensorData *data) const
    {
        data->set_metadata(value);
    }
    bool Decode(const VariantTensorData &data)
    {
        return data.get_metadata(&value);
    }
    int value;
};

REGISTER_OP("WideBox").Input("x: int32").Output("box: variant").SetIsStateful();
class WideBox : public OpKernel
{
  public:
    using OpKernel::OpKernel;
    void Compute(OpKernelContext *ctx) override
    {
        Tensor *out = nullptr;
        OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({2}), &out));
        const Variant box = Box(ctx->input(0).scalar<int32>()());
        Variant copy = box, empty;
        VariantTensorData data;
        box.Encode(&data);
        copy.get<Box>()->value = -1;
        OP_REQUIRES(ctx, copy.Decode(data) && copy.get<Box>()->value == box.get<Box>()->value,
                    errors::Internal("a variant that is taken apart"));
        OP_REQUIRES(ctx,
                    empty.is_empty() && box.get<int>() == nullptr &&
                        box.TypeName() == "wider.Box" && data.type_name() == "wider.Box",
                    errors::Internal("what a variant says of itself"));
        out->vec<Variant>()(0) = box;
        out->vec<Variant>()(1) = Tensor(box.get<Box>()->value); /* one that holds a tensor */
    }
};
REGISTER_KERNEL_BUILDER(Name("WideBox").Device(DEVICE_CPU), WideBox);

REGISTER_OP("WideUnbox").Input("box: variant").Output("sum: int32").SetIsStateful();
class WideUnbox : public OpKernel
{
  public:
    using OpKernel::OpKernel;
    void Compute(OpKernelContext *ctx) override
    {
        Tensor *out = nullptr;
        OP_REQUIRES(ctx, ctx->input(0).NumElements() == 2, errors::InvalidArgument("no two"));
        const Box *box = ctx->input(0).vec<Variant>()(0).get<Box>();
        const Tensor *tensor = ctx->input(0).vec<Variant>()(1).get<Tensor>();
        OP_REQUIRES(ctx, box != nullptr && tensor != nullptr,
                    errors::InvalidArgument("the variants hold something else"));
        OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &out));
        out->scalar<int32>()() = box->value + tensor->scalar<int32>()();
    }
};
REGISTER_KERNEL_BUILDER(Name("WideUnbox").Device(DEVICE_CPU), WideUnbox);

/* How many objects there are. */
REGISTER_OP("WideAlive").Output("n: int32").SetIsStateful();
class WideAlive : public OpKernel
{
  public:
    using OpKernel::OpKernel;
    void Compute(OpKernelContext *ctx) override
    {
        Tensor *out = nullptr;
        OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &out));
        out->scalar<int32>()() = n_alive.load();
    }
};
REGISTER_KERNEL_BUILDER(Name("WideAlive").Device(DEVICE_CPU), WideAlive);

/* --- Threads of its own ---------------------------------------------------------------------- */

/* Waits until n have come; false when they have not after a while. */
class Meeting
{
  public:
    explicit Meeting(int n) : missing_(n)
    {
    }
    bool Come()
    {
        std::unique_lock<std::mutex> held(mutex_);
        missing_--;
        changed_.notify_all();
        return changed_.wait_for(held, std::chrono::seconds(20), [this] { return missing_ <= 0; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int missing_;
};

/* Three facts about a pool of three threads: all of them work on a loop at once, each with a number
 * of its own; blocks have the size that was asked for; a task runs on the thread that it prefers.
 */
REGISTER_OP("WideThreads").Output("facts: int32").SetIsStateful();
class WideThreads : public OpKernel
{
  public:
    using OpKernel::OpKernel;
    void Compute(OpKernelContext *ctx) override
    {
        Tensor *out = nullptr;
        OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({3}), &out));
        tsl::thread::ThreadPool pool(ctx->env(), "wide", 3);
        out->vec<int32>()(0) = WorkAtOnce(&pool);
        out->vec<int32>()(1) = KeepBlocks(&pool);
        out->vec<int32>()(2) = KeepHints(&pool);
    }

  private:
    static bool WorkAtOnce(thread::ThreadPool *pool)
    {
        std::mutex mutex;
        std::set<int> workers;
        Meeting meeting(3);
        bool all = true;
        pool->ParallelForWithWorkerId(3, 1, [&](int64, int64, int worker) {
            const bool met = meeting.Come();
            std::lock_guard<std::mutex> held(mutex);
            all = all && met;
            workers.insert(worker);
        });
        return all && workers.size() == 3;
    }
    static bool KeepBlocks(thread::ThreadPool *pool)
    {
        std::mutex mutex;
        std::set<int64> sizes;
        pool->TransformRangeConcurrently(4, 10, [&](int64 begin, int64 end) {
            std::lock_guard<std::mutex> held(mutex);
            sizes.insert(end - begin);
        });
        return sizes == std::set<int64>{4, 2};
    }
    static int RanOn(thread::ThreadPool *pool, int thread)
    {
        /* Shared: the task may still be at its last line when the wait is over. */
        auto ran_on = std::make_shared<std::promise<int>>();
        std::future<int> told = ran_on->get_future();
        pool->ScheduleWithHint([pool, ran_on] { ran_on->set_value(pool->CurrentThreadId()); },
                               thread, thread + 1);
        const bool came = told.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
        return came ? told.get() : -1;
    }
    /* A hint is kept where that thread is idle; on a busy machine it becomes so a little later.
     * Three threads that nobody chose would be right 30 times, at three attempts each, once in
     * 50,000. */
    static bool KeepHints(thread::ThreadPool *pool)
    {
        bool all = true;
        for (int i = 0; i < 30; i++) {
            bool kept = false;
            for (int attempt = 0; attempt < 3 && !kept; attempt++) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1 + 30 * attempt));
                kept = RanOn(pool, i % 3) == i % 3;
            }
            all = all && kept;
        }
        return all;
    }
};
REGISTER_KERNEL_BUILDER(Name("WideThreads").Device(DEVICE_CPU), WideThreads);
