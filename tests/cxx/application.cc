// SPDX-License-Identifier: Apache-2.0
// Does include/oribi/oribi.hpp do what it says? As an application would use it, in C++11: who owns
// what, what is thrown, what the outputs are (those of oribi.h, called beside it).
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include "oribi/oribi.hpp"

static int n_failed;

static void expect(bool holds, const char *what)
{
    if (!holds) {
        std::printf("not so: %s\n", what);
        n_failed++;
    }
}

template <class Call> static TF_Code thrown(Call call)
{
    try {
        call();
    } catch (const oribi::error &failure) {
        expect(failure.what()[0] != '\0', "an error has a message");
        return failure.code();
    }
    return TF_OK;
}

static oribi::tensor picture_of(oribi::run &run)
{
    oribi::tensor in = run.make_input<float>(0);
    for (std::size_t i = 0; i < in.size(); i++) {
        in.data<float>()[i] = float(i % 16);
    }
    return in;
}

/* The same by the functions of C. */
static std::vector<float> reference(const std::string &path, const oribi::tensor &in)
{
    TF_Status *status = TF_NewStatus();
    oribi_model *model = oribi_model_open(path.c_str(), nullptr, status);
    oribi_session *session = oribi_session_create(model, nullptr, status);
    oribi_run *run = oribi_run_create(session, status);
    oribi_run_set_input(run, 0, in.get(), status);
    oribi_run_execute(run, status);
    TF_Tensor *out = oribi_run_output(run, 0, status);
    const float *first = static_cast<const float *>(TF_TensorData(out));
    std::vector<float> values(first, first + TF_TensorElementCount(out));
    TF_DeleteTensor(out);
    oribi_run_destroy(run);
    oribi_session_destroy(session);
    oribi_model_destroy(model);
    TF_DeleteStatus(status);
    return values;
}

static void a_run_outlives_its_session_and_model(const std::string &path)
{
    std::unique_ptr<oribi::run> run;
    {
        oribi::model model(path);
        oribi::session session(model, oribi::options().threads(1).max_bytes(1u << 28));
        run.reset(new oribi::run(session));
    }
    const oribi::tensor in = picture_of(*run);
    const oribi::tensor out = (*run)(in);
    expect(out.dims() == oribi::shape({1, 10}), "the output has the model's shape");
    expect(out.to_vector<float>() == reference(path, in), "the output is that of oribi.h");
    run->set_input("picture", in);
    run->execute();
    expect(run->output("probabilities").to_vector<float>() == out.to_vector<float>(),
           "names say the same as numbers");
}

static void outputs_lie_in_the_callers_memory(const std::string &path)
{
    oribi::model model(path);
    oribi::session session(model);
    oribi::run run(session);
    alignas(64) float memory[10] = {};
    const oribi::tensor mine = oribi::tensor::borrow<float>({1, 10}, memory, 10);
    run.set_output("probabilities", mine);
    const oribi::tensor in = picture_of(run);
    const std::vector<float> wanted = reference(path, in);
    (void)run(in);
    expect(std::vector<float>(memory, memory + 10) == wanted,
           "the result is where it was asked for");
    expect(thrown([&] {
               oribi::tensor::borrow<float>({1, 9}, memory + 1, 9);
           }) == TF_INVALID_ARGUMENT,
           "memory that would be copied is refused");
    expect(thrown([&] {
               oribi::tensor::borrow<float>({1, 11}, memory, 10);
           }) == TF_INVALID_ARGUMENT,
           "fewer elements than the shape has are refused");
}

static void models_say_what_they_are(const std::string &digits, const std::string &int8)
{
    const oribi::model model(int8);
    const std::vector<oribi::port> inputs = model.inputs();
    expect(inputs.size() == 1 && inputs[0].name == "picture" && inputs[0].type == TF_INT8,
           "the input has its name and type");
    expect(inputs[0].has_rank && inputs[0].dims == oribi::shape({1, 8, 8, 1}), "and its shape");
    expect(inputs[0].scales == 1 && inputs[0].zero_point == -128 &&
               std::fabs(inputs[0].scale - 0.0039f) < 0.0001f,
           "and its scale");
    expect(model.num_states() == 0, "it keeps nothing between runs");
    const oribi::model other(digits);
    for (const auto &entry : other.metadata()) {
        const char *value = oribi_model_metadata(other.get(), entry.first.c_str());
        expect(value != nullptr && entry.second == value, "metadata are those of oribi.h");
    }
    expect(!other.metadata().empty(), "a model of ONNX has metadata");
    oribi::session session(other);
    expect(session.describe("graph").find("\"steps\"") != std::string::npos, "a session tells");
    expect(oribi::describe("op:MatMul").find("MatMul") != std::string::npos, "the process tells");
}

static void failures_are_exceptions(const std::string &path)
{
    expect(thrown([] { oribi::model("/nowhere.onnx"); }) == TF_NOT_FOUND, "no such file");
    expect(thrown([] { oribi::model::from_memory("none", 4, "none"); }) == TF_INVALID_ARGUMENT,
           "four bytes are no model");
    expect(thrown([] { oribi::options().kernels("best"); }) == TF_INVALID_ARGUMENT, "no such kind");
    expect(thrown([] { oribi::describe("weather"); }) == TF_INVALID_ARGUMENT, "no such thing");
    expect(thrown([] { oribi::load_plugin("/nowhere.so"); }) == TF_NOT_FOUND, "no such plugin");
    oribi::model model(path);
    oribi::session session(model);
    oribi::run run(session);
    expect(thrown([&] { run.execute(); }) == TF_FAILED_PRECONDITION, "no input was bound");
    expect(thrown([&] { run.set_input("image", picture_of(run)); }) == TF_NOT_FOUND,
           "a wrong name");
    expect(thrown([&] { run.make_input<std::int8_t>(0); }) == TF_INVALID_ARGUMENT, "a wrong type");
    expect(thrown([&] { run.make_input<float>(1); }) == TF_INVALID_ARGUMENT, "a wrong number");
    expect(thrown([&] { picture_of(run).data<double>(); }) == TF_INVALID_ARGUMENT, "a wrong view");
    expect(thrown([&] {
               oribi::tensor::of<float>({2, 2}, {1, 2, 3});
           }) == TF_INVALID_ARGUMENT,
           "three values for four elements");
    expect(thrown([&] {
               oribi::tensor::make<float>({INT64_MAX, 16});
           }) == TF_INVALID_ARGUMENT,
           "a size that wraps");
    expect(thrown([&] { oribi::tensor::make<float>({-1}); }) == TF_INVALID_ARGUMENT,
           "a negative size");
    expect(thrown([&] { run.set_input(0, oribi::tensor::of<float>({1}, {1})); }) ==
               TF_INVALID_ARGUMENT,
           "a wrong shape");
    run.time_limit(1);
    expect(thrown([&] { run(picture_of(run)); }) == TF_DEADLINE_EXCEEDED, "a nanosecond is short");
    run.time_limit(0);
    expect(run(picture_of(run)).size() == 10, "a run that failed does not spoil the next");
    expect(thrown([] { oribi::shutdown(); }) == TF_FAILED_PRECONDITION,
           "nothing is freed while a model is there");
}

static void moved_objects_go_on(const std::string &path)
{
    oribi::model first(path);
    oribi::model second(std::move(first));
    expect(!first && second, "a model moved away is empty");
    first = std::move(second);
    oribi::session session(first);
    oribi::run run(session), other(session);
    run = std::move(other);
    oribi::tensor in = picture_of(run);
    oribi::tensor kept = std::move(in);
    expect(run(kept).size() == 10 && !in, "a tensor moved away is empty");
    kept = oribi::tensor(run(kept).release());
    expect(kept.size() == 10, "a handle given away has one owner");
    run.reset();
    run.cancel();
}

static void threads_share_a_session(const std::string &path)
{
    oribi::model model(path);
    oribi::session session(model, oribi::options().threads(1));
    std::vector<std::vector<float>> results(4);
    std::vector<std::thread> threads;
    for (std::vector<float> &result : results) {
        threads.emplace_back([&session, &result] {
            oribi::run run(session);
            result = run(picture_of(run)).to_vector<float>();
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    for (const std::vector<float> &result : results) {
        expect(result == results[0] && !result.empty(), "every thread gets the same");
    }
}

int main(int argc, char **argv)
{
    const std::string folder = argc > 1 ? argv[1] : ".";
    const std::string digits = folder + "/digits.onnx", int8 = folder + "/digits_int8.tflite";
    a_run_outlives_its_session_and_model(digits);
    outputs_lie_in_the_callers_memory(digits);
    models_say_what_they_are(digits, int8);
    failures_are_exceptions(digits);
    moved_objects_go_on(digits);
    threads_share_a_session(digits);
    expect(oribi::version() == oribi_version(), "the version is the library's");
    oribi::shutdown();
    expect(thrown([&] { oribi::model again(digits); }) == TF_FAILED_PRECONDITION,
           "after a shutdown nothing is opened");
    return n_failed != 0;
}
