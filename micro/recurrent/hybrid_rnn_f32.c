/* SPDX-License-Identifier: Apache-2.0 */
/* RNN of float whose hidden state goes through bytes. Read next: hybrid_rnn_f32_body.h. */
#include "micro/recurrent/dots_f32.h"

#define ORIBI_MICRO_DOTS_F32       oribi_micro_dots_f32
#define ORIBI_MICRO_HYBRID_RNN_F32 oribi_micro_hybrid_rnn_f32
#include "micro/recurrent/hybrid_rnn_f32_body.h"
