/* SPDX-License-Identifier: Apache-2.0 */
/* Map from strings to pointers; keeps insertion order, so that walks are deterministic. Keys are
 * borrowed: they must live as long as the map. One thread at a time. */
#ifndef ORIBI_BASE_MAP_H_
#define ORIBI_BASE_MAP_H_

#include <stdbool.h>
#include <stddef.h>

typedef struct oribi_map_entry {
    const char *key;
    size_t key_length;
    void *value;
} oribi_map_entry;

typedef struct oribi_map {
    oribi_map_entry *entries; /* n_entries, in insertion order */
    size_t n_entries, capacity;
    unsigned *slots;
    size_t n_slots;
} oribi_map;

void oribi_map_destroy(oribi_map *map);
bool oribi_map_put(oribi_map *map, const char *key, void *value); /* replaces; false: no memory */
bool oribi_map_put_n(oribi_map *map, const char *key, size_t length, void *value);
void *oribi_map_get(const oribi_map *map, const char *key); /* NULL when absent */
void *oribi_map_get_n(const oribi_map *map, const char *key, size_t length);

#endif
