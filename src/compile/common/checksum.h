/* SPDX-License-Identifier: Apache-2.0 */
/* Sums that tell files apart: not for secrets. */
#ifndef ORIBI_COMPILE_COMMON_CHECKSUM_H_
#define ORIBI_COMPILE_COMMON_CHECKSUM_H_

#include <stddef.h>
#include <stdint.h>

void oribi_sha256(const void *data, size_t bytes, uint32_t out[8]); /* big-endian words */
/* SHA-256 in lower case hexadecimal and NUL: 65 bytes. */
void oribi_sha256_hex(const void *data, size_t bytes, char out_hex[65]);
uint32_t oribi_crc32(uint32_t crc, const void *data, size_t bytes); /* crc: 0 at first */

#endif
