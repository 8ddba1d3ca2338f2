/* SPDX-License-Identifier: Apache-2.0 */
/* Which chains and formulas of nodes does an op stand for? What TF_OpDefinitionBuilderAddFusion
 * said, parsed. Who looks for chains: pass/fuse.c; for formulas: pass/fuse_formula.c.
 */
#ifndef ORIBI_OP_FUSION_H_
#define ORIBI_OP_FUSION_H_

#include "op/op.h"

enum { ORIBI_FUSION_WORDS = 16 }; /* behind the first, at most */

typedef struct oribi_fusion_word { /* of the ops one, on what the word before it made */
    const char **ops;
    int32_t n_ops;
    bool may_miss;
    bool or_zeros; /* "=0": where it is missing, zeros stand in */
} oribi_fusion_word;

typedef enum oribi_term_kind {
    ORIBI_TERM_INPUT,
    ORIBI_TERM_NUMBER,
    ORIBI_TERM_ATTR, /* a number that becomes this attribute */
    ORIBI_TERM_CALL
} oribi_term_kind;

typedef enum oribi_term_role {
    ORIBI_ROLE_OTHER,
    ORIBI_ROLE_SUM,
    ORIBI_ROLE_PRODUCT
} oribi_term_role;

enum {
    ORIBI_FORMULA_INPUTS = 8, /* and attributes, at most */
    ORIBI_FORMULA_DEPTH = 16,
};

typedef struct oribi_term { /* of a formula */
    oribi_term_kind kind;
    const char *name; /* of the op, of the attribute */
    int32_t index;    /* of the input; of the attribute among those of the formula */
    double number;
    oribi_term_role role;            /* of a call */
    double power;                    /* that a product's operands are raised to */
    bool inverts;                    /* all operands but the first, as Sub and Div do */
    bool turns;                      /* its two operands may change places */
    struct oribi_term *first, *next; /* its arguments, and what stands beside it */
} oribi_term;

typedef struct oribi_fusion {
    const char *text;  /* as it was declared */
    const char *first; /* the op that the chain begins with; of a formula, that its result is of */
    bool of_planes;    /* that op's image is turned from planes, which this one reads */
    oribi_term *formula;          /* NULL: a chain */
    int32_t n_inputs, n_attrs;    /* of the formula */
    const char *says, *says_what; /* the text attribute that tells this formula, or NULL */
    oribi_fusion_word *words;
    int32_t n_words;
    struct oribi_fusion *next; /* of the same op */
} oribi_fusion;

/* Does a node of this op raise its first input to a power? `out` NaN: to its second input's. */
bool oribi_formula_power(const char *op, double *out);

#endif
