/* SPDX-License-Identifier: Apache-2.0 */
/* tstring: the element of a string tensor, 24 bytes with the layout of ctstring.h. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_TSTRING_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_TSTRING_H_

#include <cstddef>
#include <functional>
#include <ostream>
#include <string>

#include "absl/strings/string_view.h"
#ifndef ORIBI_OWN_ABSL
#include "absl/strings/str_cat.h"
#endif
#include "tensorflow/c/ctstring.h"
#include "tensorflow/core/platform/macros.h"
#include "tensorflow/core/platform/stringpiece.h"

namespace tensorflow ORIBI_HIDDEN
{

class tstring
{
  public:
    enum Type { SMALL = 0, LARGE = 1, OFFSET = 2, VIEW = 3 };
    using const_iterator = const char *;
    using iterator = char *;
    using value_type = char;
    enum : size_t { npos = static_cast<size_t>(-1) };

    /* Text that is only looked at: the maker keeps it alive. */
    class view
    {
      public:
        explicit view(const char *data, size_t size) : data_(data), size_(size)
        {
        }
        explicit view(const char *text) : view(text, std::char_traits<char>::length(text))
        {
        }
        const char *data() const
        {
            return data_;
        }
        size_t size() const
        {
            return size_;
        }

      private:
        const char *data_;
        size_t size_;
    };

    tstring()
    {
        TF_TString_Init(&text_);
    }
    tstring(const char *text, size_t size) : tstring()
    {
        TF_TString_Copy(&text_, text, size);
    }
    tstring(const char *text) : tstring(text, std::char_traits<char>::length(text))
    {
    }
    tstring(const std::string &text) : tstring(text.data(), text.size())
    {
    }
    tstring(absl::string_view text) : tstring(text.data(), text.size())
    {
    }
    tstring(size_t size, char c) : tstring()
    {
        TF_TString_Resize(&text_, size, c);
    }
    tstring(const tstring &other) : tstring()
    {
        TF_TString_Assign(&text_, &other.text_);
    }
    tstring(tstring &&other) noexcept : tstring()
    {
        TF_TString_Move(&text_, &other.text_);
    }
    explicit tstring(view v) : tstring()
    {
        TF_TString_AssignView(&text_, v.data(), v.size());
    }
    ~tstring()
    {
        TF_TString_Dealloc(&text_);
    }
    tstring &operator=(const tstring &other)
    {
        TF_TString_Assign(&text_, &other.text_);
        return *this;
    }
    tstring &operator=(tstring &&other) noexcept
    {
        TF_TString_Move(&text_, &other.text_);
        return *this;
    }
    tstring &operator=(const std::string &text)
    {
        return assign(text.data(), text.size());
    }
    tstring &operator=(const char *text)
    {
        return assign(text, std::char_traits<char>::length(text));
    }
    tstring &operator=(absl::string_view text)
    {
        return assign(text.data(), text.size());
    }
    tstring &operator=(char c)
    {
        return assign(&c, 1);
    }
    tstring &operator=(view v)
    {
        return assign_as_view(v.data(), v.size());
    }

    operator std::string() const
    {
        return std::string(data(), size());
    }
#ifndef ORIBI_OWN_ABSL
    operator absl::AlphaNum() const /* StrCat(text): ours takes it anyway */
    {
        return {absl::string_view(data(), size())};
    }
#endif
    operator absl::string_view() const
    {
        return absl::string_view(data(), size());
    }
    const char *data() const
    {
        return TF_TString_GetDataPointer(&text_);
    }
    char *data()
    {
        return TF_TString_GetMutableDataPointer(&text_);
    }
    char *mdata()
    {
        return TF_TString_GetMutableDataPointer(&text_);
    }
    /* With a NUL after the text: a view becomes a copy first. */
    const char *c_str() const
    {
        return TF_TString_GetType(&text_) == TF_TSTR_VIEW ||
                       TF_TString_GetType(&text_) == TF_TSTR_OFFSET
                   ? TF_TString_GetMutableDataPointer(const_cast<TF_TString *>(&text_))
                   : data();
    }
    size_t size() const
    {
        return TF_TString_GetSize(&text_);
    }
    size_t length() const
    {
        return size();
    }
    size_t capacity() const
    {
        return TF_TString_GetCapacity(&text_);
    }
    bool empty() const
    {
        return size() == 0;
    }
    Type type() const
    {
        return static_cast<Type>(TF_TString_GetType(&text_));
    }
    const char *begin() const
    {
        return data();
    }
    const char *end() const
    {
        return data() + size();
    }
    char *begin()
    {
        return mdata();
    }
    char *end()
    {
        return mdata() + size();
    }
    const char &operator[](size_t i) const
    {
        return data()[i];
    }
    char &operator[](size_t i)
    {
        return mdata()[i];
    }
    const char &front() const
    {
        return data()[0];
    }
    const char &back() const
    {
        return data()[size() - 1];
    }
    void clear() noexcept
    {
        TF_TString_ResizeUninitialized(&text_, 0);
    }
    void resize(size_t size, char c = 0)
    {
        TF_TString_Resize(&text_, size, c);
    }
    void resize_uninitialized(size_t size)
    {
        TF_TString_ResizeUninitialized(&text_, size);
    }
    void reserve(size_t size)
    {
        TF_TString_Reserve(&text_, size);
    }
    tstring &assign(const char *text, size_t size)
    {
        const absl::string_view own(*this);
        if (size != 0 && std::less_equal<const char *>()(own.data(), text) &&
            std::less<const char *>()(text, own.data() + own.size())) {
            return *this = tstring(text, size);
        }
        TF_TString_Copy(&text_, text, size);
        return *this;
    }
    tstring &assign(const char *text)
    {
        return assign(text, std::char_traits<char>::length(text));
    }
    tstring &assign_as_view(const char *text, size_t size)
    {
        TF_TString_AssignView(&text_, text, size);
        return *this;
    }
    tstring &assign_as_view(absl::string_view text)
    {
        return assign_as_view(text.data(), text.size());
    }
    tstring &append(const char *text, size_t size)
    {
        TF_TString_AppendN(&text_, text, size);
        return *this;
    }
    tstring &append(absl::string_view text)
    {
        return append(text.data(), text.size());
    }
    tstring &append(size_t n, char c)
    {
        resize(size() + n, c);
        return *this;
    }
    tstring &operator+=(absl::string_view text)
    {
        return append(text.data(), text.size());
    }
    tstring &operator+=(const std::string &text)
    {
        return append(text.data(), text.size());
    }
    tstring &operator+=(const char *text)
    {
        return append(text, std::char_traits<char>::length(text));
    }
    tstring &operator+=(char c)
    {
        return append(&c, 1);
    }
    void push_back(char c)
    {
        append(&c, 1);
    }
    void swap(tstring &other)
    {
        std::swap(text_, other.text_);
    }
    int compare(absl::string_view other) const
    {
        return absl::string_view(*this).compare(other);
    }

    /* Found only where a tstring takes part: string_view has comparisons of its own. */
#define ORIBI_TSTRING_COMPARE(op)                                                                  \
    friend bool operator op(const tstring &a, const tstring &b)                                    \
    {                                                                                              \
        return absl::string_view(a) op absl::string_view(b);                                       \
    }                                                                                              \
    friend bool operator op(const tstring &a, const char *b)                                       \
    {                                                                                              \
        return absl::string_view(a) op absl::string_view(b);                                       \
    }                                                                                              \
    friend bool operator op(const char *a, const tstring &b)                                       \
    {                                                                                              \
        return absl::string_view(a) op absl::string_view(b);                                       \
    }                                                                                              \
    friend bool operator op(const tstring &a, const std::string &b)                                \
    {                                                                                              \
        return absl::string_view(a) op absl::string_view(b);                                       \
    }                                                                                              \
    friend bool operator op(const std::string &a, const tstring &b)                                \
    {                                                                                              \
        return absl::string_view(a) op absl::string_view(b);                                       \
    }                                                                                              \
    friend bool operator op(const tstring &a, absl::string_view b)                                 \
    {                                                                                              \
        return absl::string_view(a) op b;                                                          \
    }                                                                                              \
    friend bool operator op(absl::string_view a, const tstring &b)                                 \
    {                                                                                              \
        return a op absl::string_view(b);                                                          \
    }
    ORIBI_TSTRING_COMPARE(==)
    ORIBI_TSTRING_COMPARE(!=)
    ORIBI_TSTRING_COMPARE(<)
    ORIBI_TSTRING_COMPARE(>)
    ORIBI_TSTRING_COMPARE(<=)
    ORIBI_TSTRING_COMPARE(>=)
#undef ORIBI_TSTRING_COMPARE

    friend tstring operator+(const tstring &a, const tstring &b)
    {
        tstring out(a);
        return out += absl::string_view(b);
    }
    friend std::ostream &operator<<(std::ostream &out, const tstring &text)
    {
        return out.write(text.data(), static_cast<std::streamsize>(text.size()));
    }

  private:
    TF_TString text_;
};
static_assert(sizeof(tstring) == 24, "a tstring is the element of a TF_STRING tensor");

} // namespace tensorflow

namespace std
{
template <> struct ORIBI_HIDDEN hash<tensorflow::tstring> {
    size_t operator()(const tensorflow::tstring &text) const
    {
        return tensorflow::StringPieceHasher()(tensorflow::StringPiece(text.data(), text.size()));
    }
};
} // namespace std

#endif
