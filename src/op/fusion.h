/* SPDX-License-Identifier: Apache-2.0 */
/* Which chains of nodes does an op stand for? What TF_OpDefinitionBuilderAddFusion said, parsed.
 * Who looks for such chains: pass/fuse.c.
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

typedef struct oribi_fusion {
    const char *text;  /* as it was declared */
    const char *first; /* the op that the chain begins with */
    oribi_fusion_word *words;
    int32_t n_words;
    struct oribi_fusion *next; /* of the same op */
} oribi_fusion;

#endif
