/* SPDX-License-Identifier: Apache-2.0 */
/* What the far ends of the tests' serial lines share: bytes from a descriptor, and operators. */
#ifndef ORIBI_TESTS_HOOKS_FAR_LINE_H_
#define ORIBI_TESTS_HOOKS_FAR_LINE_H_

#include <poll.h>
#include <stdint.h>
#include <unistd.h>

/* Exactly so many bytes, as uart_far_end.receive promises them: 0; 1 when none came for timeout_ms;
 * -1 when the line is gone. */
static inline int32_t far_line_receive(int fd, void *data, uint32_t bytes, int32_t timeout_ms)
{
    uint8_t *at = data;
    while (bytes > 0) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (poll(&p, 1, timeout_ms) == 0) {
            return 1;
        }
        const ssize_t n = read(fd, at, bytes);
        if (n <= 0) {
            return -1;
        }
        at += n;
        bytes -= (uint32_t)n;
    }
    return 0;
}

#ifdef ORIBI_EXAMPLE_WOOFLES_DEVICE_H_
/* uart_far_end.invoke by the operators of a woofles. */
static inline int32_t far_line_invoke(void *context, int32_t op, const uint8_t *params,
                                      uint32_t params_bytes, const uint8_t *in, uint32_t in_bytes,
                                      uint8_t *out, uint32_t out_bytes)
{
    const struct woofles_span input = {(uint8_t *)(uintptr_t)in, in_bytes};
    const struct woofles_span output = {out, out_bytes};
    (void)context;
    return woofles_compute((uint32_t)op, params, params_bytes, &input, 1, &output, 1);
}
#endif

#endif
