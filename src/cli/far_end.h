/* SPDX-License-Identifier: Apache-2.0 */
/* Far ends of accelerators, over a file descriptor: what `oribi device-serve` and `oribi verify`
 * run beside a board. Operators are computed by a desk (oribi/desk.h). */
#ifndef ORIBI_CLI_FAR_END_H_
#define ORIBI_CLI_FAR_END_H_

#include <stdbool.h>
#include <stdint.h>

#include "cli.h"

typedef struct far_end {
    oribi_desk *desk;
    int fd;
    uint64_t requests, broken; /* so far */
    uint8_t *window;           /* of a device with a memory of its own; NULL: frames on the line */
    uint32_t window_bytes;
} far_end;

/* Serves the line until it is gone, or a signal asks to stop. */
void far_end_serve(far_end *end);
/* From now on SIGINT and SIGTERM ask to stop; a line that is gone raises no signal. */
void far_end_catch_signals(void);
bool far_end_is_stopped(void);

/* A socket that listens at the path, or is connected to it (waiting some seconds for it to be
 * there); -1 after a message. */
int far_end_listen(const char *path);
int far_end_connect(const char *path);
/* Maps "FILE", "FILE@OFFSET" or "FILE@OFFSET:BYTES" and puts the words of a device in front; false
 * after a message. */
bool far_end_map(far_end *end, const char *text);
void far_end_unmap(far_end *end);

#endif
