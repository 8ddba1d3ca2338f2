/* SPDX-License-Identifier: Apache-2.0 */
/* Algorithms on whole containers. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/algorithm/container.h>
#elif !defined(ORIBI_ABSL_ALGORITHM_CONTAINER_H_)
#define ORIBI_ABSL_ALGORITHM_CONTAINER_H_

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace absl ORIBI_HIDDEN
{

#define ORIBI_C_ALGORITHM(name)                                                                    \
    template <typename C, typename... A>                                                           \
    auto c_##name(C &&c, A &&...args)                                                              \
        ->decltype(std::name(std::begin(c), std::end(c), std::forward<A>(args)...))                \
    {                                                                                              \
        return std::name(std::begin(c), std::end(c), std::forward<A>(args)...);                    \
    }
ORIBI_C_ALGORITHM(all_of)
ORIBI_C_ALGORITHM(any_of)
ORIBI_C_ALGORITHM(none_of)
ORIBI_C_ALGORITHM(find)
ORIBI_C_ALGORITHM(find_if)
ORIBI_C_ALGORITHM(count)
ORIBI_C_ALGORITHM(count_if)
ORIBI_C_ALGORITHM(sort)
ORIBI_C_ALGORITHM(stable_sort)
ORIBI_C_ALGORITHM(is_sorted)
ORIBI_C_ALGORITHM(reverse)
ORIBI_C_ALGORITHM(fill)
ORIBI_C_ALGORITHM(copy)
ORIBI_C_ALGORITHM(transform)
ORIBI_C_ALGORITHM(for_each)
ORIBI_C_ALGORITHM(max_element)
ORIBI_C_ALGORITHM(min_element)
ORIBI_C_ALGORITHM(accumulate)
ORIBI_C_ALGORITHM(iota)
ORIBI_C_ALGORITHM(binary_search)
ORIBI_C_ALGORITHM(lower_bound)
ORIBI_C_ALGORITHM(upper_bound)
ORIBI_C_ALGORITHM(replace)
#undef ORIBI_C_ALGORITHM

template <typename C, typename V> bool c_linear_search(const C &c, const V &value)
{
    return std::find(std::begin(c), std::end(c), value) != std::end(c);
}
template <typename A, typename B> bool c_equal(const A &a, const B &b)
{
    return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b));
}

} // namespace absl
#endif
