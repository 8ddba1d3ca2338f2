/* SPDX-License-Identifier: Apache-2.0 */
/* Abseil's hash maps, here std::unordered_map with contains() and look-up by other string classes.
 */
#include "absl/base/config.h"
#ifndef ORIBI_OWN_ABSL
#pragma GCC system_header
#include_next <absl/container/flat_hash_map.h>
#elif !defined(ORIBI_ABSL_CONTAINER_FLAT_HASH_MAP_H_)
#define ORIBI_ABSL_CONTAINER_FLAT_HASH_MAP_H_

#include <unordered_map>

#include "absl/hash/hash.h"

namespace absl ORIBI_HIDDEN
{

/* Adds to a standard container what Abseil's have. */
template <typename Base> class HashTable : public Base
{
  public:
    using Base::Base;
    using Key = typename Base::key_type;
    using Base::count;
    using Base::erase;
    using Base::find;
    HashTable() = default;
    template <typename K>
    using Other = typename std::enable_if<!std::is_convertible<const K &, const Key &>::value &&
                                              std::is_constructible<Key, K>::value,
                                          int>::type;

    template <typename K, Other<K> = 0> typename Base::iterator find(const K &key)
    {
        return Base::find(Key(key));
    }
    template <typename K, Other<K> = 0> typename Base::const_iterator find(const K &key) const
    {
        return Base::find(Key(key));
    }
    template <typename K, Other<K> = 0> size_t count(const K &key) const
    {
        return Base::count(Key(key));
    }
    bool contains(const Key &key) const
    {
        return Base::find(key) != this->end();
    }
    template <typename K, Other<K> = 0> bool contains(const K &key) const
    {
        return Base::find(Key(key)) != this->end();
    }
};

template <typename Base> class HashMap : public HashTable<Base>
{
  public:
    using HashTable<Base>::HashTable;
    using Base::at;
    using Base::operator[];
    using Key = typename Base::key_type;
    HashMap() = default;
    template <typename K, typename HashTable<Base>::template Other<K> = 0>
    typename Base::mapped_type &operator[](const K &key)
    {
        return Base::operator[](Key(key));
    }
    template <typename K, typename... A>
    std::pair<typename Base::iterator, bool> try_emplace(K &&key, A &&...args)
    {
        auto it = this->find(key);
        if (it != this->end()) {
            return {it, false};
        }
        return Base::emplace(std::piecewise_construct, std::forward_as_tuple(std::forward<K>(key)),
                             std::forward_as_tuple(std::forward<A>(args)...));
    }
    template <typename K, typename V>
    std::pair<typename Base::iterator, bool> insert_or_assign(K &&key, V &&value)
    {
        auto done = try_emplace(std::forward<K>(key), value);
        if (!done.second) {
            done.first->second = std::forward<V>(value);
        }
        return done;
    }
};

template <typename K, typename V, typename H = Hash<K>, typename E = std::equal_to<K>>
using flat_hash_map = HashMap<std::unordered_map<K, V, H, E>>;
template <typename K, typename V, typename H = Hash<K>, typename E = std::equal_to<K>>
using node_hash_map = HashMap<std::unordered_map<K, V, H, E>>;

} // namespace absl
#endif
