/* SPDX-License-Identifier: Apache-2.0 */
/* One op that uses the face's streams, records, random numbers and what else sources for TensorFlow
 * bring along of its libraries. It says in words which of its checks fail: "" is none. */
#include <map>

#include "tensorflow/core/framework/lookup_interface.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/resource_var.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/tensor_util.h"
#include "tensorflow/core/framework/variant.h"
#include "tensorflow/core/kernels/lookup_table_op.h"
#include "tensorflow/core/kernels/ops_util.h"
#include "tensorflow/core/lib/core/coding.h"
#include "tensorflow/core/lib/gtl/cleanup.h"
#include "tensorflow/core/lib/gtl/flatmap.h"
#include "tensorflow/core/lib/gtl/map_util.h"
#include "tensorflow/core/lib/io/inputbuffer.h"
#include "tensorflow/core/lib/io/record_reader.h"
#include "tensorflow/core/lib/io/record_writer.h"
#include "tensorflow/core/lib/math/math_util.h"
#include "tensorflow/core/lib/random/simple_philox.h"
#include "tensorflow/core/lib/strings/scanner.h"
#include "tensorflow/core/platform/cpu_info.h"
#include "tensorflow/core/platform/prefetch.h"
#include "tensorflow/core/platform/stacktrace.h"
#include "tensorflow/core/profiler/lib/traceme.h"
#include "tensorflow/core/util/batch_util.h"
#include "tensorflow/core/util/env_var.h"
#include "tensorflow/core/util/guarded_philox_random.h"
#include "tensorflow/core/util/sparse/sparse_tensor.h"

using namespace tensorflow;

REGISTER_OP("StreamChecks")
    .Input("folder: string")
    .Input("packed: string")
    .Output("failed: string");

class StreamChecks : public OpKernel
{
  public:
    using OpKernel::OpKernel;
    void Compute(OpKernelContext *ctx) override
    {
        Tensor *out = nullptr;
        const string folder = ctx->input(0).scalar<tstring>()();
        failed_.clear();
        OP_REQUIRES_OK(ctx, CheckFiles(ctx->env(), folder));
        OP_REQUIRES_OK(ctx, CheckRecords(ctx->env(), folder + "/records"));
        OP_REQUIRES_OK(
            ctx, CheckPacked(ctx->env(), folder + "/packed", ctx->input(1).scalar<tstring>()()));
        CheckNumbers();
        CheckText();
        CheckTensors();
        CheckSparse();
        OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &out));
        out->scalar<tstring>()() = failed_;
    }

  private:
    void Expect(bool holds, const char *what)
    {
        failed_ += holds ? "" : string(what) + "; ";
    }
    Status CheckFiles(Env *env, const string &folder)
    {
        std::unique_ptr<RandomAccessFile> file;
        string name = folder + "/deep/er/lines.txt", line;
        std::vector<string> names;
        TF_RETURN_IF_ERROR(env->RecursivelyCreateDir(folder + "/deep/er"));
        TF_RETURN_IF_ERROR(WriteStringToFile(env, name, "one\r\ntwo\n\n\xac\x02tail"));
        TF_RETURN_IF_ERROR(env->GetChildren(folder + "/deep/er", &names));
        Expect(names == std::vector<string>{"lines.txt"}, "children of a folder");
        TF_RETURN_IF_ERROR(env->GetMatchingPaths(folder + "/deep/*/l*", &names));
        Expect(names == std::vector<string>{name}, "paths that match");
        Expect(errors::IsNotFound(env->NewRandomAccessFile(folder + "/none", &file)), "no file");
        TF_RETURN_IF_ERROR(env->NewRandomAccessFile(name, &file));
        for (size_t size : {1u, 3u, 100u}) {
            io::InputBuffer in(file.get(), size);
            uint32 number = 0;
            TF_RETURN_IF_ERROR(in.ReadLine(&line));
            Expect(line == "one" && in.Tell() == 5, "a line that ends as on Windows");
            TF_RETURN_IF_ERROR(in.ReadLine(&line));
            Expect(line == "two", "the second line");
            TF_RETURN_IF_ERROR(in.ReadLine(&line));
            TF_RETURN_IF_ERROR(in.ReadVarint32(&number));
            Expect(line.empty() && number == 300, "an empty line, and a number");
            TF_RETURN_IF_ERROR(in.ReadLine(&line));
            Expect(line == "tail" && errors::IsOutOfRange(in.ReadLine(&line)), "the last line");
            TF_RETURN_IF_ERROR(in.Seek(5));
            TF_RETURN_IF_ERROR(in.ReadNBytes(3, &line));
            Expect(line == "two", "a place gone back to");
        }
        tstring all;
        io::BufferedInputStream stream(file.get(), 4);
        TF_RETURN_IF_ERROR(stream.SkipNBytes(2));
        TF_RETURN_IF_ERROR(stream.ReadAll(&all));
        Expect(all.size() == 14 && stream.Tell() == 16, "all that is left");
        Expect(errors::IsOutOfRange(stream.SkipNBytes(1)), "nothing to skip");
        TF_RETURN_IF_ERROR(env->RenameFile(name, name + "2"));
        return env->DeleteFile(name + "2");
    }
    Status CheckRecords(Env *env, const string &name)
    {
        std::unique_ptr<WritableFile> out;
        std::unique_ptr<RandomAccessFile> in;
        string bytes;
        tstring record;
        TF_RETURN_IF_ERROR(env->NewWritableFile(name, &out));
        io::RecordWriter writer(out.get());
        TF_RETURN_IF_ERROR(writer.WriteRecord("abc"));
        TF_RETURN_IF_ERROR(writer.WriteRecord(""));
        TF_RETURN_IF_ERROR(writer.Close());
        TF_RETURN_IF_ERROR(out->Close());
        TF_RETURN_IF_ERROR(ReadFileToString(env, name, &bytes));
        Expect(bytes == Golden(), "the bytes of records");
        TF_RETURN_IF_ERROR(env->NewRandomAccessFile(name, &in));
        TF_RETURN_IF_ERROR(ReadBoth(in.get(), io::RecordReaderOptions()));
        bytes[13] ^= 1;
        TF_RETURN_IF_ERROR(WriteStringToFile(env, name, bytes));
        TF_RETURN_IF_ERROR(env->NewRandomAccessFile(name, &in));
        io::SequentialRecordReader reader(in.get());
        Expect(errors::IsDataLoss(reader.ReadRecord(&record)), "a changed byte");
        TF_RETURN_IF_ERROR(WriteStringToFile(env, name, Golden().substr(0, 14)));
        TF_RETURN_IF_ERROR(env->NewRandomAccessFile(name, &in));
        uint64 offset = 0;
        Expect(errors::IsDataLoss(io::RecordReader(in.get()).ReadRecord(&offset, &record)),
               "a record that ends early");
        return env->DeleteFile(name);
    }
    /* What TensorFlow writes for "abc" and "". */
    static string Golden()
    {
        static const char bytes[] =
            "\003\000\000\000\000\000\000\000\260\231\111\016\141\142\143\156\127\361"
            "\041\000\000\000\000\000\000\000\000\051\003\230\007\330\352\202\242";
        return string(bytes, sizeof bytes - 1);
    }
    Status ReadBoth(RandomAccessFile *file, const io::RecordReaderOptions &options)
    {
        io::SequentialRecordReader reader(file, options);
        tstring record = "x";
        TF_RETURN_IF_ERROR(reader.ReadRecord(&record));
        Expect(record == "abc", "the first record");
        TF_RETURN_IF_ERROR(reader.ReadRecord(&record));
        Expect(record.empty(), "the second record");
        Expect(errors::IsOutOfRange(reader.ReadRecord(&record)), "the end of the records");
        return Status();
    }
    Status CheckPacked(Env *env, const string &name, const string &bytes)
    {
#ifdef ORIBI_HAS_ZLIB
        std::unique_ptr<RandomAccessFile> in;
        TF_RETURN_IF_ERROR(WriteStringToFile(env, name, bytes));
        TF_RETURN_IF_ERROR(env->NewRandomAccessFile(name, &in));
        TF_RETURN_IF_ERROR(
            ReadBoth(in.get(), io::RecordReaderOptions::CreateRecordReaderOptions("GZIP")));
        TF_RETURN_IF_ERROR(WriteStringToFile(env, name, string(40, 'x')));
        TF_RETURN_IF_ERROR(env->NewRandomAccessFile(name, &in));
        tstring record;
        io::SequentialRecordReader reader(
            in.get(), io::RecordReaderOptions::CreateRecordReaderOptions("GZIP"));
        Expect(errors::IsDataLoss(reader.ReadRecord(&record)), "bytes that are not packed");
        return env->DeleteFile(name);
#else
        (void)env, (void)name, (void)bytes;
        return Status();
#endif
    }
    void CheckNumbers()
    {
        /* TensorFlow's own generator gives these. */
        random::PhiloxRandom generator(77, 232);
        const auto bits = generator();
        Expect(bits[0] == 1476563584u && bits[3] == 746358221u, "random bits");
        random::SimplePhilox simple(&generator);
        bool fits = true;
        for (int i = 0; i < 1000; i++) {
            fits = fits && simple.Uniform(7) < 7 && simple.RandFloat() < 1.0f &&
                   simple.RandDouble() < 1.0 && simple.Uniform64(9) < 9;
        }
        Expect(fits, "random numbers in their ranges");
        GuardedPhiloxRandom guarded;
        guarded.Init(3, 4);
        auto a = guarded.ReserveSamples128(2), b = guarded.ReserveSamples128(1);
        a.Skip(2);
        Expect(a()[0] == b()[0], "samples that are reserved");
        Expect(MathUtil::CeilOfRatio(7, 2) == 4 && MathUtil::CeilOfRatio(-7, 2) == -3 &&
                   MathUtil::FloorOfRatio(-7, 2) == -4 && MathUtil::FloorOfRatio(7, 2) == 3 &&
                   MathUtil::GCD(12u, 18u) == 6 && MathUtil::IPow(3, 4) == 81,
               "quotients, divisors, powers");
        Expect(port::MaxParallelism() >= 1 && port::NumTotalCPUs() >= 1, "processors");
        Expect(crc32c::Value("123456789", 9) == 0xe3069283u, "a checksum");
    }
    void CheckText()
    {
        StringPiece rest, capture;
        Expect(strings::Scanner("name_1 = 25;")
                       .Many(strings::Scanner::LETTER_DIGIT_UNDERSCORE)
                       .StopCapture()
                       .AnySpace()
                       .OneLiteral("=")
                       .GetResult(&rest, &capture) &&
                   capture == "name_1" && rest == " 25;",
               "scanned text");
        Expect(!strings::Scanner("a").One(strings::Scanner::DIGIT).GetResult(),
               "a letter, no digit");
        string text;
        core::PutVarint64(&text, 1ull << 60);
        core::PutFixed32(&text, 7);
        StringPiece in = text;
        uint64 wide = 0;
        Expect(core::GetVarint64(&in, &wide) && wide == 1ull << 60 &&
                   core::DecodeFixed32(in.data()) == 7 && core::VarintLength(300) == 2,
               "numbers in text");
        std::map<string, int> map = {{"a", 1}};
        Expect(gtl::FindWithDefault(map, "b", 5) == 5 && *gtl::FindOrNull(map, "a") == 1 &&
                   gtl::InsertIfNotPresent(&map, "b", 2) && !gtl::InsertOrUpdate(&map, "b", 3) &&
                   map["b"] == 3,
               "maps");
        gtl::FlatMap<string, int> flat = {{"k", 2}};
        bool done = false;
        {
            auto cleanup = gtl::MakeCleanup([&done] { done = true; });
        }
        Expect(flat.find("k")->second == 2 && done, "a table, and what is done at the end");
        int64 number = 0;
        bool flag = false;
        setenv("STREAM_CHECKS", "12", 1);
        Expect(ReadInt64FromEnvVar("STREAM_CHECKS", 3, &number).ok() && number == 12 &&
                   ReadInt64FromEnvVar("STREAM_CHECKS_NOT", 3, &number).ok() && number == 3 &&
                   errors::IsInvalidArgument(ReadBoolFromEnvVar("STREAM_CHECKS", true, &flag)),
               "the environment");
    }
    void CheckTensors()
    {
        Tensor batch(DT_STRING, TensorShape({2, 2})), row(DT_STRING, TensorShape({2}));
        row.vec<tstring>()(0) = "a text that is too long to stand in the element itself";
        row.vec<tstring>()(1) = "b";
        Expect(batch_util::CopyElementToSlice(row, &batch, 1).ok() &&
                   batch.matrix<tstring>()(1, 0) == row.vec<tstring>()(0) &&
                   errors::IsInvalidArgument(batch_util::CopyElementToSlice(row, &batch, 2)),
               "a slice of text");
        Tensor both;
        Expect(tensor::Concat({batch, batch}, &both).ok() && both.dim_size(0) == 4 &&
                   both.matrix<tstring>()(3, 1) == "b" && !both.SharesBufferWith(batch),
               "rows put together");
        std::vector<Tensor> parts;
        Expect(tensor::Split(both, {1, 3}, &parts).ok() && parts[1].dim_size(0) == 3 &&
                   !tensor::Split(both, {1, 2}, &parts).ok(),
               "rows taken apart");
    }
    void CheckSparse()
    {
        Tensor indices(DT_INT64, TensorShape({3, 2})), values(DT_FLOAT, TensorShape({3}));
        const int64 rows[3][2] = {{1, 2}, {0, 1}, {1, 0}};
        for (int i = 0; i < 3; i++) {
            indices.matrix<int64>()(i, 0) = rows[i][0];
            indices.matrix<int64>()(i, 1) = rows[i][1];
            values.vec<float>()(i) = static_cast<float>(i + 1);
        }
        sparse::SparseTensor x, y;
        Expect(
            sparse::SparseTensor::Create(indices, values, TensorShape({2, 3}), {0, 1}, &x).ok() &&
                x.num_entries() == 3 && x.dims() == 2 && x.dtype() == DT_FLOAT,
            "a sparse tensor");
        Expect(!sparse::SparseTensor::Create(values, values, TensorShape({3}), &y).ok() &&
                   !sparse::SparseTensor::Create(indices, values, TensorShape({2}), &y).ok() &&
                   !sparse::SparseTensor::Create(indices, values, TensorShape({2, 3}), {0, 0}, &y)
                        .ok() &&
                   y.num_entries() == 0,
               "what is no sparse tensor");
        Expect(errors::IsInvalidArgument(x.IndicesValid()), "rows out of order");
        x.Reorder<float>({0, 1});
        Expect(x.IndicesValid().ok() && x.indices().matrix<int64>()(1, 1) == 0 &&
                   x.values().vec<float>()(0) == 2,
               "rows in order");
        std::vector<float> sums;
        for (const auto &group : x.group({0})) {
            float sum = static_cast<float>(100 * group.group()[0]);
            for (int i = 0; i < group.values<float>().size(); i++) {
                sum += group.values<float>()(i) * static_cast<float>(group.indices()(i, 1) + 1);
            }
            sums.push_back(sum);
        }
        Expect(sums == std::vector<float>({4, 106}), "groups of rows");
        Tensor dense(DT_FLOAT, TensorShape({2, 3})), other(DT_FLOAT, TensorShape({3, 2}));
        Expect(x.ToDense<float>(&dense) && dense.matrix<float>()(1, 2) == 1 &&
                   dense.matrix<float>()(0, 0) == 0 && !x.ToDense<float>(&other),
               "a dense tensor of it");
        indices.matrix<int64>()(1, 1) = 3;
        Expect(errors::IsInvalidArgument(x.IndicesValid()) && !x.ToDense<float>(&dense),
               "a row out of bounds");
        indices.matrix<int64>()(1, 1) = indices.matrix<int64>()(2, 1);
        Expect(errors::IsInvalidArgument(x.IndicesValid()), "a repeated row");
    }
    string failed_;
};
REGISTER_KERNEL_BUILDER(Name("StreamChecks").Device(DEVICE_CPU), StreamChecks);
