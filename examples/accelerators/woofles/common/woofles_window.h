/* SPDX-License-Identifier: Apache-2.0 */
/* What a `woofles` shows of itself: a window of memory with a few words in front, a ring of
 * commands, and the memory that tensors live in. Both sides count: `posted` is written by the host,
 * `done` by the device. A doorbell and an interrupt, whatever the board has, say when to look.
 * Offsets and sizes are in bytes from the start of the window; words are little-endian.
 */
#ifndef ORIBI_EXAMPLE_WOOFLES_WINDOW_H_
#define ORIBI_EXAMPLE_WOOFLES_WINDOW_H_

#include <stdint.h>

#define WOOFLES_MAGIC   0x464F4F57u /* "WOOF": the device is there */
#define WOOFLES_RING    8u
#define WOOFLES_TENSORS 6u

#define WOOFLES_INVOKE 1u
#define WOOFLES_COPY   2u /* inside the window: tensor 0 to tensor 1 */

struct woofles_command {
    uint32_t kind, op;
    uint32_t n_inputs, n_outputs;
    uint32_t params, params_bytes; /* where they lie in the window */
    uint32_t offset[WOOFLES_TENSORS], bytes[WOOFLES_TENSORS];
    uint32_t code; /* written by the device: 0, or why it failed */
    uint32_t reserved;
};

struct woofles_window {
    uint32_t magic;
    uint32_t power;  /* written by the host: 1, on */
    uint32_t posted; /* commands, counted on and on */
    uint32_t done;
    uint32_t cancel; /* written by the host: commands up to here are dropped if not begun */
    uint32_t bytes;  /* of the whole window */
    uint32_t reserved[2];
    struct woofles_command ring[WOOFLES_RING];
};

/* Memory for tensors, and behind it a place where the driver puts the params of queued commands. */
#define WOOFLES_MEMORY_OFFSET 1024u

#endif
