/* SPDX-License-Identifier: Apache-2.0 */
/* What a device plugin may tell this host beyond TensorFlow's stream_executor.h: copies between
 * devices, launch of device functions, matrix products, native streams. What kernels do with it:
 * device_kernels.h. A plugin that must also load in TensorFlow defines TF_CAPI_WEAK before
 * including this header and tests the function's address. Since 1.2.
 */
#ifndef ORIBI_TENSORFLOW_C_DEVICE_EXTENSION_H_
#define ORIBI_TENSORFLOW_C_DEVICE_EXTENSION_H_

#include "tensorflow/c/experimental/stream_executor/stream_executor.h"
#include "tensorflow/c/tf_datatype.h"

#ifdef __cplusplus
extern "C" {
#endif

#if ORIBI_HAS_CONTRACT(1, 2)

/* Flag of TF_DeviceExtension: memcpy_dtod copies between any two devices of the platform, and
 * streams and events of one may be waited for on streams of another. Without it such copies go
 * through the host. */
enum { TF_DEVICE_PEER_COPIES = 1 };

/* Code of a device in a form that its plugin knows: PTX, OpenCL C, an address of a C function. */
typedef struct TF_DeviceCode {
    size_t struct_size;
    void *ext;
    const void *image;
    size_t image_bytes;
    const char *function; /* name of one function in it */
    const char *options;  /* for a compiler, or NULL */
} TF_DeviceCode;
#define TF_DEVICE_CODE_STRUCT_SIZE TF_OFFSET_OF_END(TF_DeviceCode, options)

/* Kinds of TF_LaunchArg. VALUE: `bytes` bytes at `value`. MEMORY: device memory, `value` is what
 * TF_TensorData gave, or an address in it. SCRATCH: `bytes` bytes that the threads of a block share
 * (OpenCL: local). */
enum { TF_LAUNCH_VALUE = 0, TF_LAUNCH_MEMORY = 1, TF_LAUNCH_SCRATCH = 2 };
typedef struct TF_LaunchArg {
    int32_t kind;
    int32_t reserved; /* 0 */
    const void *value;
    size_t bytes;
} TF_LaunchArg;

/* One launch: grid x block threads, as CUDA counts them. */
typedef struct TF_Launch {
    size_t struct_size;
    void *ext;
    uint32_t grid[3], block[3]; /* each at least 1 */
    size_t shared_bytes;        /* of each block, beside TF_LAUNCH_SCRATCH */
    const TF_LaunchArg *args;
    int32_t n_args;
    int32_t reserved; /* 0 */
} TF_Launch;
#define TF_LAUNCH_STRUCT_SIZE TF_OFFSET_OF_END(TF_Launch, reserved)

/* c = alpha * op(a) op(b) + beta * c, row major, `batch` times with strides in elements between. */
typedef struct TF_Gemm {
    size_t struct_size;
    void *ext;
    TF_DataType dtype; /* of a, b and c */
    int32_t transpose_a, transpose_b;
    int32_t reserved; /* 0 */
    int64_t m, n, k;
    double alpha, beta;
    const void *a, *b; /* device memory, as in TF_LAUNCH_MEMORY */
    void *c;
    int64_t lda, ldb, ldc; /* elements from row to row */
    int64_t batch, stride_a, stride_b, stride_c;
} TF_Gemm;
#define TF_GEMM_STRUCT_SIZE TF_OFFSET_OF_END(TF_Gemm, stride_c)

typedef struct TF_DeviceExtension {
    size_t struct_size; /* TF_DEVICE_EXTENSION_STRUCT_SIZE of the plugin's headers */
    void *ext;          /* the plugin's */
    uint32_t flags;
    uint32_t reserved; /* 0 */
    /* Each may be NULL: kernels that want it get UNIMPLEMENTED. load_function with
     * unload_function. They are called from any thread; launch and gemm enqueue on the stream and
     * do not wait. */
    void (*load_function)(const SP_Device *device, const TF_DeviceCode *code, void **out_function,
                          TF_Status *status);
    void (*unload_function)(const SP_Device *device, void *function);
    void (*launch)(const SP_Device *device, SP_Stream stream, void *function,
                   const TF_Launch *launch, TF_Status *status);
    void (*gemm)(const SP_Device *device, SP_Stream stream, const TF_Gemm *gemm, TF_Status *status);
    /* Address of the vendor's handle (cudaStream_t, hipStream_t, cl_command_queue), which lives as
     * long as the stream. */
    const void *(*native_stream)(const SP_Device *device, SP_Stream stream);
    /* The vendor runtime's properties of the device, or NULL where it has none. */
    const void *(*native_properties)(const SP_Device *device);
} TF_DeviceExtension;
#define TF_DEVICE_EXTENSION_STRUCT_SIZE TF_OFFSET_OF_END(TF_DeviceExtension, native_properties)

/* Adds the extension to the platform that is being registered. A weak reference: NULL in
 * TensorFlow. Owns     the struct is copied. Context  inside SE_InitPlugin, with the params that it
 * was given; the last call counts. Errors   INVALID_ARGUMENT: struct_size is smaller than that
 * of 1.2, or an unknown flag is set.
 */
TF_CAPI_EXPORT extern void TF_SetDeviceExtension(SE_PlatformRegistrationParams *params,
                                                 const TF_DeviceExtension *extension,
                                                 TF_Status *status) __attribute__((weak));

#endif

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_TENSORFLOW_C_DEVICE_EXTENSION_H_ */
