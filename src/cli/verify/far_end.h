/* SPDX-License-Identifier: Apache-2.0 */
/* Far ends of accelerators, over a file descriptor: what `oribi device-serve` and `oribi verify`
 * run beside a board. The conversation is the driver's (tvm/runtime/far_end.h), built from its
 * folder; operators are computed by a desk (oribi/desk.h). */
#ifndef ORIBI_CLI_FAR_END_H_
#define ORIBI_CLI_FAR_END_H_

#include "driver_manifest.h"
#include "tvm/runtime/far_end.h"

typedef int32_t far_end_function(struct tvm_far_end *end);

typedef struct far_end {
    const driver_kind *kind;
    oribi_desk *desk;
    int fd;
    struct tvm_far_end end; /* what the driver sees of this; requests, broken and the window too */
    void *library;
    far_end_function *prepare, *serve; /* prepare may be NULL */
} far_end;

/* far_end_build.c: builds FOLDER/far_end_KIND.so from the driver's sources, an exit code; loads it
 * from there, false after a message. */
int far_end_build(const driver_kind *kind, const char *folder);
bool far_end_load(far_end *end, const driver_kind *kind, const char *folder);
void far_end_unload(far_end *end);

/* Once, when the window is there and before the line is; false after a message. */
bool far_end_prepare(far_end *end);
/* Serves the line until it is gone, or a signal asks to stop; false after a message. */
bool far_end_serve(far_end *end);
/* From now on SIGINT and SIGTERM ask to stop; a line that is gone raises no signal. */
void far_end_catch_signals(void);
bool far_end_is_stopped(void);

/* far_end_open.c: a socket that listens at the path, or is connected to it (waiting some seconds
 * for it to be there); -1 after a message. */
int far_end_listen(const char *path);
int far_end_connect(const char *path);
/* Maps "FILE", "FILE@OFFSET" or "FILE@OFFSET:BYTES" as the window; false after a message. */
bool far_end_map(far_end *end, const char *text);
void far_end_unmap(far_end *end);

#endif
