/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's LSTM, GRU and RNN: attributes, inputs and outputs of a call, for the reference kernels and
 * the fast ones alike. What they mean: micro/recurrent/recurrent_f32.h. Read next:
 * onnx_recurrent_reference.c, onnx_recurrent_micro.c.
 */
#ifndef ORIBI_PLUGINS_CPU_ONNX_RECURRENT_CALL_H_
#define ORIBI_PLUGINS_CPU_ONNX_RECURRENT_CALL_H_

#include "cpu/base/cpu.h"

#include "micro/recurrent/recurrent_f32.h"

enum {
    ORIBI_RECURRENT_X,
    ORIBI_RECURRENT_W,
    ORIBI_RECURRENT_R,
    ORIBI_RECURRENT_B,
    ORIBI_RECURRENT_LENGTHS,
    ORIBI_RECURRENT_HIDDEN,
    ORIBI_RECURRENT_CELL,
    ORIBI_RECURRENT_PEEPHOLE,
    ORIBI_RECURRENT_INPUTS,
    ORIBI_RECURRENT_LSTM = 4, /* gates */
    ORIBI_RECURRENT_GRU = 3,
    ORIBI_RECURRENT_RNN = 1
};

typedef struct oribi_recurrent {
    struct oribi_micro_recurrent_f32_args args; /* sizes and pointers are the call's */
    int32_t gates;
    /* Dims of w and r where both are constants that were packed: the call does not see them. */
    bool is_packed;
    int32_t packed_w[3], packed_r[3];
} oribi_recurrent;

/* The attributes; a failure where there are not as many functions as there should be. */
void oribi_recurrent_read(oribi_kit_setup *setup, int32_t gates, oribi_recurrent *out);

/* Create functions of kernels whose state is an oribi_recurrent. */
void *oribi_recurrent_lstm_create(TF_OpKernelConstruction *construction);
void *oribi_recurrent_gru_create(TF_OpKernelConstruction *construction);
void *oribi_recurrent_rnn_create(TF_OpKernelConstruction *construction);
void *oribi_recurrent_hybrid_create(TF_OpKernelConstruction *construction); /* Oribi>HybridRnn */

typedef struct oribi_recurrent_call {
    struct oribi_micro_recurrent_f32_args args; /* its sizes, and which inputs are there */
    const void *in[ORIBI_RECURRENT_INPUTS];     /* NULL: absent, or packed */
    void *out[3];
    int32_t *lengths;   /* of each row, copied and checked */
    TF_Tensor *scratch; /* of lengths; delete it */
} oribi_recurrent_call;

/* Takes the inputs but 0, checks them against each other and makes the outputs. The run begins with
 * one input. */
bool oribi_recurrent_take(oribi_kit_run *run, const oribi_recurrent *recurrent,
                          oribi_recurrent_call *out);

/* Where things are, in rows of in_c or of units: step t of row b of the input; the same of the
 * output of direction d; a state. */
static inline int64_t oribi_recurrent_from(const struct oribi_micro_recurrent_f32_args *a,
                                           int64_t t, int64_t b)
{
    return a->is_batch_major != 0 ? b * a->steps + t : t * a->batch + b;
}

static inline int64_t oribi_recurrent_to(const struct oribi_micro_recurrent_f32_args *a, int64_t t,
                                         int64_t b, int64_t d)
{
    return a->is_batch_major != 0 ? (b * a->steps + t) * a->directions + d
                                  : (t * a->directions + d) * a->batch + b;
}

static inline int64_t oribi_recurrent_state(const struct oribi_micro_recurrent_f32_args *a,
                                            int64_t b, int64_t d)
{
    return a->is_batch_major != 0 ? b * a->directions + d : d * a->batch + b;
}

/* The step of the sequence that a row computes as its k-th, of `length`. */
static inline int64_t oribi_recurrent_time(const struct oribi_micro_recurrent_f32_args *a,
                                           int64_t d, int64_t k, int64_t length)
{
    return d > 0 || a->is_reverse != 0 ? length - 1 - k : k;
}

#endif
