/* SPDX-License-Identifier: Apache-2.0 */
/* The conversation of `oribi verify` and a target, over a file or a serial line. Both sides include
 * this file.
 *
 * A frame is 'O' 'r', a type, a zero, the length of the payload in four bytes, the payload, and the
 * CRC-32 (IEEE 802.3) of type, zero, length and payload in four bytes; numbers are little-endian.
 * The target speaks when it is asked, but for a fault. Boards of one's own speak it, too: read next
 * platform/harness/harness.c, then port.h.
 */
#ifndef ORIBI_VERIFY_WIRE_H_
#define ORIBI_VERIFY_WIRE_H_

#include <stdint.h>

#define ORIBI_WIRE_PROTOCOL 2u
#define ORIBI_WIRE_MARK_0   0x4Fu
#define ORIBI_WIRE_MARK_1   0x72u
#define ORIBI_WIRE_HEADER   8u /* bytes before the payload */

/* Host to target. */
#define ORIBI_WIRE_HELLO 0x48u /* nothing; resets the state; answered by IDENTITY */
#define ORIBI_WIRE_RUN                                                                             \
    0x52u /* flags (4 bytes), then the bytes of all inputs; answered by RESULT                     \
           */
/* Scale (the bits of a float) and zero point for each input, then the bytes of all inputs. Where
 * the scale is not 0, the target makes real numbers of them (oribi_harness_real), and inputs of
 * these by the emitted header. Answered by UNITS, then REALS; what the run leaves is not kept. */
#define ORIBI_WIRE_FEED 0x46u
#define ORIBI_WIRE_END  0x51u /* nothing; devices are stopped, and a target in emulation ends */

/* Flags of RUN. */
#define ORIBI_WIRE_STEPS 1u /* then step through once more: STEPS comes before RESULT */
#define ORIBI_WIRE_ONCE                                                                            \
    2u                      /* one run; else a second one begins with other bytes in the workspace \
                             */
#define ORIBI_WIRE_COUNT 4u /* then step through once more: OPERATORS comes before RESULT */

/* Target to host. IDENTITY: words protocol, inputs' bytes, outputs' bytes, workspace bytes,
 * operators, kind of count; then the 32 bytes of the model's SHA-256. */
#define ORIBI_WIRE_IDENTITY       0x68u
#define ORIBI_WIRE_IDENTITY_BYTES (6u * 4u + 32u)
/* One CRC-32 for each output of an operator, taken right after the operator's step. */
#define ORIBI_WIRE_HASHES 0x73u
/* The count of each operator, low and high word; that of one in a loop over all iterations. */
#define ORIBI_WIRE_OPERATORS 0x6Fu
/* Words status of the model, stack bytes, workspace bytes touched (both UNKNOWN where the target
 * cannot tell), flags, count low, count high; then the bytes of all outputs. */
#define ORIBI_WIRE_RESULT       0x72u
#define ORIBI_WIRE_RESULT_WORDS 6u
/* Scale (the bits of a float) and zero point for each input, then for each output, as the emitted
 * header has them, 0 where it has none; then the bytes of all inputs. */
#define ORIBI_WIRE_UNITS 0x75u
/* Word status of the model; then all outputs: elements that the emitted header can read as the bits
 * of a float each, others as their bytes. */
#define ORIBI_WIRE_REALS 0x76u
/* Words cause, status, program counter, address (UNKNOWN: none); see each port. */
#define ORIBI_WIRE_FAULT 0x66u
/* A function of a device's driver failed. Words hook (TVM_DEVICE_HOOK_... of tvm/runtime/device.h,
 * or START, STOP), device, code, operator, and hooks that failed while clearing up; device and
 * operator are UNKNOWN where there is none. Comes before the RESULT of a run that failed, in place
 * of any answer while a device is not started, and after END for a device that cannot be stopped.
 */
#define ORIBI_WIRE_DEVICE       0x64u
#define ORIBI_WIRE_DEVICE_WORDS 5u
#define ORIBI_WIRE_START        0x100u
#define ORIBI_WIRE_STOP         0x101u
/* A word: what is wrong with the last request. */
#define ORIBI_WIRE_REFUSAL 0x65u

#define ORIBI_WIRE_UNKNOWN 0xFFFFFFFFu

/* Flags of RESULT. */
#define ORIBI_WIRE_OUTSIDE      1u /* bytes beside the workspace or the outputs were written */
#define ORIBI_WIRE_UNEQUAL      2u /* outputs depend on what lay in the workspace before */
#define ORIBI_WIRE_STEPS_DIFFER 4u /* stepping gave other outputs than a run */

/* Kinds of count. */
#define ORIBI_WIRE_COUNTS_NOTHING      0u
#define ORIBI_WIRE_COUNTS_INSTRUCTIONS 1u
#define ORIBI_WIRE_COUNTS_CYCLES       2u

/* Reasons of REFUSAL. */
#define ORIBI_WIRE_BAD_LENGTH 1u
#define ORIBI_WIRE_BAD_CRC    2u
#define ORIBI_WIRE_BAD_TYPE   3u

#endif
