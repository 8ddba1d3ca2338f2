/* SPDX-License-Identifier: Apache-2.0 */
/* Attribute values and partial shapes: one representation for op defaults, graph nodes, kernels and
 * importers. All memory belongs to the arena that the maker passed, except tensors (counted).
 * Reading values by kind, with messages: attr_read.h.
 */
#ifndef ORIBI_OP_ATTR_H_
#define ORIBI_OP_ATTR_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"
#include "tensor/tensor.h"
#include "tensorflow/c/tf_attrtype.h"

typedef struct oribi_shape { /* rank -1: unknown rank; dims[i] -1: unknown dimension */
    int32_t rank;
    int64_t *dims;
} oribi_shape;

typedef struct oribi_attr {
    const char *name;
    uint8_t kind; /* TF_AttrType */
    bool is_list;
    int32_t count; /* elements: 1 for a scalar, 0..n for a list */
    union {        /* arrays of `count` elements */
        const void *elements;
        const oribi_string *s; /* STRING, PLACEHOLDER; FUNC: a NameAttrList message */
        const int64_t *i;
        const float *f;
        const uint8_t *b;
        const TF_DataType *type;
        const oribi_shape *shape;
        TF_Tensor *const *tensor; /* references are held by the owner of the list */
    } u;
} oribi_attr;

typedef struct oribi_attrs {
    oribi_attr *items;
    int32_t count, capacity;
} oribi_attrs;

const oribi_attr *oribi_attrs_find(const oribi_attrs *attrs, const char *name);
size_t oribi_attr_element_bytes(uint8_t kind);                /* of u's arrays; 0 for a bad kind */
const char *oribi_attr_kind_name(uint8_t kind, bool is_list); /* "int", "list(int)" */
/* Setters copy into the arena and replace an attribute of the same name; false: no memory. Tensor
 * pointers are copied without a new reference. */
bool oribi_attrs_set(oribi_attrs *attrs, oribi_arena *arena, const oribi_attr *value);
bool oribi_attrs_set_int(oribi_attrs *attrs, oribi_arena *arena, const char *name, int64_t value);
bool oribi_attrs_set_float(oribi_attrs *attrs, oribi_arena *arena, const char *name, float value);
bool oribi_attrs_set_bool(oribi_attrs *attrs, oribi_arena *arena, const char *name, bool value);
bool oribi_attrs_set_type(oribi_attrs *attrs, oribi_arena *arena, const char *name, TF_DataType t);
bool oribi_attrs_set_string(oribi_attrs *attrs, oribi_arena *arena, const char *name,
                            const char *value);
bool oribi_attrs_set_ints(oribi_attrs *attrs, oribi_arena *arena, const char *name,
                          const int64_t *values, int count);
bool oribi_attrs_set_types(oribi_attrs *attrs, oribi_arena *arena, const char *name,
                           const TF_DataType *values, int count);
bool oribi_attrs_set_strings(oribi_attrs *attrs, oribi_arena *arena, const char *name,
                             const char *const *values, int count);
/* An element of kind FUNC: a message of a name alone, in the arena (false: no memory); and the name
 * of one, "" where it has none. */
bool oribi_func_make(oribi_arena *arena, const oribi_string *name, oribi_string *out_func);
oribi_string oribi_func_name(const oribi_string *func);
/* Same value, tensors and all? Names do not count. NULL equals NULL only. */
bool oribi_attr_equal(const oribi_attr *a, const oribi_attr *b);
/* The value alone, as a default is written in an attribute spec; long values are cut. */
void oribi_attr_print(const oribi_attr *attr, oribi_text *text);

/* rank -1 makes an unknown shape. False: no memory, *out untouched. */
bool oribi_shape_copy(oribi_arena *arena, const int64_t *dims, int32_t rank, oribi_shape *out);
bool oribi_shape_is_full(const oribi_shape *shape); /* rank and every dimension known */
bool oribi_shape_equal(const oribi_shape *a, const oribi_shape *b); /* unknown equals unknown */
/* Do both agree in what both know? */
bool oribi_shape_agrees(const oribi_shape *a, const oribi_shape *b);
void oribi_shape_print(const oribi_shape *shape, oribi_text *text); /* "[1,?,3]", "?" */

#endif
