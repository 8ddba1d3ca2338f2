/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by proof*.c, which try the traits of an op on one trial: its kernel computes other inputs,
 * of which the trait says what must come out. proof.c begins and has what all need; proof_axes.c is
 * for what goes element by element or along axes, proof_move.c for what moves elements,
 * proof_value.c for formulas, costs, packing and parameters. */
#ifndef ORIBI_AUTHOR_PROOF_H_
#define ORIBI_AUTHOR_PROOF_H_

#include "author/trial.h"
#include "micro/dims.h"
#include "op/traits.h"

/* Elements in order; of an input or an output, borrowed. */
typedef struct oribi_grid {
    const uint8_t *data;
    TF_DataType dtype;
    size_t element; /* bytes */
    int64_t count;
    oribi_dims dims;
} oribi_grid;

typedef struct oribi_proof {
    oribi_trial_case *c; /* c->first: what the trial's inputs gave */
    oribi_traits traits; /* that hold for the trial */
    uint32_t tried;      /* bits of those that something was found out about */
    uint32_t wrong;      /* of these, those that do not hold */
    bool is_packed;      /* the last variant's kernel packed a `packed` input */
    uint64_t constants;  /* bits: these inputs are constants in variants, too */
    oribi_grid in[ORIBI_TRIAL_MAX_INPUTS], out; /* the trial's, and its first output */
} oribi_proof;

/* The same kernel on other inputs. Tensors that differ from the trial's are owned. */
typedef struct oribi_variant {
    TF_Tensor *inputs[ORIBI_TRIAL_MAX_INPUTS];
    oribi_attrs attrs;
    oribi_trial_outcome outcome; /* after a run */
} oribi_variant;

void oribi__variant_begin(const oribi_proof *p, oribi_variant *v);
/* Takes the tensor; false when it is NULL: no memory. */
bool oribi__variant_set(const oribi_proof *p, oribi_variant *v, int32_t input, TF_Tensor *tensor);
/* Runs it; *out: its first output. False: it refused, *out_why says so in the outcome. */
bool oribi__variant_run(oribi_proof *p, oribi_variant *v, oribi_grid *out);
void oribi__variant_end(const oribi_proof *p, oribi_variant *v);

/* Tells that the trait does not hold. */
void oribi__proof_fail(oribi_proof *p, oribi_trait trait, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* --- Grids ----------------------------------------------------------------------------------- */

bool oribi__grid_of_output(const oribi_trial_outcome *o, int32_t index, oribi_grid *out);
/* The first index, all 0; and the next one: false behind the last. */
bool oribi__index_next(const oribi_dims *dims, oribi_dims *index);
int64_t oribi__index_offset(const oribi_dims *dims, const oribi_dims *index);
/* Where an element of an input that broadcasts to the output's index lies. */
int64_t oribi__index_broadcast(const oribi_dims *dims, const oribi_dims *index);
/* Has at least two elements that differ. */
bool oribi__grid_varies(const oribi_grid *grid);
/* A new tensor: element at index i is from's at the sum of i * steps. NULL: no memory. */
TF_Tensor *oribi__grid_spread(const oribi_grid *from, const oribi_dims *dims,
                              const oribi_dims *steps);
/* A new tensor of the elements, turned on by `by` where `mask` (or NULL: everywhere) says so. */
TF_Tensor *oribi__grid_turn(const oribi_grid *from, int64_t by, const uint8_t *mask);
/* Integers of an input of at most ORIBI_MAX_RANK elements. */
bool oribi__grid_ints(const oribi_grid *grid, oribi_dims *out);
/* A tensor like the grid with other integers. */
TF_Tensor *oribi__grid_with_ints(const oribi_grid *like, const oribi_dims *values);
double oribi__grid_number(const oribi_grid *grid, int64_t index);
/* Equal, or real numbers that differ by no more than sums in another order do. */
bool oribi__grid_same(const oribi_grid *a, int64_t i, const oribi_grid *b, int64_t k);
bool oribi__grid_is_real(TF_DataType dtype);
bool oribi__grid_is_integer(TF_DataType dtype);

/* --- The proofs ------------------------------------------------------------------------------ */

void oribi__prove_axes(oribi_proof *p);
void oribi__prove_moves(oribi_proof *p);
void oribi__prove_values(oribi_proof *p);

#endif
