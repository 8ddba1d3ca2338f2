/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering: a node becomes a call of a kernel of micro/. The planner, the reports and what is
 * emitted know calls only. One file per op family (lower_*.c) makes calls; lower.c has the table.
 */
#ifndef ORIBI_COMPILE_LOWER_H_
#define ORIBI_COMPILE_LOWER_H_

#include "compile/common/compile_options.h"
#include "compile/common/elements.h"
#include "compile/lower/call_args.h"
#include "graph/graph.h"
#include "micro/dims.h"

/* Elements that are placed in flash, as an array named <call>_<name>. */
typedef struct oribi_placed {
    const char *name;
    int32_t kind; /* oribi_element_kind */
    int64_t count;
    const void *data;
    int32_t alignment; /* bytes, a power of two; 0: that of all weights, 4 */
    int32_t member;    /* of the call's arguments, which points to it; -1: none */
} oribi_placed;

/* The output may share memory with an input that dies here. */
typedef struct oribi_call_alias {
    int32_t input;    /* of the kernel */
    bool is_exact;    /* where that input starts, and nowhere else */
    int64_t distance; /* else at most this far behind the input's start; may be negative */
} oribi_call_alias;

/* A value whose bytes may be bytes of another: a part of a concatenation's result or of what is
 * split. The kernel must bear that it lies there (memmove). */
typedef struct oribi_call_view {
    oribi_value_id whole, part;
    int64_t offset; /* bytes, of the part in the whole */
} oribi_call_view;

enum { ORIBI_CALL_ALIASES = 2 };

typedef struct oribi_call {
    const oribi_node *node;
    const oribi_node *fused;      /* a convolution whose result this node alone reads, or NULL */
    const oribi_value_id *inputs; /* of the kernel: the node's, or some of them in another order */
    const char *name;             /* "conv2d_0": C identifier, unique in the model */
    const char *kernel; /* "conv2d_s8": file and function of micro/; NULL: no call is needed */
    const struct oribi_target_kernel
        *own;               /* of a plugin, whose name `kernel` is; NULL: of micro/ */
    const oribi_args *args; /* of that kernel: what the bytes at `arguments` are */
    const void *arguments;
    const struct oribi_micro_costs *costs; /* NULL: as its MACs cost */
    const struct oribi_instance *instance; /* that `kernel` names; NULL: a file of micro/ */
    struct oribi_rings *rings; /* calls that it is; then it has no args and places nothing itself */
    oribi_placed *placed;
    oribi_call_alias aliases[ORIBI_CALL_ALIASES];
    int32_t n_placed, n_aliases;
    int32_t first_array; /* of placed[0] among the arrays of the compilation */
    int32_t n_inputs;
    int32_t n_outputs;            /* the first outputs of the node are the kernel's */
    bool lists_inputs;            /* the kernel takes an array of pointers to its inputs */
    bool lists_outputs;           /* and to its outputs */
    bool has_scratch;             /* the kernel takes a scratch argument */
    bool is_view;                 /* the output is input 0's bytes; kernel NULL */
    const oribi_call_view *views; /* n_views; with all of them the call need not run */
    int32_t n_views;
    bool is_guarded; /* the last input is a truth value without which the kernel does not run; the
                      * kernel is not given it */
    int32_t device;  /* 0: the CPU, else one more than the index of the device */
    const struct oribi_region *region; /* that the device computes; kernel NULL */
    uint32_t params_id[2];             /* of its params: by which a device knows them again */
    bool has_effect; /* on what is not its output (state): keeps its place among those */
    int64_t scratch_bytes;
    int64_t macs;
    int64_t instructions;              /* estimate of a run on a Cortex-M4 (instances.c) */
    bool is_careful;                   /* made so that alias 0 holds, which costs time */
    bool forbids_overlap;              /* to be made without that cost */
    const struct oribi_blocks *blocks; /* weights of four bits (lower_parts.h); NULL: it has none,
                                        * or its kernel widens them itself */
    bool has_small_weights; /* of four bits: results are written before all inputs are read */
    bool forbids_views;     /* its views are not used */
    bool is_elided;         /* the plan used all of its views */
} oribi_call;

typedef struct oribi_lowering {
    oribi_graph *graph;
    oribi_arena *arena; /* of what calls point to */
    const oribi_compile_options *options;
    const struct oribi_partition *partition; /* of regions */
    TF_Status *status;
} oribi_lowering;

/* Of the two kernels of an op, which differ in how they add products: micro/fma's with --fma. */
#define ORIBI_LOWER_FMA(lowering, name) ((lowering)->options->fma ? #name "_fma_f32" : #name "_f32")

/* integer/narrow_indices.c: indices that the graph computes as int64 become int32. */
bool oribi_lower_narrow_indices(oribi_graph *graph, TF_Status *status);
/* Makes the calls of the live nodes, in order. UNIMPLEMENTED with every node that cannot be
 * compiled. The array lives in the arena. */
bool oribi_lower_graph(oribi_lowering *lowering, oribi_call **out_calls, int32_t *out_n_calls);
/* Does it run? A view does not, nor what the plan has made one. Operators are numbered in their
 * order: in names, comments, cases and for TVMGEN_ON_OP alike. */
static inline bool oribi_call_is_operator(const oribi_call *call)
{
    return call->kernel != NULL || call->region != NULL;
}
/* Its instructions on a Cortex-M4, about (instances.c). */
int64_t oribi_call_cost(const oribi_call *call);
/* Names the calls by what they do and their place in the order. False: no memory. */
bool oribi_lower_name(oribi_lowering *lowering, oribi_call *calls, int32_t n_calls);
/* lower_conv_add.c: makes one call of a sum and a convolution that only it reads. */
bool oribi_lower_fuse(oribi_lowering *lowering, oribi_call *calls, int32_t *n_calls);
/* Makes one again, as its forbids_overlap says now. */
bool oribi_lower_call(oribi_lowering *lowering, oribi_call *call);

/* --- For the families ------------------------------------------------------------------------ */

typedef bool oribi_lower_function(oribi_lowering *lowering, oribi_call *call);

enum { ORIBI_LOWER_STEM = 40 };
typedef struct oribi_lower_row {
    const char *op;              /* NULL ends a table */
    char stem[ORIBI_LOWER_STEM]; /* of the call's name */
    oribi_lower_function *lower;
} oribi_lower_row;
extern const oribi_lower_row oribi_lower_f32_rows[];
/* What a node becomes: the row of a table, or one that its traits and name tell. False: nothing. */
bool oribi_lower_find(const oribi_node *node, oribi_lower_row *out);

oribi_lower_function oribi_lower_conv2d, oribi_lower_conv2d_add, oribi_lower_depthwise_conv2d,
    oribi_lower_fully_connected, oribi_lower_real_fully_connected, oribi_lower_average_pool,
    oribi_lower_max_pool, oribi_lower_add, oribi_lower_sub, oribi_lower_mul, oribi_lower_q_div,
    oribi_lower_softmax, oribi_lower_wide_softmax, oribi_lower_squared_difference,
    oribi_lower_q_compare, oribi_lower_l2_normalize, oribi_lower_through_bytes,
    oribi_lower_rows_to_bytes;
oribi_lower_function oribi_lower_region, oribi_lower_own, oribi_lower_loop_begin,
    oribi_lower_loop_next;
oribi_lower_function oribi_lower_qlinear_conv2d, oribi_lower_hybrid_conv2d,
    oribi_lower_qlinear_matmul, oribi_lower_qlinear_average_pool, oribi_lower_qlinear_max_pool,
    oribi_lower_qlinear_add, oribi_lower_qlinear_mul, oribi_lower_qlinear_mean,
    oribi_lower_qlinear_softmax, oribi_lower_qlinear_table, oribi_lower_quantize_linear,
    oribi_lower_dequantize_linear, oribi_lower_dynamic_quantize_linear;
oribi_lower_function oribi_lower_svdf, oribi_lower_q_svdf, oribi_lower_q_narrow_svdf,
    oribi_lower_wide_conv2d;
oribi_lower_function oribi_lower_q_lstm, oribi_lower_lstm_full, oribi_lower_onnx_lstm,
    oribi_lower_dynamic_lstm, oribi_lower_onnx_gru, oribi_lower_onnx_rnn, oribi_lower_hybrid_rnn;
oribi_lower_function oribi_lower_transpose, oribi_lower_slice, oribi_lower_strided_slice,
    oribi_lower_space, oribi_lower_reverse, oribi_lower_pad_axes, oribi_lower_concat,
    oribi_lower_pack, oribi_lower_split, oribi_lower_split_v, oribi_lower_unpack,
    oribi_lower_gather, oribi_lower_pad, oribi_lower_mirror_pad, oribi_lower_resize_nearest;
oribi_lower_function oribi_lower_gather_elements, oribi_lower_gather_nd,
    oribi_lower_scatter_elements, oribi_lower_scatter_nd, oribi_lower_trilu,
    oribi_lower_update_slice, oribi_lower_one_hot, oribi_lower_cumsum, oribi_lower_reverse_sequence;
oribi_lower_function oribi_lower_binary_int, oribi_lower_extreme_index, oribi_lower_top_k;
oribi_lower_function oribi_lower_unary, oribi_lower_cast, oribi_lower_quantize,
    oribi_lower_dequantize, oribi_lower_requantize, oribi_lower_mean, oribi_lower_sum,
    oribi_lower_q_prod, oribi_lower_q_cumsum, oribi_lower_q_log_softmax, oribi_lower_maximum,
    oribi_lower_minimum, oribi_lower_prelu, oribi_lower_batch_matmul, oribi_lower_transpose_conv,
    oribi_lower_wide_transpose_conv, oribi_lower_resize_bilinear;

oribi_lower_function oribi_lower_signal_window, oribi_lower_signal_auto_scale,
    oribi_lower_signal_energy, oribi_lower_filter_bank, oribi_lower_filter_bank_root,
    oribi_lower_filter_bank_log, oribi_lower_spectral_subtraction, oribi_lower_signal_gain,
    oribi_lower_overlap_add, oribi_lower_rfft, oribi_lower_irfft;
oribi_lower_function oribi_lower_space_to_batch, oribi_lower_batch_to_space, oribi_lower_fill,
    oribi_lower_zeros_like, oribi_lower_detection, oribi_lower_reduce_extreme;

const oribi_value *oribi_lower_input(const oribi_lowering *lowering, const oribi_call *call,
                                     int32_t index);
const oribi_value *oribi_lower_output(const oribi_lowering *lowering, const oribi_call *call);
/* Dense bytes of a constant input in the arena; NULL with a message when it is not constant. */
const void *oribi_lower_constant(oribi_lowering *lowering, const oribi_call *call, int32_t index,
                                 TF_DataType type);
/* The dims of a value in int32, padded with leading ones to four; false: too large. */
bool oribi_lower_dims(oribi_lowering *lowering, const oribi_call *call, const oribi_value *value,
                      int32_t out_dims[4]);
int64_t oribi_lower_count(const oribi_value *value); /* elements */
/* Dims as they are, at least 1 each, and the bytes of an element unless that is NULL. False: of a
 * rank above ORIBI_MAX_LOWERED_RANK, empty, or of a type that emitted C does not have. */
bool oribi_lower_sizes(oribi_lowering *lowering, const oribi_call *call, const oribi_value *value,
                       oribi_sizes *out, int32_t *out_element_bytes);
/* The kind of numbers that kernels of any kind read. False: of a type that they do not read. */
bool oribi_lower_number(oribi_lowering *lowering, const oribi_call *call, const oribi_value *value,
                        int32_t *out_kind);
/* UNIMPLEMENTED with the value and its rank, which is above ORIBI_MAX_LOWERED_RANK; false. */
bool oribi_lower_refuse_rank(oribi_lowering *lowering, const oribi_call *call,
                             const oribi_value *value);
/* The integers of a constant input; false with a message when it is none. */
bool oribi_lower_ints(oribi_lowering *lowering, const oribi_call *call, int32_t index,
                      oribi_dims *out);
/* The same where there is exactly one. */
bool oribi_lower_one(oribi_lowering *lowering, const oribi_call *call, int32_t index, int64_t *out);
/* The same of one axis, from 0. False: no constant, or outside the rank. */
bool oribi_lower_axis(oribi_lowering *lowering, const oribi_call *call, int64_t given, int32_t rank,
                      int32_t *out_axis);
/* Is input 0 of integers or truth values? */
bool oribi_lower_is_integer(const oribi_lowering *lowering, const oribi_call *call);
int64_t oribi_lower_bytes(const oribi_value *value);
/* An input of indices as int32: constants are checked, index i against limits[i % n] (none: any
 * number of 32 bits that is not negative), with `wraps` also from -limit on; those that are
 * computed must be int32, and kernels bring them into range. -1: with a message. */
oribi_value_id oribi_lower_indices(oribi_lowering *lowering, const oribi_call *call, int32_t input,
                                   const oribi_sizes *limits, bool wraps);

int32_t oribi_lower_int(const oribi_call *call, const char *name, int32_t otherwise);
bool oribi_lower_bool(const oribi_call *call, const char *name); /* false when absent */
float oribi_lower_float(const oribi_call *call, const char *name);
/* Element of a list of ints. */
int32_t oribi_lower_list(const oribi_call *call, const char *name, int32_t index,
                         int32_t otherwise);
const float *oribi_lower_floats(const oribi_call *call, const char *name, int32_t *out_count);
bool oribi_lower_is(const oribi_call *call, const char *name, const char *text);
int32_t oribi_lower_activation(const oribi_call *call); /* a code of micro/prepare.h */
int32_t oribi_lower_variant(const oribi_call *call);    /* another, of attribute `rounding` */
struct oribi_micro_quantisation;
void oribi_lower_quantisation(const oribi_call *call, const char *scale, const char *zero,
                              struct oribi_micro_quantisation *out);
/* The same of a byte of the output's type, checked. */
bool oribi_lower_qlinear(oribi_lowering *lowering, const oribi_call *call, const char *scale,
                         const char *zero, struct oribi_micro_quantisation *out);
struct oribi_micro_unary_8_spec;
/* Makes the call a table of this function of one byte. */
bool oribi_lower_table(oribi_lowering *lowering, oribi_call *call,
                       const struct oribi_micro_unary_8_spec *spec);

/* Makes the call one of `kernel`, a function and file of micro/, with a copy of `arguments`, the
 * struct oribi_micro_<type>_args that they point to:
 * ORIBI_CALL_SET(lowering, call, "mul_s8", mul_q, &args). False: no memory. */
#define ORIBI_CALL_SET(lowering, call, kernel, type, arguments)                                    \
    oribi_call_set(lowering, call, kernel, &oribi_args_##type,                                     \
                   1 ? (arguments) : (const struct oribi_micro_##type##_args *)NULL)
bool oribi_call_set(oribi_lowering *lowering, oribi_call *call, const char *kernel,
                    const oribi_args *args, const void *arguments);
/* The elements that member `member` of the call's arguments points to lie in flash, in the order of
 * these calls and under the member's name: ORIBI_CALL_PLACE(call, &args, filter, count). Borrows
 * them from the arena. The result is the call's, to say more of it; NULL, and nothing is placed,
 * when the member is NULL. */
#define ORIBI_CALL_PLACE(call, arguments, member, count)                                           \
    oribi_call_place(call,                                                                         \
                     (size_t)((const char *)&(arguments)->member - (const char *)(arguments)),     \
                     count, (arguments)->member)
oribi_placed *oribi_call_place(oribi_call *call, size_t offset, int64_t count, const void *data);
/* The kernel's inputs are these inputs of the node. False: no memory. */
bool oribi_call_take(oribi_lowering *lowering, oribi_call *call, const int32_t *inputs, int32_t n);
/* Makes the call what `prepare` of a descriptor says of its node (lower_own.c): one of kernel
 * `name` of micro/, or of the plugin's where the descriptor has texts. */
bool oribi_lower_by_kernel(oribi_lowering *lowering, oribi_call *call,
                           const struct oribi_target_kernel *kernel, const char *name);
/* INVALID_ARGUMENT (or what fits a code of micro/prepare.h) that names the node; false. */
bool oribi_lower_fail(oribi_lowering *lowering, const oribi_call *call, int32_t code);
/* True for ORIBI_MICRO_OK; of any other code what oribi_lower_fail does. */
bool oribi_lower_check(oribi_lowering *lowering, const oribi_call *call, int32_t code);

#endif
