/* SPDX-License-Identifier: Apache-2.0 */
/* Abseil's ordered containers, here the standard ones. */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/container/btree_map.h>
#elif !defined(ORIBI_ABSL_CONTAINER_BTREE_MAP_H_)
#define ORIBI_ABSL_CONTAINER_BTREE_MAP_H_

#include <map>
#include <set>

#include "absl/container/flat_hash_map.h"

namespace absl ORIBI_HIDDEN
{

template <typename K, typename V, typename L = std::less<K>>
using btree_map = HashMap<std::map<K, V, L>>;
template <typename K, typename V, typename L = std::less<K>>
using btree_multimap = std::multimap<K, V, L>;
template <typename K, typename L = std::less<K>> using btree_set = HashTable<std::set<K, L>>;
template <typename K, typename L = std::less<K>> using btree_multiset = std::multiset<K, L>;

} // namespace absl
#endif
