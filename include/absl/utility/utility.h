/* SPDX-License-Identifier: Apache-2.0 */
/* What C++14 has of <utility>, under absl. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/utility/utility.h>
#elif !defined(ORIBI_ABSL_UTILITY_UTILITY_H_)
#define ORIBI_ABSL_UTILITY_UTILITY_H_

#include <utility>

namespace absl ORIBI_HIDDEN
{

using std::exchange;
using std::forward;
using std::index_sequence;
using std::integer_sequence;
using std::make_index_sequence;
using std::move;

} // namespace absl
#endif
