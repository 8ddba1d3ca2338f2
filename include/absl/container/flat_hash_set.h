/* SPDX-License-Identifier: Apache-2.0 */
/* Abseil's hash sets, here std::unordered_set. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/container/flat_hash_set.h>
#elif !defined(ORIBI_ABSL_CONTAINER_FLAT_HASH_SET_H_)
#define ORIBI_ABSL_CONTAINER_FLAT_HASH_SET_H_

#include <unordered_set>

#include "absl/container/flat_hash_map.h"

namespace absl ORIBI_HIDDEN
{

template <typename K, typename H = Hash<K>, typename E = std::equal_to<K>>
using flat_hash_set = HashTable<std::unordered_set<K, H, E>>;
template <typename K, typename H = Hash<K>, typename E = std::equal_to<K>>
using node_hash_set = HashTable<std::unordered_set<K, H, E>>;

} // namespace absl
#endif
