/* SPDX-License-Identifier: Apache-2.0 */
/* Map: open addressing over indices into the entries. Keys come from untrusted files, so the hash
 * is SipHash-1-3 under a key drawn once per process; order never depends on it.
 */
#include "base/map.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>
#ifdef _WIN32
#include <windows.h>
#define RtlGenRandom SystemFunction036 /* as Windows documents it */
BOOLEAN NTAPI RtlGenRandom(PVOID buffer, ULONG bytes);
#else
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "base/alloc.h"
#include "base/thread.h"

static uint64_t hash_key[2];
static oribi_once hash_key_once = ORIBI_ONCE_INIT;

static bool draw_random(void *out, unsigned bytes)
{
#ifdef _WIN32
    return RtlGenRandom(out, bytes);
#else
    enum { NONBLOCK = 1 }; /* by its number: glibc has the function since 2.25 alone */
    return syscall(SYS_getrandom, out, (size_t)bytes, NONBLOCK) == (long)bytes;
#endif
}

static void draw_hash_key(void)
{
    if (!draw_random(hash_key, sizeof(hash_key))) {
        hash_key[0] = oribi_now_ns();
        hash_key[1] = (uint64_t)(uintptr_t)&hash_key;
    }
}

static uint64_t rotate(uint64_t x, int by)
{
    return (x << by) | (x >> (64 - by));
}

static void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] = rotate(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] = rotate(v[2], 32);
}

static uint64_t hash_bytes(const char *key, size_t length)
{
    oribi_once_call(&hash_key_once, draw_hash_key);
    uint64_t v[4] = {hash_key[0] ^ 0x736f6d6570736575u, hash_key[1] ^ 0x646f72616e646f6du,
                     hash_key[0] ^ 0x6c7967656e657261u, hash_key[1] ^ 0x7465646279746573u};
    uint64_t word = 0;
    size_t at = 0;
    for (; length - at >= 8; at += 8) {
        memcpy(&word, key + at, 8);
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    word = 0;
    if (length > at) {
        memcpy(&word, key + at, length - at);
    }
    word |= (uint64_t)length << 56;
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++) {
        sip_round(v);
    }
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* Slot of the key, or the empty slot where it would go. Slots hold entry number + 1. */
static size_t find_slot(const oribi_map *map, const char *key, size_t length)
{
    size_t mask = map->n_slots - 1;
    size_t slot = (size_t)hash_bytes(key, length) & mask;
    while (map->slots[slot] != 0) {
        const oribi_map_entry *entry = &map->entries[map->slots[slot] - 1];
        if (entry->key_length == length && (length == 0 || memcmp(entry->key, key, length) == 0)) {
            break;
        }
        slot = (slot + 1) & mask;
    }
    return slot;
}

static bool grow_slots(oribi_map *map)
{
    oribi_map grown = *map;
    grown.n_slots = map->n_slots == 0 ? 16 : map->n_slots * 2;
    grown.slots = oribi_alloc_zero(grown.n_slots, sizeof(*grown.slots));
    if (grown.slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < map->n_entries; i++) {
        const oribi_map_entry *entry = &map->entries[i];
        grown.slots[find_slot(&grown, entry->key, entry->key_length)] = (unsigned)i + 1;
    }
    oribi_free(map->slots);
    *map = grown;
    return true;
}

static bool grow_entries(oribi_map *map)
{
    size_t capacity = map->capacity == 0 ? 8 : map->capacity * 2;
    oribi_map_entry *entries = oribi_realloc_array(map->entries, capacity, sizeof(*entries));
    if (entries == NULL) {
        return false;
    }
    map->entries = entries;
    map->capacity = capacity;
    return true;
}

bool oribi_map_put_n(oribi_map *map, const char *key, size_t length, void *value)
{
    if ((map->n_entries + 1) * 4 > map->n_slots * 3 && !grow_slots(map)) {
        return false;
    }
    size_t slot = find_slot(map, key, length);
    if (map->slots[slot] != 0) {
        map->entries[map->slots[slot] - 1].value = value;
        return true;
    }
    if (map->n_entries >= UINT_MAX - 1 || (map->n_entries == map->capacity && !grow_entries(map))) {
        return false;
    }
    map->entries[map->n_entries] =
        (oribi_map_entry){.key = key, .key_length = length, .value = value};
    map->slots[slot] = (unsigned)++map->n_entries;
    return true;
}

bool oribi_map_put(oribi_map *map, const char *key, void *value)
{
    return oribi_map_put_n(map, key, strlen(key), value);
}

void *oribi_map_get_n(const oribi_map *map, const char *key, size_t length)
{
    if (map->n_slots == 0) {
        return NULL;
    }
    unsigned found = map->slots[find_slot(map, key, length)];
    return found == 0 ? NULL : map->entries[found - 1].value;
}

void *oribi_map_get(const oribi_map *map, const char *key)
{
    return oribi_map_get_n(map, key, strlen(key));
}

void oribi_map_destroy(oribi_map *map)
{
    if (map == NULL) {
        return;
    }
    oribi_free(map->entries);
    oribi_free(map->slots);
    *map = (oribi_map){0};
}
