/* SPDX-License-Identifier: Apache-2.0 */
/* What may be assumed of a node's op: the traits that its definition declares, as far as the node's
 * attributes let them hold. What each word means: include/tensorflow/c/op_traits.h; how they are
 * parsed: spec_trait.c.
 */
#ifndef ORIBI_OP_TRAITS_H_
#define ORIBI_OP_TRAITS_H_

#include "op/op.h"

/* bits of oribi_traits.is; a word may say several */
typedef enum oribi_trait {
    ORIBI_TRAIT_ELEMENTWISE = 1 << 0,
    ORIBI_TRAIT_IDENTITY = 1 << 1,   /* with ELEMENTWISE, VIEW */
    ORIBI_TRAIT_VIEW = 1 << 2,       /* with REARRANGES */
    ORIBI_TRAIT_REARRANGES = 1 << 3, /* with MOVES */
    ORIBI_TRAIT_MOVES = 1 << 4,
    ORIBI_TRAIT_PERMUTES = 1 << 5, /* with REARRANGES */
    ORIBI_TRAIT_REDUCES = 1 << 6,
    ORIBI_TRAIT_ALONG = 1 << 7,
    ORIBI_TRAIT_VECTORS = 1 << 8,
    ORIBI_TRAIT_PADS = 1 << 9,
    ORIBI_TRAIT_TILES = 1 << 10, /* with MOVES, as are the next ones */
    ORIBI_TRAIT_SLICES = 1 << 11,
    ORIBI_TRAIT_STRIDES = 1 << 12,
    ORIBI_TRAIT_JOINS = 1 << 13,
    ORIBI_TRAIT_SPLITS = 1 << 14,
    ORIBI_TRAIT_STACKS = 1 << 15,
    ORIBI_TRAIT_GATHERS = 1 << 16,
    ORIBI_TRAIT_FILLS = 1 << 17,
    ORIBI_TRAIT_TELLS = 1 << 18,
    ORIBI_TRAIT_COMPUTES = 1 << 19,
    ORIBI_TRAIT_PACKS = 1 << 20,
    ORIBI_TRAIT_COST = 1 << 21,
    ORIBI_TRAIT_PARAMETERS = 1 << 22,
    ORIBI_TRAIT_BATCH = 1 << 23,
    ORIBI_TRAIT_COUNT = 24
} oribi_trait;

typedef enum oribi_cost { ORIBI_COST_NONE, ORIBI_COST_CONV, ORIBI_COST_MATMUL } oribi_cost;

/* of `computes` */
typedef enum oribi_formula {
    ORIBI_FORMULA_NONE,
    ORIBI_FORMULA_SUM,
    ORIBI_FORMULA_DIFFERENCE,
    ORIBI_FORMULA_PRODUCT,
    ORIBI_FORMULA_QUOTIENT,
    ORIBI_FORMULA_RELU,
    ORIBI_FORMULA_RELU6,
    ORIBI_FORMULA_CLIP
} oribi_formula;

/* of `tells` */
typedef enum oribi_told {
    ORIBI_TOLD_NOTHING,
    ORIBI_TOLD_SHAPE,
    ORIBI_TOLD_SIZE,
    ORIBI_TOLD_RANK
} oribi_told;

/* Inputs are flat indices, -1 where the op has none such. */
typedef struct oribi_traits {
    uint32_t is;
    int32_t data, n_data; /* x, side by side; n_data 0: no word names data */
    int32_t axes;         /* of reduces; perm, paddings, multiples, begin, dims; of along, joins,
                             splits, stacks, gathers where the axis is an input */
    int32_t more;         /* of pads: value; slices: size; strides: end; gathers: indices */
    int32_t last;         /* of strides: strides */
    int32_t weights;      /* of `cost` */
    oribi_cost cost;
    bool has_channels_first; /* data_format begins with NC */
    oribi_formula formula;
    oribi_told told;
    bool keeps_dims;         /* of reduces */
    const char *axis_attr;   /* of vectors, along, joins, splits, stacks: an integer; or NULL */
    const char *format_attr; /* of vectors: a string like data_format; or NULL */
    int64_t axis;            /* of axis_attr, or the number given; negative counts from the end */
    uint64_t vectors;        /* bits of the first 64 inputs */
    uint64_t parameters;     /* the same: their values tell shapes */
    uint64_t packed;         /* the same: kernels keep a packed copy where they are constant */
    uint64_t batch;          /* the same: an image of the output depends on that image of them */
} oribi_traits;

/* Traits of a node. op NULL: none. signature: as oribi_op_resolve made it of the same attributes.
 */
void oribi_op_traits(const oribi_op_def *op, const oribi_attrs *attrs,
                     const oribi_signature *signature, oribi_traits *out);
/* Do all of these bits hold? Cheaper where nothing else is asked. */
bool oribi_op_is(const oribi_op_def *op, const oribi_attrs *attrs, uint32_t traits);

/* Products that `cost` says for one element of the output, of the shapes of weights and output.
 * 0: there is no such trait, or a dimension that it takes is not known. */
double oribi_traits_products(const oribi_traits *traits, const oribi_shape *weights,
                             const oribi_shape *output);

/* The word of one bit, as the contract writes it. */
const char *oribi_trait_name(oribi_trait trait);

/* --- What a definition keeps (private to the room and to what lists definitions) ---------------
 */

typedef struct oribi_trait_condition {
    bool is_different, is_of_sizes; /* != instead of =; sizes of types are compared */
    const char *attr, *other;       /* other: an attribute, or NULL */
    const oribi_attr *value;        /* where other is NULL; its name is not set */
} oribi_trait_condition;

typedef struct oribi_trait_def { /* one declared trait; inputs are arguments */
    const char *spec;
    uint32_t is; /* with what the word implies */
    int32_t data, n_data, axes, more, last, weights;
    oribi_cost cost;
    oribi_formula formula;
    oribi_told told;
    const char *keep_attr, *axis_attr, *format_attr;
    int64_t axis;
    uint64_t vectors, parameters, packed, batch;
    const oribi_trait_condition *conditions;
    int32_t n_conditions;
} oribi_trait_def;

#endif
