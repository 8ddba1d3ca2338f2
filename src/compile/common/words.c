/* SPDX-License-Identifier: Apache-2.0 */
/* Which names can emitted C not give to something of the caller's? Words of C and C++, what the
 * headers that it includes may define as macros or types. What its own functions call something
 * does not matter: names of the caller's are members of structs, and variables made of them begin
 * with pool_ or dev_. Read next: ../plan/ports.c and devices.c, where such a name gets a suffix,
 * and pools.c, where it is refused. */
#include <string.h>

#include "compile/common/c_names.h"

/* C up to C23, C++ up to C++23; words that begin with '_' are no names of ours. */
static const char keywords[] =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t"
    " char8_t class co_await co_return co_yield compl complex concept const const_cast consteval"
    " constexpr constinit continue decltype default delete do double dynamic_cast else enum"
    " explicit export extern false float for friend goto if imaginary inline int long mutable"
    " namespace new noexcept not not_eq nullptr nullptr_t operator or or_eq private protected"
    " public register reinterpret_cast requires restrict return short signed sizeof static"
    " static_assert static_cast struct switch template this thread_local throw true try typedef"
    " typeid typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t"
    " while xor xor_eq ";

/* Names that belong to stddef.h, stdint.h, string.h, stdbool.h, limits.h, errno.h, assert.h,
 * stdio.h, complex.h and to compilers and systems. Types like intN_t and their limits are
 * recognised by their form. */
static const char headers[] =
    " NULL offsetof ptrdiff_t size_t ssize_t max_align_t va_list memccpy memchr memcmp memcpy"
    " memmem memmove mempcpy memset memset_explicit strcat strchr strcmp strcoll strcpy strcspn"
    " strdup strerror strlen strncat strncmp strncpy strndup strnlen strpbrk strrchr strspn strstr"
    " strtok strxfrm bcmp bcopy bzero index_t CHAR_BIT CHAR_MAX CHAR_MIN LONG_MAX LONG_MIN"
    " LLONG_MAX LLONG_MIN MB_LEN_MAX SCHAR_MAX SCHAR_MIN SHRT_MAX SHRT_MIN UCHAR_MAX ULONG_MAX"
    " ULLONG_MAX USHRT_MAX SIZE_MAX PTRDIFF_MAX PTRDIFF_MIN SIG_ATOMIC_MAX SIG_ATOMIC_MIN"
    " WCHAR_MAX WCHAR_MIN WINT_MAX WINT_MIN EOF errno assert stdin stdout stderr I linux unix i386"
    " near far huge signals slots interrupt PROGMEM F INPUT OUTPUT HIGH LOW PI min max ";

static bool has(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = strstr(list, name); length > 0 && at != NULL; at = strstr(at + 1, name)) {
        if (at[-1] == ' ' && at[length] == ' ') {
            return true;
        }
    }
    return false;
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static bool ends(const char *name, const char *with)
{
    const size_t length = strlen(name), tail = strlen(with);
    return length > tail && strcmp(name + length - tail, with) == 0;
}

bool oribi_compile_is_keyword(const char *name)
{
    return has(keywords, name);
}

bool oribi_compile_is_word(const char *name)
{
    const bool is_type = (begins(name, "int") || begins(name, "uint")) && ends(name, "_t");
    const bool is_limit = (begins(name, "INT") || begins(name, "UINT")) &&
                          (ends(name, "_MAX") || ends(name, "_MIN") || ends(name, "_C"));
    return has(keywords, name) || has(headers, name) || is_type || is_limit ||
           begins(name, "TVM") || begins(name, "tvm_") || begins(name, "tvmgen_") ||
           begins(name, "ORIBI_");
}
