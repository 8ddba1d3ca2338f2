/* SPDX-License-Identifier: Apache-2.0 */
/* Functions on classes in variants, as a plugin registers them and its own code calls them: making
 * an object out of VariantTensorData, zeros like it, sums, copies for a device. The host has no
 * such functions: its AddN and ZerosLike refuse variants. */
#ifndef ORIBI_TENSORFLOW_CORE_VARIANT_VARIANT_OP_REGISTRY_H_
#define ORIBI_TENSORFLOW_CORE_VARIANT_VARIANT_OP_REGISTRY_H_

#include <functional>
#include <map>
#include <tuple>

#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/variant/variant.h"

namespace tensorflow ORIBI_HIDDEN
{

enum VariantUnaryOp {
    INVALID_VARIANT_UNARY_OP = 0,
    ZEROS_LIKE_VARIANT_UNARY_OP = 1,
    CONJ_VARIANT_UNARY_OP = 2
};
enum VariantBinaryOp { INVALID_VARIANT_BINARY_OP = 0, ADD_VARIANT_BINARY_OP = 1 };
enum VariantDeviceCopyDirection {
    INVALID_DEVICE_COPY_DIRECTION = 0,
    HOST_TO_DEVICE = 1,
    DEVICE_TO_HOST = 2,
    DEVICE_TO_DEVICE = 3
};
inline const char *VariantUnaryOpToString(VariantUnaryOp op)
{
    return op == ZEROS_LIKE_VARIANT_UNARY_OP ? "ZEROS_LIKE"
           : op == CONJ_VARIANT_UNARY_OP     ? "CONJ"
                                             : "INVALID";
}
inline const char *VariantBinaryOpToString(VariantBinaryOp op)
{
    return op == ADD_VARIANT_BINARY_OP ? "ADD" : "INVALID";
}

/* One for each plugin. Filled when it is loaded, read from then on; the first of a name stays. */
class UnaryVariantOpRegistry
{
    using Key = std::tuple<int, string, uint64>; /* operation, device, class */

  public:
    using VariantDecodeFn = std::function<bool(Variant *)>;
    using VariantUnaryOpFn = std::function<Status(OpKernelContext *, const Variant &, Variant *)>;
    using VariantBinaryOpFn =
        std::function<Status(OpKernelContext *, const Variant &, const Variant &, Variant *)>;
    using AsyncTensorDeviceCopyFn = std::function<Status(const Tensor &, Tensor *)>;
    using AsyncVariantDeviceCopyFn =
        std::function<Status(const Variant &, Variant *, AsyncTensorDeviceCopyFn)>;

    static UnaryVariantOpRegistry *Global()
    {
        static auto *registry = new UnaryVariantOpRegistry;
        return registry;
    }
    void RegisterDecodeFn(const string &type_name, VariantDecodeFn fn)
    {
        decode_.emplace(type_name, std::move(fn));
    }
    VariantDecodeFn *GetDecodeFn(StringPiece type_name)
    {
        return Find(&decode_, string(type_name));
    }
    void RegisterUnaryOpFn(VariantUnaryOp op, const string &device, const TypeIndex &type,
                           VariantUnaryOpFn fn)
    {
        unary_.emplace(Key(op, device, type.hash_code()), std::move(fn));
    }
    VariantUnaryOpFn *GetUnaryOpFn(VariantUnaryOp op, StringPiece device, const TypeIndex &type)
    {
        return Find(&unary_, Key(op, string(device), type.hash_code()));
    }
    void RegisterBinaryOpFn(VariantBinaryOp op, const string &device, const TypeIndex &type,
                            VariantBinaryOpFn fn)
    {
        binary_.emplace(Key(op, device, type.hash_code()), std::move(fn));
    }
    VariantBinaryOpFn *GetBinaryOpFn(VariantBinaryOp op, StringPiece device, const TypeIndex &type)
    {
        return Find(&binary_, Key(op, string(device), type.hash_code()));
    }
    void RegisterDeviceCopyFn(VariantDeviceCopyDirection direction, const TypeIndex &type,
                              AsyncVariantDeviceCopyFn fn)
    {
        copy_.emplace(Key(direction, "", type.hash_code()), std::move(fn));
    }
    AsyncVariantDeviceCopyFn *GetDeviceCopyFn(VariantDeviceCopyDirection direction,
                                              const TypeIndex &type)
    {
        return Find(&copy_, Key(direction, "", type.hash_code()));
    }

  private:
    template <typename M, typename K> static typename M::mapped_type *Find(M *map, const K &key)
    {
        const auto found = map->find(key);
        return found != map->end() ? &found->second : nullptr;
    }
    std::map<string, VariantDecodeFn> decode_;
    std::map<Key, VariantUnaryOpFn> unary_;
    std::map<Key, VariantBinaryOpFn> binary_;
    std::map<Key, AsyncVariantDeviceCopyFn> copy_;
};

/* A variant that holds VariantTensorData becomes the object of the class that its type name was
 * registered for; false: it holds none, nobody registered that name, or the data does not fit. */
inline bool DecodeUnaryVariant(Variant *variant)
{
    const VariantTensorData *data = variant->get<VariantTensorData>();
    UnaryVariantOpRegistry::VariantDecodeFn *decode =
        data != nullptr ? UnaryVariantOpRegistry::Global()->GetDecodeFn(data->type_name())
                        : nullptr;
    return decode != nullptr && (*decode)(variant);
}

namespace variant_detail
{
template <typename Device> const char *DeviceOf()
{
    return std::is_same<Device, Eigen::GpuDevice>::value ? DEVICE_GPU : DEVICE_CPU;
}
inline Status NoFunction(const char *op, const Variant &v)
{
    return errors::Internal("No ", op, " function was registered for variants of type ",
                            v.TypeName());
}
/* What the object is, to functions of its class. */
template <typename T> Status Class(const Variant &v, const T **out)
{
    *out = v.get<T>();
    return *out != nullptr
               ? Status()
               : errors::Internal("a variant holds ", v.TypeName(), ", not a ", ClassName<T>());
}
template <typename T> bool RegisterDecode(const string &type_name)
{
    UnaryVariantOpRegistry::Global()->RegisterDecodeFn(type_name, [](Variant *variant) {
        VariantTensorData data = *variant->get<VariantTensorData>();
        Variant made = T();
        const bool done = made.Decode(std::move(data));
        if (done) {
            variant->swap(made);
        }
        return done;
    });
    return true;
}
template <typename T, typename F>
bool RegisterUnary(VariantUnaryOp op, const string &device, const F &fn)
{
    UnaryVariantOpRegistry::Global()->RegisterUnaryOpFn(
        op, device, TypeIndex::Make<T>(),
        [fn](OpKernelContext *ctx, const Variant &v, Variant *out) {
            const T *x = nullptr;
            TF_RETURN_IF_ERROR(Class(v, &x));
            T made = T();
            TF_RETURN_IF_ERROR(fn(ctx, *x, &made));
            *out = Variant(std::move(made));
            return Status();
        });
    return true;
}
template <typename T, typename F>
bool RegisterBinary(VariantBinaryOp op, const string &device, const F &fn)
{
    UnaryVariantOpRegistry::Global()->RegisterBinaryOpFn(
        op, device, TypeIndex::Make<T>(),
        [fn](OpKernelContext *ctx, const Variant &a, const Variant &b, Variant *out) {
            const T *x = nullptr, *y = nullptr;
            TF_RETURN_IF_ERROR(Class(a, &x));
            TF_RETURN_IF_ERROR(Class(b, &y));
            T made = T();
            TF_RETURN_IF_ERROR(fn(ctx, *x, *y, &made));
            *out = Variant(std::move(made));
            return Status();
        });
    return true;
}
template <typename T, typename F> bool RegisterCopy(VariantDeviceCopyDirection to, const F &fn)
{
    UnaryVariantOpRegistry::Global()->RegisterDeviceCopyFn(
        to, TypeIndex::Make<T>(),
        [fn](const Variant &from, Variant *out,
             UnaryVariantOpRegistry::AsyncTensorDeviceCopyFn copy) {
            const T *x = nullptr;
            TF_RETURN_IF_ERROR(Class(from, &x));
            T made = T();
            TF_RETURN_IF_ERROR(fn(*x, &made, copy));
            *out = Variant(std::move(made));
            return Status();
        });
    return true;
}
} // namespace variant_detail

template <typename Device>
Status UnaryOpVariant(OpKernelContext *ctx, VariantUnaryOp op, const Variant &v, Variant *out)
{
    auto *fn = UnaryVariantOpRegistry::Global()->GetUnaryOpFn(
        op, variant_detail::DeviceOf<Device>(), v.TypeId());
    return fn != nullptr ? (*fn)(ctx, v, out)
                         : variant_detail::NoFunction(VariantUnaryOpToString(op), v);
}
template <typename Device>
Status BinaryOpVariants(OpKernelContext *ctx, VariantBinaryOp op, const Variant &a,
                        const Variant &b, Variant *out)
{
    auto *fn = UnaryVariantOpRegistry::Global()->GetBinaryOpFn(
        op, variant_detail::DeviceOf<Device>(), a.TypeId());
    return fn != nullptr ? (*fn)(ctx, a, b, out)
                         : variant_detail::NoFunction(VariantBinaryOpToString(op), a);
}
inline Status VariantDeviceCopy(VariantDeviceCopyDirection direction, const Variant &from,
                                Variant *to,
                                const UnaryVariantOpRegistry::AsyncTensorDeviceCopyFn &copy)
{
    auto *fn = UnaryVariantOpRegistry::Global()->GetDeviceCopyFn(direction, from.TypeId());
    return fn != nullptr ? (*fn)(from, to, copy) : variant_detail::NoFunction("device copy", from);
}

} // namespace tensorflow

#define ORIBI_VARIANT_NAME2(n) oribi_variant_function_##n
#define ORIBI_VARIANT_NAME(n)  ORIBI_VARIANT_NAME2(n)
#define ORIBI_VARIANT_REGISTER(...)                                                                \
    static const bool ORIBI_VARIANT_NAME(__COUNTER__) TF_ATTRIBUTE_UNUSED =                        \
        ::tensorflow::variant_detail::__VA_ARGS__
#define REGISTER_UNARY_VARIANT_DECODE_FUNCTION(T, type_name)                                       \
    ORIBI_VARIANT_REGISTER(RegisterDecode<T>(type_name));
#define REGISTER_UNARY_VARIANT_UNARY_OP_FUNCTION(op, device, T, fn)                                \
    ORIBI_VARIANT_REGISTER(RegisterUnary<T>(op, device, fn));
#define REGISTER_UNARY_VARIANT_BINARY_OP_FUNCTION(op, device, T, fn)                               \
    ORIBI_VARIANT_REGISTER(RegisterBinary<T>(op, device, fn));
#define INTERNAL_REGISTER_UNARY_VARIANT_DEVICE_COPY_FUNCTION(T, direction, fn)                     \
    ORIBI_VARIANT_REGISTER(RegisterCopy<T>(direction, fn));

#endif
