/* SPDX-License-Identifier: Apache-2.0 */
/* State of the layout pass, between layout.c (the walk), layout_rules.c (ops that let a transpose
 * through), layout_axes.c (ops with axes in their arguments) and layout_reshape.c.
 *
 * A value v may be known as Transpose(base, perm): axis i of v is axis perm[i] of base. Then nobody
 * needs v itself until an op comes along that does not let the transpose through.
 */
#ifndef ORIBI_PASS_LAYOUT_INTERNAL_H_
#define ORIBI_PASS_LAYOUT_INTERNAL_H_

#include "pass/pass_internal.h"

typedef struct oribi_layout_form {
    oribi_value_id base;
    oribi_perm perm; /* of -1 axes: the value is only itself */
} oribi_layout_form;

typedef struct oribi_layout_made { /* a transpose that had to be done, by base */
    oribi_layout_form form;
    oribi_value_id value;
    int32_t next;
} oribi_layout_made;

typedef struct oribi_layout {
    oribi_graph *graph;
    const oribi_pass_options *options;
    oribi_pass_report *report;
    TF_Status *status;
    oribi_layout_form *forms; /* n_values entries: values that were there before the pass */
    int32_t n_values;
    oribi_layout_made *made;
    int32_t n_made, made_capacity;
    int32_t *made_of; /* by base, made_of_count entries: first of the list, or -1 */
    int32_t made_of_count;
} oribi_layout;

/* A rule rewrites the node for moved inputs and sets the forms of its outputs. False with OK
 * status: it does not apply, and the inputs have to be transposed for good. */
typedef bool oribi_layout_rule(oribi_layout *layout, oribi_node *node, const oribi_traits *traits);
oribi_layout_rule *oribi_layout_find_rule(const oribi_traits *traits); /* NULL: none */

/* Form of a value when it is moved, else NULL. */
const oribi_layout_form *oribi_layout_moved(const oribi_layout *layout, oribi_value_id value);
bool oribi_layout_is_identity(const oribi_layout_form *form);
bool oribi_layout_same_perm(const oribi_perm *a, const oribi_perm *b);
/* value = Transpose(base, perm) from now on. */
void oribi_layout_set(oribi_layout *layout, oribi_value_id value, oribi_value_id base,
                      const oribi_perm *perm);
/* The value as the model means it, transposed if need be; -1 with status on failure. */
oribi_value_id oribi_layout_value(oribi_layout *layout, oribi_value_id value,
                                  const oribi_node *like);
oribi_value_id oribi_layout_transpose(oribi_layout *layout, oribi_value_id base,
                                      const oribi_perm *perm, const oribi_node *like);
/* Does permuting only move dimensions of one element? Then a Reshape does it. */
bool oribi_layout_is_free(const oribi_shape *base, const oribi_perm *perm);
oribi_value_id oribi_layout_reshape(oribi_layout *layout, oribi_value_id value,
                                    const oribi_dims *dims, const oribi_node *like);
/* Copy of the node on other inputs, resolved, with its kernel; NULL with status on failure. */
oribi_node *oribi_layout_clone(oribi_layout *layout, const oribi_node *node,
                               const oribi_value_id *inputs);
/* The operand in the layout of a base whose perm is given; broadcast: it may have fewer dims, or
 * one element. -1 with OK status when that takes a real transpose. */
oribi_value_id oribi_layout_operand(oribi_layout *layout, oribi_value_id value,
                                    const oribi_layout_form *form, bool broadcast,
                                    const oribi_node *like);

oribi_layout_rule oribi_layout_reshape_rule, oribi_layout_reduce_rule, oribi_layout_pad_rule,
    oribi_layout_slice_rule, oribi_layout_strided_slice_rule, oribi_layout_join_rule,
    oribi_layout_split_rule, oribi_layout_tile_rule, oribi_layout_along_rule,
    oribi_layout_shape_rule;

#endif
