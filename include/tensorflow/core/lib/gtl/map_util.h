/* SPDX-License-Identifier: Apache-2.0 */
/* gtl::Find*, Insert*: short forms of what is done with maps and sets. */
#ifndef ORIBI_TENSORFLOW_CORE_LIB_GTL_MAP_UTIL_H_
#define ORIBI_TENSORFLOW_CORE_LIB_GTL_MAP_UTIL_H_

#include <utility>

#include "tensorflow/core/platform/macros.h"

namespace tensorflow ORIBI_HIDDEN
{
namespace gtl
{

/* The value of a key; null where there is none. */
template <typename M>
const typename M::mapped_type *FindOrNull(const M &map, const typename M::key_type &key)
{
    const auto it = map.find(key);
    return it == map.end() ? nullptr : &it->second;
}
template <typename M> typename M::mapped_type *FindOrNull(M &map, const typename M::key_type &key)
{
    const auto it = map.find(key);
    return it == map.end() ? nullptr : &it->second;
}
/* The same for maps of pointers. */
template <typename M>
typename M::mapped_type FindPtrOrNull(const M &map, const typename M::key_type &key)
{
    const auto it = map.find(key);
    return it == map.end() ? typename M::mapped_type() : it->second;
}
/* The value of a key, or one that takes its place. */
template <typename M>
const typename M::mapped_type &FindWithDefault(const M &map, const typename M::key_type &key,
                                               const typename M::mapped_type &value)
{
    const auto it = map.find(key);
    return it == map.end() ? value : it->second;
}
template <typename M>
bool InsertOrUpdate(M *map, const typename M::key_type &key, const typename M::mapped_type &value)
{
    const auto done = map->insert({key, value});
    if (!done.second) {
        done.first->second = value;
    }
    return done.second;
}
template <typename M> bool InsertOrUpdate(M *map, const typename M::value_type &entry)
{
    return InsertOrUpdate(map, entry.first, entry.second);
}
template <typename S> bool InsertIfNotPresent(S *set, const typename S::value_type &entry)
{
    return set->insert(entry).second;
}
template <typename M>
bool InsertIfNotPresent(M *map, const typename M::key_type &key,
                        const typename M::mapped_type &value)
{
    return map->insert({key, value}).second;
}
template <typename M>
typename M::mapped_type &LookupOrInsert(M *map, const typename M::key_type &key,
                                        const typename M::mapped_type &value)
{
    return map->insert({key, value}).first->second;
}
template <typename M>
typename M::mapped_type EraseKeyReturnValuePtr(M *map, const typename M::key_type &key)
{
    const auto it = map->find(key);
    typename M::mapped_type out = {};
    if (it != map->end()) {
        out = std::move(it->second);
        map->erase(it);
    }
    return out;
}
/* Each of the first map's entries whose value is new becomes one of the other direction; true when
 * all values were new. */
template <typename M, typename R> bool ReverseMap(const M &map, R *reverse)
{
    bool all = true;
    for (const auto &entry : map) {
        all = InsertOrUpdate(reverse, entry.second, entry.first) && all;
    }
    return all;
}
template <typename R, typename M> R ReverseMap(const M &map)
{
    R reverse;
    ReverseMap(map, &reverse);
    return reverse;
}

} // namespace gtl
} // namespace tensorflow

#endif
