/* SPDX-License-Identifier: Apache-2.0 */
/* gtl::FlatMap, FlatSet: hash tables by their older names. */
#ifndef ORIBI_TENSORFLOW_CORE_LIB_GTL_FLATMAP_H_
#define ORIBI_TENSORFLOW_CORE_LIB_GTL_FLATMAP_H_

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tensorflow/core/platform/macros.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace gtl
{

template <typename K, typename V, typename H = absl::Hash<K>, typename E = std::equal_to<K>>
using FlatMap = absl::flat_hash_map<K, V, H, E>;
template <typename K, typename H = absl::Hash<K>, typename E = std::equal_to<K>>
using FlatSet = absl::flat_hash_set<K, H, E>;

} // namespace gtl
} // namespace tensorflow

#endif
