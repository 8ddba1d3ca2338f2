/* SPDX-License-Identifier: Apache-2.0 */
/* Packed constants of the kernels of a model: from a packed file, from another session of the model
 * that has the same ones, or filled now. What the file looks like: src/import/packed.h.
 */
#ifndef ORIBI_SESSION_PACK_PACKS_H_
#define ORIBI_SESSION_PACK_PACKS_H_

#include "graph/graph.h"

struct oribi_session_step;

/* What sessions of one model share. Counted; any thread. */
typedef struct oribi_packs oribi_packs;

/* `data` are the model's bytes, which `source` keeps: constants in there are told apart by their
 * place, all others by what they hold. NULL source: no such bytes. */
oribi_packs *oribi_packs_create(oribi_source *source, const uint8_t *data, size_t bytes,
                                TF_Status *status);
void oribi_packs_retain(oribi_packs *packs);
void oribi_packs_release(oribi_packs *packs); /* NULL ok */

/* oribi_node_view.packed_constant of a session's steps; arg is the step. */
oribi_packed *oribi_packs_take(void *arg, const oribi_kernel_def *def,
                               const TF_PackedConstant *wanted, TF_Status *status);
/* A kernel was made: did it find, packed, all that the packed file has only so? */
bool oribi_packs_check(const struct oribi_session_step *step, TF_Status *status);

#endif
