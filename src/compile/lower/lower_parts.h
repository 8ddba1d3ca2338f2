/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of calls that several families have. */
#ifndef ORIBI_COMPILE_LOWER_PARTS_H_
#define ORIBI_COMPILE_LOWER_PARTS_H_

#include "compile/lower/lower.h"
#include "micro/broadcast_prepare.h"
#include "micro/move/move_prepare.h"
#include "micro/nibbles/nibbles_prepare.h"
#include "micro/variant_prepare.h"

/* The result may be written over this input if it has as many elements. */
void oribi_call_overwrite(const oribi_lowering *lowering, oribi_call *call, int32_t input);

/* A row of the variants of a kernel, the fastest first; `variant` is NULL at the end. */
typedef struct oribi_variant_row {
    const struct oribi_micro_variant *variant;
    const oribi_args *args; /* of its kernel */
    uint32_t cores;         /* ORIBI_ON(dsp) and others of micro/isa_list.inc that it is for */
} oribi_variant_row;
#define ORIBI_ON(core) (1U << ORIBI_CORE_##core)
#define ORIBI_ON_ALL   UINT32_MAX

/* Makes the call one of the first variant for the core of --core that the arguments of the plain
 * kernel fit; the call has no kernel when there is none. The last row is the plain kernel's with
 * weights of four bits. False: with a message. */
bool oribi_variant_try(oribi_lowering *lowering, oribi_call *call, const oribi_variant_row *rows,
                       const void *plain, int32_t channels);

/* Blocks of channels that a call computes one after the other, the weights of each widened to
 * scratch before (micro/nibbles): the first `n` alike, and one of the rest. */
typedef struct oribi_blocks {
    struct oribi_micro_nibbles_block first, rest; /* rest.channels may be 0 */
    int32_t n;
    int32_t filter, count, groups, repeat; /* members of the arguments; -1: there is none */
    int32_t outputs;                       /* of each of `groups` */
    int32_t every, step; /* input of block i begins i / every * step channels further */
    int32_t times, in_bytes, out_bytes; /* the layer is `times` of so many values */
    int64_t bytes;                      /* of scratch, its first ones */
} oribi_blocks;

/* Makes the call one of move. False: the kernel cannot, or no memory. */
bool oribi_call_move(oribi_lowering *lowering, oribi_call *call,
                     const struct oribi_micro_move_spec *spec,
                     struct oribi_micro_move_args *out_args);

/* Makes the call one of lookup_8, whose result may lie over its input. Copies. False: no memory. */
bool oribi_call_lookup(oribi_lowering *lowering, oribi_call *call, const uint8_t table[256]);

/* The code of a node's padding (prepare.h), and of EXPLICIT what is above, below, left and right.
 */
int32_t oribi_lower_pads(const oribi_call *call, int32_t pads[4]);

/* Reads what int8, uint8 and int16 convolutions say of themselves into the members of that name of
 * the spec that `spec` points to. */
#define ORIBI_LOWER_CONV_ATTRS(call, spec)                                                         \
    do {                                                                                           \
        (spec)->stride_h = oribi_lower_list(call, "strides", 0, 1);                                \
        (spec)->stride_w = oribi_lower_list(call, "strides", 1, 1);                                \
        (spec)->dilation_h = oribi_lower_list(call, "dilations", 0, 1);                            \
        (spec)->dilation_w = oribi_lower_list(call, "dilations", 1, 1);                            \
        (spec)->padding = oribi_lower_pads(call, (spec)->pads);                                    \
        (spec)->activation = oribi_lower_activation(call);                                         \
        oribi_lower_quantisation(call, "input_scale", "input_zero", &(spec)->input);               \
        oribi_lower_quantisation(call, "output_scale", "output_zero", &(spec)->output);            \
        (spec)->filter_scales =                                                                    \
            oribi_lower_floats(call, "filter_scales", &(spec)->n_filter_scales);                   \
    } while (0)

typedef struct oribi_channels { /* what a prepare half computes of each output channel */
    int32_t *bias, *multiplier, *shift;
} oribi_channels;

/* Room in the arena. False: no memory. */
bool oribi_channels_make(oribi_lowering *lowering, int32_t channels, oribi_channels *out);
/* Puts the members `bias`, `multiplier` and `shift` into flash. */
#define ORIBI_PLACE_CHANNELS(call, args, n_biases, n_scales)                                       \
    do {                                                                                           \
        ORIBI_CALL_PLACE(call, args, bias, n_biases);                                              \
        ORIBI_CALL_PLACE(call, args, multiplier, n_scales);                                        \
        ORIBI_CALL_PLACE(call, args, shift, n_scales);                                             \
    } while (0)

#endif
