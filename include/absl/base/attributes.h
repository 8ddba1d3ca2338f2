/* SPDX-License-Identifier: Apache-2.0 */
/* Attribute macros. Read next: config.h. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/base/attributes.h>
#elif !defined(ORIBI_ABSL_BASE_ATTRIBUTES_H_)
#define ORIBI_ABSL_BASE_ATTRIBUTES_H_
#define ABSL_ATTRIBUTE_UNUSED        __attribute__((unused))
#define ABSL_ATTRIBUTE_ALWAYS_INLINE __attribute__((always_inline))
#define ABSL_ATTRIBUTE_NOINLINE      __attribute__((noinline))
#define ABSL_ATTRIBUTE_NORETURN      __attribute__((noreturn))
#define ABSL_ATTRIBUTE_PACKED        __attribute__((packed))
#define ABSL_ATTRIBUTE_WEAK          __attribute__((weak))
#define ABSL_ATTRIBUTE_HOT           __attribute__((hot))
#define ABSL_ATTRIBUTE_COLD          __attribute__((cold))
#define ABSL_MUST_USE_RESULT         __attribute__((warn_unused_result))
#define ABSL_FALLTHROUGH_INTENDED    __attribute__((fallthrough))
#define ABSL_ATTRIBUTE_LIFETIME_BOUND
#define ABSL_ATTRIBUTE_INITIAL_EXEC
#define ABSL_CONST_INIT
#define ABSL_DEPRECATED(message)
#define ABSL_GUARDED_BY(x)
#define ABSL_PT_GUARDED_BY(x)
#define ABSL_ACQUIRED_AFTER(...)
#define ABSL_ACQUIRED_BEFORE(...)
#define ABSL_EXCLUSIVE_LOCKS_REQUIRED(...)
#define ABSL_SHARED_LOCKS_REQUIRED(...)
#define ABSL_LOCKS_EXCLUDED(...)
#define ABSL_LOCKABLE
#define ABSL_SCOPED_LOCKABLE
#define ABSL_NO_THREAD_SAFETY_ANALYSIS
#endif
