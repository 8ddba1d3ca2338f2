/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi for applications in C++11 and later: oribi.h with owners and exceptions; nothing to link
 * beside the library.
 *
 *     oribi::model model("digits.onnx");
 *     oribi::session session(model);
 *     oribi::run run(session);
 *     oribi::tensor picture = run.make_input<float>(0); // fill picture.data<float>()
 *     oribi::tensor scores = run(picture);
 *
 * Owns     each class owns what it names and can be moved; a moved-from object can be destroyed and
 *          assigned to. get() lends the handle of C, release() gives it away.
 * Errors   every failure is an oribi::error with the code and the message of the library. Out of
 *          memory for what C++ itself holds is std::bad_alloc.
 * Threads  as oribi.h says: models and sessions are shared, a run belongs to one thread at a time.
 * Not here: plugins (include/tensorflow), compiling to C, text tensors: oribi.h has them.
 * Since 1.4.
 */
#ifndef ORIBI_ORIBI_HPP_
#define ORIBI_ORIBI_HPP_

#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "oribi.h"

namespace oribi
{

using shape = std::vector<std::int64_t>;

/* What a call of the library could not do. */
class error : public std::runtime_error
{
  public:
    error(TF_Code code, const std::string &message) : std::runtime_error(message), code_(code)
    {
    }
    TF_Code code() const noexcept
    {
        return code_;
    }

  private:
    TF_Code code_;
};

namespace detail
{

/* A status for one call; check() throws what is in it. */
class status
{
  public:
    status() : handle_(TF_NewStatus())
    {
    }
    ~status()
    {
        TF_DeleteStatus(handle_);
    }
    status(const status &) = delete;
    status &operator=(const status &) = delete;
    operator TF_Status *() const noexcept
    {
        return handle_;
    }
    void check() const
    {
        if (TF_GetCode(handle_) != TF_OK) {
            throw error(TF_GetCode(handle_), TF_Message(handle_));
        }
    }

  private:
    TF_Status *handle_;
};

/* call(arguments..., status), which throws what the status says. */
template <class Result, class... P, class... A> Result checked(Result (*call)(P...), A... arguments)
{
    status s;
    Result made = call(arguments..., static_cast<TF_Status *>(s));
    s.check();
    return made;
}
template <class... P, class... A> void checked(void (*call)(P...), A... arguments)
{
    status s;
    call(arguments..., static_cast<TF_Status *>(s));
    s.check();
}

/* The one owner of a handle of C. */
template <class T, void (*Destroy)(T *)> class owner
{
  public:
    explicit owner(T *handle = nullptr) noexcept : handle_(handle)
    {
    }
    ~owner()
    {
        Destroy(handle_);
    }
    owner(owner &&other) noexcept : handle_(other.release())
    {
    }
    owner &operator=(owner &&other) noexcept
    {
        if (this != &other) {
            Destroy(handle_);
            handle_ = other.release();
        }
        return *this;
    }
    owner(const owner &) = delete;
    owner &operator=(const owner &) = delete;
    T *get() const noexcept
    {
        return handle_;
    }
    T *release() noexcept
    {
        T *given = handle_;
        handle_ = nullptr;
        return given;
    }
    explicit operator bool() const noexcept
    {
        return handle_ != nullptr;
    }

  private:
    T *handle_;
};

template <class T> struct type_of; /* no such element: a type that tensors do not have */
#define ORIBI_TYPE_OF(type, enumerator)                                                            \
    template <> struct type_of<type> {                                                             \
        static constexpr TF_DataType value = enumerator;                                           \
    }
ORIBI_TYPE_OF(float, TF_FLOAT);
ORIBI_TYPE_OF(double, TF_DOUBLE);
ORIBI_TYPE_OF(std::int8_t, TF_INT8);
ORIBI_TYPE_OF(std::uint8_t, TF_UINT8);
ORIBI_TYPE_OF(std::int16_t, TF_INT16);
ORIBI_TYPE_OF(std::uint16_t, TF_UINT16);
ORIBI_TYPE_OF(std::int32_t, TF_INT32);
ORIBI_TYPE_OF(std::uint32_t, TF_UINT32);
ORIBI_TYPE_OF(std::int64_t, TF_INT64);
ORIBI_TYPE_OF(std::uint64_t, TF_UINT64);
ORIBI_TYPE_OF(bool, TF_BOOL);
#undef ORIBI_TYPE_OF

/* The text that a call of oribi.h fills an empty buffer with. */
template <class Call> std::string text_of(Call call)
{
    owner<TF_Buffer, TF_DeleteBuffer> buffer(TF_NewBuffer());
    status s;
    call(buffer.get(), static_cast<TF_Status *>(s));
    s.check();
    return std::string(static_cast<const char *>(buffer.get()->data), buffer.get()->length);
}

} /* namespace detail */

/* --- Process --------------------------------------------------------------------------------- */

inline std::string version()
{
    return oribi_version();
}
/* "path[:key=val[,key=val]]". */
inline void load_plugin(const std::string &spec)
{
    detail::checked(oribi_plugin_load_file, spec.c_str());
}
/* What ORIBI_PLUGIN_PATH and the install folder hold. */
inline void load_found_plugins()
{
    detail::checked(oribi_plugin_load_search_path);
}
/* JSON, as oribi_describe has it. */
inline std::string describe(const std::string &what)
{
    return detail::text_of(
        [&](TF_Buffer *json, TF_Status *s) { oribi_describe(what.c_str(), json, s); });
}
/* Last of all, when no model, session or run is left. */
inline void shutdown()
{
    detail::checked(oribi_shutdown);
}

/* --- Tensors --------------------------------------------------------------------------------- */

/* Elements in row-major order. */
class tensor : public detail::owner<TF_Tensor, TF_DeleteTensor>
{
  public:
    explicit tensor(TF_Tensor *handle = nullptr) noexcept : owner(handle)
    {
    }
    /* Memory of the library, not initialised. */
    template <class T> static tensor make(const shape &dims)
    {
        std::size_t count = 1;
        for (std::int64_t dim : dims) {
            if (dim < 0 || (dim > 0 && count > SIZE_MAX / sizeof(T) / std::size_t(dim))) {
                throw error(TF_INVALID_ARGUMENT, "oribi::tensor: a dimension is negative, or the "
                                                 "tensor is larger than memory");
            }
            count *= std::size_t(dim);
        }
        tensor made(TF_AllocateTensor(detail::type_of<T>::value, dims.data(), int(dims.size()),
                                      count * sizeof(T)));
        if (!made) {
            throw error(TF_RESOURCE_EXHAUSTED, "oribi::tensor: no memory, or too many dimensions");
        }
        return made;
    }
    /* A copy of the values, of which there must be as many as the shape says. */
    template <class T> static tensor of(const shape &dims, const std::vector<T> &values)
    {
        tensor made = make<T>(dims);
        if (made.size() != values.size()) {
            throw error(TF_INVALID_ARGUMENT, "oribi::tensor: " + std::to_string(values.size()) +
                                                 " values for " + std::to_string(made.size()) +
                                                 " elements");
        }
        for (std::size_t i = 0; i < values.size(); i++) {
            made.data<T>()[i] = values[i];
        }
        return made;
    }
    /* The caller's memory, which must outlive the tensor and what was made of it. It must begin at
     * a multiple of 64 bytes: elsewhere the library would copy it. */
    template <class T> static tensor borrow(const shape &dims, T *data, std::size_t count)
    {
        if (reinterpret_cast<std::uintptr_t>(data) % TF_TensorDefaultAlignment() != 0) {
            throw error(TF_INVALID_ARGUMENT, "oribi::tensor::borrow: the memory does not begin at "
                                             "a multiple of 64 bytes; copy it with tensor::of");
        }
        tensor made(TF_NewTensor(
            detail::type_of<T>::value, dims.data(), int(dims.size()), data, count * sizeof(T),
            [](void *, std::size_t, void *) {}, nullptr));
        if (!made || made.size() != count) {
            throw error(TF_INVALID_ARGUMENT,
                        "oribi::tensor::borrow: as many elements must be given as the shape says");
        }
        return made;
    }

    TF_DataType type() const noexcept
    {
        return TF_TensorType(get());
    }
    oribi::shape dims() const
    {
        oribi::shape all(std::size_t(TF_NumDims(get())));
        for (std::size_t i = 0; i < all.size(); i++) {
            all[i] = TF_Dim(get(), int(i));
        }
        return all;
    }
    /* Elements. */
    std::size_t size() const noexcept
    {
        return std::size_t(TF_TensorElementCount(get()));
    }
    /* The elements, if they are of type T. */
    template <class T> T *data() const
    {
        if (type() != detail::type_of<T>::value) {
            throw error(TF_INVALID_ARGUMENT, "oribi::tensor::data: the elements are of type " +
                                                 std::to_string(int(type())) + ", not " +
                                                 std::to_string(int(detail::type_of<T>::value)));
        }
        return static_cast<T *>(TF_TensorData(get()));
    }
    template <class T> std::vector<T> to_vector() const
    {
        const T *first = data<T>();
        return std::vector<T>(first, first + size());
    }
};

/* --- Options --------------------------------------------------------------------------------- */

#define ORIBI_OPTION(name, type, call)                                                             \
    options &name(type value)                                                                      \
    {                                                                                              \
        call(get(), value);                                                                        \
        return *this;                                                                              \
    }
#define ORIBI_NAMED(name, call)                                                                    \
    options &name(const std::string &value)                                                        \
    {                                                                                              \
        return set(call, value);                                                                   \
    }

/* oribi::options().threads(2).device("GPU:0"); what is not set has the default of oribi.h. */
class options : public detail::owner<oribi_options, oribi_options_destroy>
{
  public:
    options() : owner(make())
    {
    }
    ORIBI_OPTION(threads, int, oribi_options_set_threads)
    ORIBI_OPTION(max_bytes, std::uint64_t, oribi_options_set_max_bytes)
    ORIBI_OPTION(time_limit, std::uint64_t, oribi_options_set_time_limit)
    ORIBI_OPTION(read_files, bool, oribi_options_set_read_files)
    ORIBI_OPTION(follow_links, bool, oribi_options_set_follow_links)
    ORIBI_OPTION(soft_placement, bool, oribi_options_set_soft_placement)
    ORIBI_NAMED(device, oribi_options_set_device)
    ORIBI_NAMED(kernels, oribi_options_set_kernels)
    ORIBI_NAMED(check, oribi_options_set_check)
    ORIBI_NAMED(tflite_variant, oribi_options_set_tflite_variant)
    ORIBI_NAMED(signature, oribi_options_set_signature)
    ORIBI_NAMED(disable_pass, oribi_options_disable_pass)
    ORIBI_NAMED(instruction_set, oribi_options_set_instruction_set)
    options &input_shape(const std::string &input, const shape &dims)
    {
        detail::checked(oribi_options_set_input_shape, get(), input.c_str(), dims.data(),
                        int(dims.size()));
        return *this;
    }
    options &input_bound(const std::string &input, int dim, std::int64_t most)
    {
        detail::checked(oribi_options_set_input_bound, get(), input.c_str(), dim, most);
        return *this;
    }

  private:
    static oribi_options *make()
    {
        return detail::checked(oribi_options_create);
    }
    options &set(void (*call)(oribi_options *, const char *, TF_Status *), const std::string &value)
    {
        detail::checked(call, get(), value.c_str());
        return *this;
    }
};

#undef ORIBI_OPTION
#undef ORIBI_NAMED

/* --- Models ---------------------------------------------------------------------------------- */

/* An input or output. A number of a quantised one is scale * (stored - zero_point) where scales is
 * 1; 0: it is not quantised; more: one for each index of a dimension, of which nothing is here. */
struct port {
    std::string name;
    TF_DataType type;
    bool has_rank;
    oribi::shape dims; /* -1: unknown */
    int scales;
    float scale;
    std::int32_t zero_point;
};

class model : public detail::owner<oribi_model, oribi_model_destroy>
{
  public:
    explicit model(const std::string &path) : owner(open(path, nullptr))
    {
    }
    model(const std::string &path, const options &given) : owner(open(path, given.get()))
    {
    }
    /* Of memory that the caller keeps until the model and its sessions are gone. */
    static model from_memory(const void *data, std::size_t bytes, const std::string &name = "",
                             const options *given = nullptr)
    {
        return model(detail::checked(oribi_model_from_memory, data, bytes,
                                     name.empty() ? nullptr : name.c_str(),
                                     given != nullptr ? given->get() : nullptr));
    }

    std::vector<port> inputs() const
    {
        return ports(oribi_model_num_inputs(get()), oribi_model_input_name, oribi_model_input_type,
                     oribi_model_input_shape, oribi_model_input_quantisation);
    }
    std::vector<port> outputs() const
    {
        return ports(oribi_model_num_outputs(get()), oribi_model_output_name,
                     oribi_model_output_type, oribi_model_output_shape,
                     oribi_model_output_quantisation);
    }
    /* Values that a run keeps from one execution to the next. */
    int num_states() const noexcept
    {
        return oribi_model_num_states(get());
    }
    /* What the file says about itself. */
    std::map<std::string, std::string> metadata() const
    {
        std::map<std::string, std::string> all;
        for (int i = 0;; i++) {
            const char *key = oribi_model_metadata_key(get(), i);
            if (key == nullptr) {
                return all;
            }
            all[key] = oribi_model_metadata(get(), key);
        }
    }

  private:
    explicit model(oribi_model *handle) noexcept : owner(handle)
    {
    }
    static oribi_model *open(const std::string &path, const oribi_options *given)
    {
        return detail::checked(oribi_model_open, path.c_str(), given);
    }
    std::vector<port> ports(int n, const char *(*name)(const oribi_model *, int),
                            TF_DataType (*type)(const oribi_model *, int),
                            int (*dims)(const oribi_model *, int, std::int64_t *, int),
                            int (*scales)(const oribi_model *, int, float *, std::int32_t *)) const
    {
        std::vector<port> all;
        for (int i = 0; i < n; i++) {
            port p{name(get(), i), type(get(), i), false, {}, 0, 0.0f, 0};
            const int rank = dims(get(), i, nullptr, 0);
            p.has_rank = rank >= 0;
            p.dims.resize(rank > 0 ? std::size_t(rank) : 0);
            (void)dims(get(), i, p.dims.data(), int(p.dims.size()));
            p.scales = scales(get(), i, &p.scale, &p.zero_point);
            all.push_back(p);
        }
        return all;
    }
};

/* --- Sessions and runs ----------------------------------------------------------------------- */

class session : public detail::owner<oribi_session, oribi_session_destroy>
{
  public:
    explicit session(const model &of)
        : owner(make(of, nullptr)), inputs_(of.inputs()), outputs_(of.outputs())
    {
    }
    session(const model &of, const options &given)
        : owner(make(of, given.get())), inputs_(of.inputs()), outputs_(of.outputs())
    {
    }
    const std::vector<port> &inputs() const noexcept
    {
        return inputs_;
    }
    const std::vector<port> &outputs() const noexcept
    {
        return outputs_;
    }
    /* JSON, as oribi_session_describe has it. */
    std::string describe(const std::string &what) const
    {
        return detail::text_of([&](TF_Buffer *json, TF_Status *s) {
            oribi_session_describe(get(), what.c_str(), json, s);
        });
    }

  private:
    static oribi_session *make(const model &of, const oribi_options *given)
    {
        return detail::checked(oribi_session_create, of.get(), given);
    }
    std::vector<port> inputs_, outputs_;
};

/* Needs neither the session object nor the model any more once it is made. */
class run : public detail::owner<oribi_run, oribi_run_destroy>
{
  public:
    explicit run(const session &of) : owner(make(of)), inputs_(of.inputs()), outputs_(of.outputs())
    {
    }

    /* A tensor to fill and bind as input `index`; with no shape given, that of the model, whose
     * unknown sizes are 1. */
    template <class T> tensor make_input(int index, shape dims = {})
    {
        const port &p = at(inputs_, index);
        if (p.type != detail::type_of<T>::value) {
            throw error(TF_INVALID_ARGUMENT, "oribi::run::make_input: input '" + p.name +
                                                 "' has elements of another type");
        }
        if (dims.empty()) {
            dims = p.dims;
            for (std::int64_t &dim : dims) {
                dim = dim < 0 ? 1 : dim;
            }
        }
        return tensor(
            detail::checked(oribi_run_make_input, get(), index, dims.data(), int(dims.size())));
    }
    void set_input(int index, const tensor &value)
    {
        detail::checked(oribi_run_set_input, get(), index, value.get());
    }
    void set_input(const std::string &name, const tensor &value)
    {
        set_input(find(inputs_, name), value);
    }
    void execute()
    {
        detail::checked(oribi_run_execute, get());
    }
    tensor output(int index) const
    {
        return tensor(detail::checked(oribi_run_output, get(), index));
    }
    tensor output(const std::string &name) const
    {
        return output(find(outputs_, name));
    }
    /* Memory that the output is written to from now on. */
    void set_output(int index, const tensor &memory)
    {
        detail::checked(oribi_run_set_output, get(), index, memory.get());
    }
    void set_output(const std::string &name, const tensor &memory)
    {
        set_output(find(outputs_, name), memory);
    }
    /* One input in, the first output out. */
    tensor operator()(const tensor &input)
    {
        set_input(0, input);
        execute();
        return output(0);
    }
    /* Puts the first values of what the model keeps between executions back. */
    void reset()
    {
        detail::checked(oribi_run_reset, get());
    }
    /* From any thread: what is under way ends with TF_CANCELLED. */
    void cancel() noexcept
    {
        oribi_run_cancel(get());
    }
    void time_limit(std::uint64_t nanoseconds) noexcept
    {
        oribi_run_set_time_limit(get(), nanoseconds);
    }

  private:
    static oribi_run *make(const session &of)
    {
        return detail::checked(oribi_run_create, of.get());
    }
    static const port &at(const std::vector<port> &ports, int index)
    {
        if (index < 0 || std::size_t(index) >= ports.size()) {
            throw error(TF_INVALID_ARGUMENT,
                        "oribi::run: there is no input or output " + std::to_string(index));
        }
        return ports[std::size_t(index)];
    }
    static int find(const std::vector<port> &ports, const std::string &name)
    {
        std::string all;
        for (std::size_t i = 0; i < ports.size(); i++) {
            if (ports[i].name == name) {
                return int(i);
            }
            all += (i > 0 ? ", " : "") + ports[i].name;
        }
        throw error(TF_NOT_FOUND, "oribi::run: nothing is called '" + name + "'; there is: " + all);
    }
    std::vector<port> inputs_, outputs_;
};

} /* namespace oribi */

#endif /* ORIBI_ORIBI_HPP_ */
