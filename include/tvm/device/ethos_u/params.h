/* SPDX-License-Identifier: Apache-2.0 */
/* What an operator of the device kind `ethos-u` finds in its params: one command stream of Vela
 * with what it reads. The target writes it (plugins/ethos_u/target.c), the driver reads it
 * (platform/ethos_u/ethos_u.c). Numbers are the machine's own: the board is little-endian.
 */
#ifndef TVM_DEVICE_ETHOS_U_PARAMS_H_
#define TVM_DEVICE_ETHOS_U_PARAMS_H_

#include <stdint.h>

enum {
    ETHOS_U_RUN = 1,   /* the only operator */
    ETHOS_U_BASES = 8, /* base addresses: read-only data, scratch, fast scratch, inputs, outputs */
    ETHOS_U_ALIGNMENT = 16 /* of each, and of the command stream */
};

/* The last bytes of the params. Offsets are from their first, where the stream begins. */
struct ethos_u_params {
    uint32_t commands_bytes, read_only, read_only_bytes;
    uint32_t scratch_bytes; /* of the last tensor; behind it, if the two are not one: */
    uint32_t fast;          /* where in the last tensor fast scratch begins, 0: it is the same */
    uint32_t fast_bytes;
    uint32_t reserved[2];
};

#endif /* TVM_DEVICE_ETHOS_U_PARAMS_H_ */
