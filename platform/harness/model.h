/* SPDX-License-Identifier: Apache-2.0 */
/* What `oribi verify` writes for the harness about a model: where its memory lies, how to run it.
 */
#ifndef ORIBI_PLATFORM_HARNESS_MODEL_H_
#define ORIBI_PLATFORM_HARNESS_MODEL_H_

#include <stdint.h>

/* Memory that the model may write, `bytes` inside an array of `room` bytes at `start`: what is
 * beside it must stay as it was filled. */
struct oribi_harness_block {
    uint8_t *start, *at;
    uint32_t room, bytes;
};

/* A value when operator `step` has run, in a loop for the first time. */
struct oribi_harness_value {
    int32_t step;
    const uint8_t *at;
    uint32_t bytes;
};

/* An input or output as an application sees it, by the emitted header; 0 is what that lacks. */
struct oribi_harness_port {
    float scale;
    int32_t zero_point, count;
    void (*feed)(float scale, int32_t zero_point); /* an input with real numbers */
    float (*read)(int32_t index);                  /* an output's element */
};

/* A real number that is stored as `stored`, and beside it as far as rounding takes back. */
static inline float oribi_harness_real(int32_t index, int32_t stored, float scale,
                                       int32_t zero_point)
{
    return scale * ((float)(stored - zero_point) + 0.125f * (float)(index % 7 - 3));
}

struct oribi_harness_device;
struct tvm_device_error;

struct oribi_harness_model {
    uint8_t sha256[32];
    const struct oribi_harness_block *inputs, *outputs, *pools;
    const struct oribi_harness_port *ports;   /* the inputs, then the outputs */
    const struct oribi_harness_value *values; /* by step */
    int32_t n_inputs, n_outputs, n_pools, n_values, n_operators;
    uint32_t input_bytes, output_bytes;
    uint8_t *request; /* room for a RUN or FEED request */
    uint32_t request_room;
    void (*bind)(void); /* once, before anything else */
    int32_t (*run)(void);
    int32_t (*step)(void);  /* one operator; 1 while operators are left */
    int32_t (*next)(void);  /* the operator that the next step runs */
    uint64_t *ticks;        /* room for those of each operator, and one more */
    uint8_t *state, *saved; /* what runs leave to the next request, and room for a copy of it */
    uint32_t state_bytes;
    void (*reset)(void); /* of the state; not called when there is none */
    /* Of a model for devices, oribi_devices_... of devices.h; else NULL, and there are none. */
    int32_t (*start_devices)(void);
    void (*stop_devices)(void), (*explain_device)(void);
    const struct oribi_harness_device *devices;
    int32_t n_devices;
    const struct tvm_device_error *device_error;
};

/* An array for a pool, between guard pages on a bare machine and with bytes to watch on a hosted
 * one. The pool ends at the guard as closely as its alignment lets it. */
#define ORIBI_HARNESS_PAGE 4096u
#if defined(__STDC_HOSTED__) && __STDC_HOSTED__
#define ORIBI_HARNESS_WATCHED ORIBI_HARNESS_PAGE
#else
#define ORIBI_HARNESS_WATCHED 0u
#endif
#define ORIBI_HARNESS_UP(bytes, to) (((bytes) + (to)-1u) / (to) * (to))
#define ORIBI_HARNESS_POOL(name, bytes)                                                            \
    static uint8_t                                                                                 \
        name[ORIBI_HARNESS_UP((bytes) + 1u, ORIBI_HARNESS_PAGE) + ORIBI_HARNESS_WATCHED]           \
        __attribute__((section(".oribi_pool"), aligned(4096)))
#define ORIBI_HARNESS_POOL_BLOCK(name, bytes, alignment)                                           \
    {                                                                                              \
        (name),                                                                                    \
            (name) + sizeof(name) - ORIBI_HARNESS_WATCHED -                                        \
                ORIBI_HARNESS_UP((bytes), (alignment)),                                            \
            sizeof(name), (bytes)                                                                  \
    }
/* An array for an input or output, with bytes on either side that nobody may touch. */
#define ORIBI_HARNESS_BESIDE 64u
#define ORIBI_HARNESS_PORT(name, bytes)                                                            \
    static uint8_t name[(bytes) + 2u * ORIBI_HARNESS_BESIDE]                                       \
        __attribute__((section(".oribi_io"), aligned(64)))
#define ORIBI_HARNESS_PORT_BLOCK(name, bytes)                                                      \
    {                                                                                              \
        (name), (name) + ORIBI_HARNESS_BESIDE, sizeof(name), (bytes)                               \
    }

extern const struct oribi_harness_model oribi_harness_model;

#endif
