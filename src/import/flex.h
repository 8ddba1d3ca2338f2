/* SPDX-License-Identifier: Apache-2.0 */
/* Flex: reads numbers and lists of integers from a FlexBuffers map, in place from untrusted bytes:
 * the options of custom operators. Every offset is checked; what is no map or no number is not
 * there. Read next: flat.h. Source   FlexBuffers' binary format: the root's value, its packed type
 * and its width at the end; a map is a vector of values, of types, and before it one of keys, all
 * offsets backwards.
 */
#ifndef ORIBI_IMPORT_FLEX_H_
#define ORIBI_IMPORT_FLEX_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct oribi_flex_vector {
    size_t at; /* of the first element */
    uint64_t count;
    uint32_t width; /* bytes of an element: 1, 2, 4 or 8 */
} oribi_flex_vector;

typedef struct oribi_flex_map {
    const uint8_t *data;
    size_t bytes;
    oribi_flex_vector values, keys;
} oribi_flex_map;

/* False: the root is no map whose keys and values lie inside. */
bool oribi_flex_open(const uint8_t *data, size_t bytes, oribi_flex_map *out);
/* The integer, float or truth value of that key; false: there is none, *out is untouched. */
bool oribi_flex_number(const oribi_flex_map *map, const char *key, double *out);
/* The typed vector of integers of that key; false: there is none. An element is read as signed. */
bool oribi_flex_ints(const oribi_flex_map *map, const char *key, oribi_flex_vector *out);
int64_t oribi_flex_int_at(const oribi_flex_map *map, const oribi_flex_vector *ints, uint64_t i);

#endif
