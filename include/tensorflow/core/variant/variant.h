/* SPDX-License-Identifier: Apache-2.0 */
/* Variant: the element of a variant tensor, which holds a value of any class that can be copied. It
 * is the one pointer of tensorflow/c/variant.h: the host copies and destroys it by functions that
 * the object brings along. An object that another plugin or C code made is kept, and is nothing
 * that get() knows. How objects are taken apart: variant_encode_decode.h. */
#ifndef ORIBI_TENSORFLOW_CORE_VARIANT_VARIANT_H_
#define ORIBI_TENSORFLOW_CORE_VARIANT_VARIANT_H_

#include <new>
#include <type_traits>
#include <utility>

#include "tensorflow/c/variant.h"
#include "tensorflow/core/framework/type_index.h"
#include "tensorflow/core/variant/variant_encode_decode.h"

namespace tensorflow ORIBI_HIDDEN
{

class Variant
{
    /* What is known of a class, behind what the host knows of it. */
    struct Kind {
        TF_VariantType type;
        void (*remove)(TF_VariantHead *object);
        void *(*value)(TF_VariantHead *object);
        TypeIndex index;
        string (*name)(const void *value);
        void (*encode)(const void *value, VariantTensorData *data);
        bool (*decode)(void *value, VariantTensorData *data);
        string (*text)(const void *value);
    };
    template <typename T> struct Object {
        template <typename... A>
        explicit Object(const TF_VariantType *type, A &&...a)
            : head{type}, value(std::forward<A>(a)...)
        {
        }
        TF_VariantHead head;
        T value;
    };
    template <typename T>
    using IsValue =
        typename std::enable_if<!std::is_same<typename std::decay<T>::type, Variant>::value &&
                                    std::is_copy_constructible<typename std::decay<T>::type>::value,
                                bool>::type;

  public:
    Variant() noexcept = default;
    Variant(const Variant &other)
        : object_(other.object_ != nullptr ? other.object_->type->copy(other.object_) : nullptr)
    {
    }
    Variant(Variant &&other) noexcept : object_(other.object_)
    {
        other.object_ = nullptr;
    }
    template <typename T, IsValue<T> = true> Variant(T &&value)
    {
        emplace<typename std::decay<T>::type>(std::forward<T>(value));
    }
    ~Variant()
    {
        clear();
    }
    Variant &operator=(Variant other) noexcept
    {
        swap(other);
        return *this;
    }
    void swap(Variant &other) noexcept
    {
        std::swap(object_, other.object_);
    }
    void clear() noexcept
    {
        TF_VariantHead *object = object_;
        object_ = nullptr;
        if (object != nullptr) {
            object->type->destroy(object);
        }
    }
    bool is_empty() const
    {
        return object_ == nullptr;
    }
    template <typename T, typename... A> T &emplace(A &&...a)
    {
        auto *made = new Object<T>(&KindOf<T>().type, std::forward<A>(a)...);
        clear();
        object_ = &made->head;
        return made->value;
    }

    /* The value, when it is of this class and was made in this plugin. */
    template <typename T> T *get()
    {
        return object_ != nullptr && object_->type == &KindOf<T>().type
                   ? static_cast<T *>(KindOf<T>().value(object_))
                   : nullptr;
    }
    template <typename T> const T *get() const
    {
        return const_cast<Variant *>(this)->get<T>();
    }
    TypeIndex TypeId() const
    {
        const Kind *kind = OwnKind();
        return kind != nullptr ? kind->index : TypeIndex::Make<void>();
    }
    string TypeName() const
    {
        const Kind *kind = OwnKind();
        return kind != nullptr      ? kind->name(Value())
               : object_ != nullptr ? object_->type->name
                                    : "";
    }
    string SummarizeValue() const
    {
        const Kind *kind = OwnKind();
        return kind != nullptr ? kind->text(Value()) : "[" + TypeName() + "]";
    }
    string DebugString() const
    {
        return "Variant<type: " + TypeName() + " value: " + SummarizeValue() + ">";
    }
    void Encode(VariantTensorData *data) const
    {
        const Kind *kind = OwnKind();
        if (kind != nullptr) {
            data->set_type_name(TypeName());
            kind->encode(Value(), data);
        }
    }
    /* Into the value that is there, which says the class. */
    bool Decode(VariantTensorData data)
    {
        const Kind *kind = OwnKind();
        return kind != nullptr && kind->decode(Value(), &data);
    }

  private:
    template <typename T> static Object<T> *ObjectOf(TF_VariantHead *head)
    {
        return reinterpret_cast<Object<T> *>(head); /* its first member */
    }
    template <typename T> static const Kind &KindOf()
    {
        static const Kind kind = {
            {TF_VARIANT_TYPE_STRUCT_SIZE, ClassName<T>(),
             [](const TF_VariantHead *object) -> TF_VariantHead * {
                 const T &value = ObjectOf<T>(const_cast<TF_VariantHead *>(object))->value;
                 auto *copy = new (std::nothrow) Object<T>(object->type, value);
                 return copy != nullptr ? &copy->head : nullptr;
             },
             &Destroy},
            [](TF_VariantHead *object) { delete ObjectOf<T>(object); },
            [](TF_VariantHead *object) -> void * { return &ObjectOf<T>(object)->value; },
            TypeIndex::Make<T>(),
            [](const void *value) { return TypeNameVariant(*static_cast<const T *>(value)); },
            [](const void *value, VariantTensorData *data) {
                EncodeVariant(*static_cast<const T *>(value), data);
            },
            [](void *value, VariantTensorData *data) {
                return DecodeVariant(data, static_cast<T *>(value));
            },
            [](const void *value) { return DebugStringVariant(*static_cast<const T *>(value)); },
        };
        return kind;
    }
    /* One function for all classes, which tells the objects of this plugin from others. */
    static void Destroy(TF_VariantHead *object)
    {
        reinterpret_cast<const Kind *>(object->type)->remove(object);
    }
    const Kind *OwnKind() const
    {
        return object_ != nullptr && object_->type->destroy == &Destroy
                   ? reinterpret_cast<const Kind *>(object_->type)
                   : nullptr;
    }
    void *Value() const
    {
        return OwnKind()->value(object_);
    }
    TF_VariantHead *object_ = nullptr;
};
static_assert(sizeof(Variant) == sizeof(void *), "the element of a variant tensor is a pointer");

} // namespace tensorflow

#endif
