/* SPDX-License-Identifier: Apache-2.0 */
/* What all kernels of the device share; see kernels.c. */
#ifndef ORIBI_PLUGINS_OPENCL_KERNELS_H_
#define ORIBI_PLUGINS_OPENCL_KERNELS_H_

#include "opencl.h"
#include "tensorflow/c/device_kernels.h"

enum { OPENCL_MAX_RANK = 6 };

struct opencl_window;

typedef struct opencl_kernel { /* state of one kernel */
    const char *source, *function;
    unsigned char transpose_x, transpose_y, is_nchw;
    struct opencl_window *window; /* of convolutions and pools; else NULL */
    pthread_mutex_t lock;
    TF_DeviceFunction *loaded;
} opencl_kernel;

typedef struct opencl_request { /* what every kernel needs while it computes */
    TF_OpKernelContext *ctx;
    TF_Status *status;
    TF_Tensor *x, *y, *bias, *residual, *out;
} opencl_request;

typedef struct opencl_entry { /* one op that has a kernel */
    const char *op;
    void *(*create)(TF_OpKernelConstruction *);
    void (*compute)(void *, TF_OpKernelContext *);
    const char *host_input;
} opencl_entry;

bool opencl_is_ok(const opencl_request *r);
bool opencl_refuse(opencl_request *r, TF_Code code, const char *message);
bool opencl_open(opencl_request *r, TF_OpKernelContext *ctx, int n_inputs);
bool opencl_output(opencl_request *r, const int64_t *dims, int rank);
void opencl_close(opencl_request *r);
TF_LaunchArg opencl_memory(const TF_Tensor *tensor);
TF_LaunchArg opencl_value(const void *value, size_t bytes);
/* One thread for each of columns x rows, in blocks of columns; nothing for no elements. */
void opencl_enqueue(opencl_kernel *kernel, opencl_request *r, int64_t columns, int64_t rows,
                    const TF_LaunchArg *args, int n_args);
opencl_kernel *opencl_create(TF_OpKernelConstruction *construction, const char *function,
                             TF_Status *status);
/* Tells the host of a failure, deletes the status, returns the kernel. */
void *opencl_finish(TF_OpKernelConstruction *construction, opencl_kernel *kernel,
                    TF_Status *status);
void opencl_delete(void *state);

extern const opencl_entry opencl_window_entries[];
extern const size_t opencl_n_window_entries;
extern const char *const opencl_window_source;

#endif
