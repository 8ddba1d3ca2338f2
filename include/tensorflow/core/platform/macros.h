/* SPDX-License-Identifier: Apache-2.0 */
/* Macros of the code base: attributes, hints, copies forbidden. */
#ifndef ORIBI_TENSORFLOW_CORE_PLATFORM_MACROS_H_
#define ORIBI_TENSORFLOW_CORE_PLATFORM_MACROS_H_

#include "absl/base/attributes.h"
#include "absl/base/config.h"
#include "absl/base/optimization.h"

/* Classes of a plugin that derive from hidden ones are hidden too; g++ would say so each time. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wattributes"
#endif

#ifndef ORIBI_HIDDEN
#define ORIBI_HIDDEN __attribute__((visibility("hidden")))
#endif

#define TF_ATTRIBUTE_NORETURN      __attribute__((noreturn))
#define TF_ATTRIBUTE_ALWAYS_INLINE __attribute__((always_inline))
#define TF_ATTRIBUTE_NOINLINE      __attribute__((noinline))
#define TF_ATTRIBUTE_UNUSED        __attribute__((unused))
#define TF_ATTRIBUTE_COLD          __attribute__((cold))
#define TF_ATTRIBUTE_WEAK          __attribute__((weak))
#define TF_PACKED                  __attribute__((packed))
#define TF_MUST_USE_RESULT         __attribute__((warn_unused_result))
#define TF_PRINTF_ATTRIBUTE(a, b)  __attribute__((__format__(__printf__, a, b)))
#define TF_SCANF_ATTRIBUTE(a, b)   __attribute__((__format__(__scanf__, a, b)))
#define TF_EXPORT                  __attribute__((visibility("default")))
#define TF_FALLTHROUGH_INTENDED    __attribute__((fallthrough))
#define TF_PREDICT_TRUE(x)         (__builtin_expect(!!(x), 1))
#define TF_PREDICT_FALSE(x)        (__builtin_expect(!!(x), 0))
#define TF_HAS_CPP_ATTRIBUTE(n)    0
#define TF_CONST_INIT

#define TF_DISALLOW_COPY_AND_ASSIGN(Type)                                                          \
    Type(const Type &) = delete;                                                                   \
    void operator=(const Type &) = delete

#define TF_ARRAYSIZE(a)  (sizeof(a) / sizeof(*(a)))
#define TF_STR_HELPER(x) #x
#define TF_STR(x)        TF_STR_HELPER(x)

/* A name of its own for each use. */
#define ORIBI_JOIN_(a, b)  a##b
#define ORIBI_JOIN(a, b)   ORIBI_JOIN_(a, b)
#define ORIBI_UNIQUE(name) ORIBI_JOIN(name, __COUNTER__)

#endif
