/* SPDX-License-Identifier: Apache-2.0 */
/* What all kernels of this room share; see device_op.c. Each file of ops has a table of op_entry,
 * which register.c lists.
 */
#ifndef ORIBI_PLUGINS_DEVICE_OPS_OP_H_
#define ORIBI_PLUGINS_DEVICE_OPS_OP_H_

#include <pthread.h>
#include <stdbool.h>

#define ORIBI_KIT_MAX_OUTPUTS 6 /* a batch norm has as many */
#include "device_ops/code/parameters.h"
#include "device_ops/device_ops.h"
#include "micro/dims.h"
#include "oribi/kernel_kit.h"

_Static_assert((int)OP_MAX_RANK == (int)ORIBI_MAX_LOWERED_RANK,
               "code on devices takes the ranks that the library lowers");

enum { OP_MAX_FUNCTIONS = 12 };

typedef struct op_code {           /* a function of the device; strings are static */
    const char *family, *function; /* file and name in code/ */
    const char *options;           /* of its build; NULL: the target's */
} op_code;

typedef struct op_function {
    op_code code;
    TF_DeviceFunction *loaded;
} op_function;

typedef struct op_kernel {         /* state of one kernel */
    const char *family, *function; /* file and name in code/; NULL: nothing runs on the device */
    const char *group_function;    /* the same by threads that share, for ops that have it */
    const char *const *vector_functions; /* of forms for processors; static; NULL: none */
    char strips[48]; /* the name of the same function in code/strips.c, where it has one */
    bool is_nchw, keeps_dims;
    void *attrs; /* what the op's file read from the node; freed with the kernel */
    pthread_mutex_t lock;
    op_function functions[OP_MAX_FUNCTIONS]; /* as they were first launched */
} op_kernel;

typedef struct op_request { /* what every kernel needs while it computes */
    oribi_kit_run run;      /* owns what follows */
    TF_Tensor *x, *y, *bias, *residual, *out;
} op_request;

typedef struct op_shape { /* of a launch */
    uint32_t grid[3], block[3];
    size_t shared_bytes;
} op_shape;

typedef struct op_entry { /* one op that has a kernel */
    const char *op, *family;
    void *(*create)(TF_OpKernelConstruction *);
    void (*compute)(void *, TF_OpKernelContext *);
    const char *host[4]; /* arguments in host memory */
} op_entry;

typedef struct op_table {
    const op_entry *entries;
    int n;
} op_table;

bool op_is_ok(const op_request *r);
bool op_refuse(op_request *r, TF_Code code, const char *message);
/* Refuses a rank above OP_MAX_RANK. */
bool op_refuse_rank(op_request *r, int64_t rank);
/* Takes inputs 0 and 1 as x and y, of ranks up to OP_MAX_RANK and below 2^31 elements. */
bool op_open(op_request *r, TF_OpKernelContext *ctx, int n_inputs);
/* The sizes of a tensor; false after failing, which it does above OP_MAX_RANK. */
bool op_dims(op_request *r, const TF_Tensor *tensor, oribi_dims *out);
bool op_output(op_request *r, const oribi_dims *dims);
bool op_output_like_x(op_request *r);
/* Output `index` beyond the first; closed with the request. */
TF_Tensor *op_other_output(op_request *r, int index, const oribi_dims *dims);
/* Output 0 is x's memory under another shape. */
void op_output_view(op_request *r, const oribi_dims *dims);
/* The numbers of an int32 or int64 tensor in host memory; false after failing. */
bool op_read_ints(op_request *r, const TF_Tensor *tensor, int64_t *values, int most, int *out_n);
/* The same, a number for each dimension: OP_MAX_RANK at most. */
bool op_read_dims(op_request *r, const TF_Tensor *tensor, oribi_dims *out);
/* axis, counted from the end when negative, as 0 to rank - 1; false after failing. */
bool op_axis(op_request *r, int64_t axis, int rank, int *out_axis);
/* Input `index` beyond the two that op_open took; NULL after failing. Closed with the request. */
TF_Tensor *op_other(op_request *r, int index);
void op_close(op_request *r);

TF_LaunchArg op_memory(const TF_Tensor *tensor);
TF_LaunchArg op_value(const void *value, size_t bytes);
/* Is the request's device one whose threads are a processor's, for which there are the forms with
 * vectors? */
bool op_has_vectors(const op_request *r);
/* Enqueues a function, which is loaded at its first use; OP_MAX_FUNCTIONS of a kernel at most. The
 * first argument is the output; 12 arguments at most. */
void op_launch_code(op_kernel *kernel, op_request *r, const op_code *code, const op_shape *shape,
                    const TF_LaunchArg *args, int n_args);
/* Enqueues a function of the kernel's family. */
void op_launch(op_kernel *kernel, op_request *r, const char *function, const op_shape *shape,
               const TF_LaunchArg *args, int n_args);
/* The kernel's own function: one thread for each of columns x rows, in blocks of columns; nothing
 * for no elements. Beyond 65535 rows the function goes on by itself (GLOBAL_SIZE).
 */
void op_enqueue(op_kernel *kernel, op_request *r, int64_t columns, int64_t rows,
                const TF_LaunchArg *args, int n_args);

/* The kernel's own function for n elements: by strips on a processor, else a thread for each. */
void op_enqueue_strips(op_kernel *kernel, op_request *r, int64_t n, const TF_LaunchArg *args,
                       int n_args);

/* oribi_kit_setup_begin for a kernel of this function, with attributes of so many bytes at
 * kernel->attrs; NULL: no memory. oribi_kit_setup_end is due in either case. */
op_kernel *op_begin(oribi_kit_setup *setup, TF_OpKernelConstruction *construction,
                    const char *family, const char *function, size_t attrs_bytes);
void op_delete(void *state);
/* A create function of a kernel that reads no attributes. */
#define OP_CREATE(name, family, function)                                                          \
    static void *name(TF_OpKernelConstruction *construction)                                       \
    {                                                                                              \
        oribi_kit_setup setup;                                                                     \
        (void)op_begin(&setup, construction, family, function, 0);                                 \
        return oribi_kit_setup_end(&setup);                                                        \
    }

const device_ops_target *op_target(void);
const device_ops_image *op_image(const char *family); /* NULL: the device has none */

extern const op_table op_elementwise_table, op_product_table, op_softmax_table, op_view_table,
    op_conv_table, op_pool_table, op_move_table, op_join_table, op_pad_table, op_reduce_table,
    op_normalize_table, op_slice_table, op_resize_table;

#endif
