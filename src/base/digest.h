/* SPDX-License-Identifier: Apache-2.0 */
/* Digest of bytes: two numbers that tell apart what differs by accident. Fast, the same on all
 * machines; not made to withstand somebody who looks for two texts with one digest.
 */
#ifndef ORIBI_BASE_DIGEST_H_
#define ORIBI_BASE_DIGEST_H_

#include <stddef.h>
#include <stdint.h>

typedef struct oribi_digest {
    uint64_t at[2];
} oribi_digest;

/* {0} is where one begins. Bytes in two calls give another digest than in one. */
void oribi_digest_add(oribi_digest *digest, const void *data, size_t bytes);

#endif
