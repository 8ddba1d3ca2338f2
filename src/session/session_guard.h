/* SPDX-License-Identifier: Apache-2.0 */
/* Under AddressSanitizer a step may touch what it reads, writes and was promised as temporaries, to
 * the byte, and no other planned memory. Without it these calls are nothing.
 */
#ifndef ORIBI_SESSION_GUARD_H_
#define ORIBI_SESSION_GUARD_H_

#include "base/poison.h"
#include "session/session_internal.h"

#if ORIBI_HAS_POISON
/* Before step `index`; what the step before it was given is closed. */
void oribi_guard_step(oribi_frame *frame, int32_t index);
/* Storage that the plan did not promise, within planned memory. */
void oribi_guard_give(const oribi_frame *frame, const void *data, size_t bytes);
/* The memory is given back, or left to handles that kernels keep: all of it is open. */
void oribi_guard_open_all(const oribi_frame *frame);
#else
static inline void oribi_guard_step(oribi_frame *frame, int32_t index)
{
    (void)frame;
    (void)index;
}
static inline void oribi_guard_give(const oribi_frame *frame, const void *data, size_t bytes)
{
    (void)frame;
    (void)data;
    (void)bytes;
}
static inline void oribi_guard_open_all(const oribi_frame *frame)
{
    (void)frame;
}
#endif

#endif
