/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of one operation: binding_gradient_rows.c says what they are, for most ops by a
 * formula, of which binding_formula.c makes operations. binding_gradients.c goes through the graph.
 */
#ifndef ORIBI_BINDING_BINDING_GRADIENT_H_
#define ORIBI_BINDING_BINDING_GRADIENT_H_

#include "binding/binding.h"

/* Functions give an output without an operation once the status is set, and take such. */
typedef struct oribi_gradient {
    TF_Graph *graph;
    const char *scope; /* what names of new operations begin with */
    TF_Operation *of;
    const TF_Output *given; /* by output of it: the gradient, or an output without an operation */
    const bool *wanted;     /* by input */
    TF_Output *out;         /* by input */
    oribi_arena *scratch;
    TF_Status *status;
} oribi_gradient;

/* What the text says, into g->out:
 *
 *   Mul(d, Cos($0))             $0 is the first input, y the first output, d its gradient
 *   t = Sub($0, $1); t, Neg(t)  what has a letter is used again; one result for each input, - and
 *                               those that are not there are none
 *   Sum{keep_dims=1}(d, [-1])   attributes that are numbers, or texts in '; vectors; 2 is an int32,
 *                               2.0 of the type of the first input
 *   MatMul{*}(d, $1)            the attributes that the operation has, too
 *   Cumsum{exclusive=#, reverse=!}(d, $1)  one of them, and another one's opposite
 *   Mul(d, @alpha)              the number that one of them is
 *   TopKV2.1(..), y.1           an output that is not the first
 *   fit(d, $0)                  summed to the shape of another
 *   cast(d, $0)                 of the type of another
 */
bool oribi_gradient_formula(oribi_gradient *g, const char *text);
/* One new operation of these inputs, `text` in braces as above; its first output. */
TF_Output oribi_gradient_make(oribi_gradient *g, const char *type, const TF_Output *inputs, int n,
                              const char *attrs);
/* An attribute of the operation that is true; absent, or no name: false. */
bool oribi_gradient_truth(const oribi_gradient *g, const char *name);
/* Of all inputs of the operation that are wanted. NOT_FOUND: its op has no gradient here. */
bool oribi_gradient_of(oribi_gradient *g);

#endif
