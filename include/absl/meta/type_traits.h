/* SPDX-License-Identifier: Apache-2.0 */
/* What C++14 has of <type_traits>, under absl. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/meta/type_traits.h>
#elif !defined(ORIBI_ABSL_META_TYPE_TRAITS_H_)
#define ORIBI_ABSL_META_TYPE_TRAITS_H_

#include <type_traits>

namespace absl ORIBI_HIDDEN
{

using std::conditional_t;
using std::decay_t;
using std::enable_if_t;
using std::remove_const_t;
using std::remove_cv_t;
using std::remove_pointer_t;
using std::remove_reference_t;
using std::underlying_type_t;

} // namespace absl
#endif
