/* SPDX-License-Identifier: Apache-2.0 */
/* Where does a driver find its accelerator when `oribi verify` runs it? The harness owns the struct
 * of each device and calls two functions of the driver's folder, which its manifest names: they
 * stand for what an application does once. docs/reference/driver-manifest.md has an example.
 *
 *   int32_t START(tvm_device_<kind>_t *dev, const struct tvm_verify_place *place);
 *   int32_t STOP(tvm_device_<kind>_t *dev);
 *
 * START calls the driver's Init, before the first run; STOP calls its Destroy, after the last one.
 * Both return 0 or a code, which ends the verification. C99, for a program of this machine
 * (__STDC_HOSTED__ is 1) and for a bare board alike.
 */
#ifndef TVM_RUNTIME_VERIFY_H_
#define TVM_RUNTIME_VERIFY_H_

#include "tvm/runtime/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes to the far end and back: the manifest's "transport" is "line". Else all of it is 0, and the
 * descriptor -1. */
struct tvm_verify_line {
    void *context; /* first argument of the functions, which wait for a millisecond at most */
    int32_t (*put)(void *context, uint8_t byte);  /* 1: it is sent; 0: there is no room yet */
    int32_t (*get)(void *context, uint8_t *byte); /* 1: there was one; 0: there is none yet */
    uint32_t polls_per_ms; /* calls of get in a millisecond, at most: for time-outs */
    int32_t descriptor;    /* of the line, on a machine with files; -1 on a bare board */
};

/* What a device of the model has to itself. It stays where it is until STOP has returned. */
struct tvm_verify_place {
    int32_t device;        /* its number, from 0, in the order of --target-device */
    uint32_t memory_bytes; /* what the model was planned to need of the device's own memory */
    void *window;          /* memory of the manifest's "window", aligned to 4096 and zeroed; with a
                            * line it is shared with the far end. NULL: none */
    uint32_t window_bytes;
    struct tvm_verify_line line;
};

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TVM_RUNTIME_VERIFY_H_ */
