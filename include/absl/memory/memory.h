/* SPDX-License-Identifier: Apache-2.0 */
/* make_unique, WrapUnique. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/memory/memory.h>
#elif !defined(ORIBI_ABSL_MEMORY_MEMORY_H_)
#define ORIBI_ABSL_MEMORY_MEMORY_H_

#include <memory>

namespace absl ORIBI_HIDDEN
{

using std::make_unique;
template <typename T> std::unique_ptr<T> WrapUnique(T *object)
{
    return std::unique_ptr<T>(object);
}

} // namespace absl
#endif
