/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of `oribi verify` share. Order of reading: cmd_verify.c (the flow), verify_glue.c,
 * verify_target.c, verify_wire.c, verify_check.c; the other side is platform/harness. */
#ifndef ORIBI_CLI_VERIFY_H_
#define ORIBI_CLI_VERIFY_H_

#include <stdio.h>
#include <sys/types.h>

#include "cli.h"
#include "driver_manifest.h"

/* The text of platform/, and of headers that it includes, as it was when the command was built;
 * made by cmake/platform_table.cmake.
 */
typedef struct verify_platform_file {
    const char *name; /* "platform/harness/port.h" */
    const unsigned char *text;
    size_t bytes;
} verify_platform_file;
extern const verify_platform_file verify_platform_files[]; /* ends with name NULL */

/* One way to compile and run; a row of verify_target.c. */
typedef struct verify_target {
    const char *name;   /* "cortex-m4" */
    const char *folder; /* of platform/ */
    const char
        *memory; /* of the board, for the linker script of platform/cortex-m4; NULL: its own */
    const char *kernels;  /* --core unless the options say it; NULL: its default */
    const char *compiler; /* found in PATH unless --cc or, for the host, $CC says otherwise */
    const char *flags, *clang_flags, *link_flags;
    const char *linker;      /* NULL: the compiler links */
    const char *const *core; /* files of platform/ beside the harness, ends with NULL */
    const char *file_transport, *serial_transport;
    const char *emulator, *machine; /* NULL: the image is a program */
    const char *packages;           /* Debian's, for messages */
    bool is_arm;
    bool is_v6m; /* the machine would run later instructions: the image is looked through */
    /* For models with devices: */
    const char *driver_platform; /* of their manifests: "posix" */
    const char *device_place;    /* of platform/; NULL: there are no lines and no windows */
    const char *device_machine;  /* in place of `machine`: its memory is shared with far ends */
} verify_target;
const verify_target *verify_target_find(const char *name);
void verify_targets_with_lines(char *out, size_t size); /* "host, cortex-m4" */

enum { VERIFY_MAX_PORTS = 1024, VERIFY_MAX_DEVICES = 4 };

/* A device of the model and its driver. */
typedef struct verify_device {
    const driver_kind *kind;
    const driver_platform *platform;
    uint32_t window_at; /* in the memory that far ends share */
} verify_device;

/* One run that is compared. */
typedef struct verify_case {
    char what[64];                       /* "random inputs 3" */
    uint8_t *inputs, *expected, *golden; /* all inputs, outputs in a row; golden or NULL */
    bool is_given;                       /* by --input: outputs are printed */
    uint32_t *hashes;                    /* of the host session's values, with --per-node */
    bool *is_hashed;                     /* does the session have such a value? */
} verify_case;

/* An output that is brought back to an input (--state). */
typedef struct verify_state {
    int input, output; /* of the model */
    int32_t fill;      /* every element before the first run */
    TF_Tensor *value;
} verify_state;

/* A value of the plan. Strings but `place` are the report's. */
typedef struct verify_value {
    const char *name, *node, *op;
    char *place;  /* as C in oribi_model.c */
    int32_t step; /* operator after which it is there */
    size_t bytes;
    uint32_t hash; /* the target's, in the first run */
} verify_value;

/* An operator of the C; strings are the report's. */
typedef struct verify_operator {
    const char *node, *op, *kernel;
    uint64_t count; /* of the first run */
} verify_operator;

/* Operators of a loop, which run in each iteration. */
typedef struct verify_loop {
    int32_t first, last;
} verify_loop;

/* Holds what runs took, over all cases. */
typedef struct verify_result {
    int n_runs;
    int32_t n_compared; /* values, with --per-node */
    uint32_t stack_bytes, touched_bytes, count_kind;
    uint64_t count;                 /* of the first run */
    int64_t code_bytes, data_bytes; /* of the emitted objects: code and constants; -1: unknown */
    int64_t stack_bound_bytes;      /* that a run can need at most; 0, -1: unknown, */
    char stack_unknown[64];         /* because of this function */
} verify_result;

typedef struct verify {
    const cli_args *args;
    const verify_target *target;
    cli_session session;
    oribi_compile *compile;
    char *folder;
    bool keeps_folder;
    cli_json files[2];                        /* metadata.json and report.json, parsed */
    const oribi_json_value *report;           /* of the latter */
    const char *name;                         /* of the model in symbols */
    char *macro;                              /* the same in upper case */
    const oribi_json_value *inputs, *outputs; /* by name, with "size" */
    const oribi_json_value *pools;            /* of the report: "name" and "bytes" */
    size_t input_bytes, output_bytes, workspace_bytes, state_bytes;
    bool is_weights_file; /* --weights bin */
    bool is_per_node, is_not_fused;
    bool is_profiled, has_profile;
    verify_operator *operators;
    int32_t n_operators;
    verify_state states[VERIFY_MAX_PORTS];
    int n_states;
    verify_value *values;
    int32_t n_values;
    verify_loop *loops;
    int32_t n_loops;
    int64_t seconds; /* limit of one run of the image */
    verify_result result;
    driver_set drivers; /* of --driver */
    verify_device devices[VERIFY_MAX_DEVICES];
    int n_devices;
    bool is_fed; /* with real numbers, once */
} verify;

/* "FOLDER/NAME"; the caller frees it. */
char *verify_path(const verify *v, const char *name);

/* verify_process.c: runs a program in a folder (NULL: here) with stdin, stdout and stderr from and
 * to files (NULL: ours). While it runs, the growth of `watched` towards watched_bytes is shown. The
 * exit code; -1: it did not start or was killed; -2: it took longer than `seconds`. */
typedef struct verify_process {
    const char *const *argv;
    const char *folder, *in, *out, *err;
    const char *watched, *what;
    int64_t watched_bytes, seconds;
} verify_process;
int verify_process_run(const verify_process *process);
void verify_remove_folder(const char *folder); /* with all that is in it */
/* Lines of a file to stderr, at most `most`. */
void verify_show(const char *path, int most);

/* The words of a command line; what does not fit is refused when it runs. */
enum { VERIFY_WORDS = 512, VERIFY_WORDS_TEXT = 65536 };
typedef struct verify_words {
    const char *argv[VERIFY_WORDS + 1];
    char text[VERIFY_WORDS_TEXT];
    size_t n, used;
    bool is_full;
} verify_words;
void verify_words_add(verify_words *words, const char *word);
void verify_words_split(verify_words *words, const char *text); /* at blanks; NULL: none */
/* Runs a compiler or linker in the folder, `what` being made; what it says ends in the folder's
 * build.log, that of a failure is shown. packages: Debian's, or NULL. An exit code. */
int verify_tool_run(verify_words *words, const char *folder, const char *packages,
                    const char *what);

/* verify_size.c: sets the result's code_bytes and data_bytes. */
void verify_weigh(verify *v);
/* verify_stack.c: sets the result's stack_bound_bytes and stack_unknown. */
void verify_bound_stack(verify *v);
/* "arm-none-eabi-" of the target's compiler and the tool's name. */
void verify_tool(const verify *v, const char *tool, char *out, size_t size);
/* The object that a source of the folder is compiled into. */
void verify_object(const char *source, char *out, size_t size);

/* verify_state.c. Read: from the report, false after a message. Put: the present values as inputs.
 * Take: the outputs of a run become the values; false after a message. */
bool verify_states_read(verify *v);
bool verify_is_state(const verify *v, int port, bool is_output);
void verify_states_reset(verify *v);
void verify_states_put(const verify *v, TF_Tensor **inputs);
bool verify_states_take(const verify *v, TF_Tensor *const *outputs);
void verify_states_free(verify *v);

/* verify_v6m.c: is every instruction of the image one of ARMv6-M? An exit code. */
int verify_v6m(const verify *v);

/* verify_glue.c: the model's side of platform/harness/model.h. */
int verify_write_glue(const verify *v); /* an exit code */
/* verify_target.c: an exit code each. */
int verify_build(const verify *v, bool is_serial);
int verify_write_platform(const char *folder);
int verify_emulate(const verify *v, int64_t out_bytes);

/* verify_device.c: the devices that the options ask for, with their drivers; an exit code. */
int verify_devices_read(verify *v);
/* Does the compiled model have them? An exit code. */
int verify_devices_check(const verify *v);
/* Their part of the glue, of the flags of each compilation, of the sources, of the link. */
void verify_put_devices(const verify *v, FILE *file);
void verify_put_device_table(const verify *v, FILE *file);
void verify_device_flags(const verify *v, verify_words *words);
typedef int verify_compile_function(const verify *v, const char *source, const char *name,
                                    verify_words *link);
int verify_device_sources(const verify *v, verify_compile_function *compile, verify_words *link);
void verify_device_link(const verify *v, verify_words *words);
/* A DEVICE frame in words, on stderr. */
void verify_explain_device(const verify *v, const char *when, const uint8_t *payload);
/* Files and words of a manifest as words of a compiler. */
void driver_words(verify_words *words, const driver_list *list);
void driver_words_include(verify_words *words, const driver_kind *kind);
void driver_words_path(verify_words *words, const char *before, const driver_kind *kind,
                       const char *path);

/* verify_far_ends.c: who is at the other end of the devices while the image runs. */
typedef struct verify_far_ends {
    pid_t ids[VERIFY_MAX_DEVICES];
    int n;
} verify_far_ends;
/* Builds what they are made of, in the folder; an exit code. */
int verify_far_ends_build(const verify *v);
/* The emulator's part. */
void verify_device_machine(const verify *v, verify_words *words);
bool verify_far_ends_start(const verify *v, verify_far_ends *out); /* false after a message */
void verify_far_ends_stop(verify_far_ends *ends);

/* verify_wire.c */
typedef struct verify_bytes {
    uint8_t *data;
    size_t n, room;
} verify_bytes;
void verify_append(verify_bytes *bytes, const void *data, size_t n);
void verify_frame(verify_bytes *bytes, uint8_t type, const void *head, size_t head_bytes,
                  const void *payload, size_t n);
typedef struct verify_frame_view {
    uint8_t type;
    const uint8_t *payload;
    size_t bytes;
} verify_frame_view;
/* The frame at *at, which moves behind it. False: there is no whole one, or it is broken. */
bool verify_next_frame(const verify_bytes *bytes, size_t *at, verify_frame_view *out);
uint32_t verify_word(const uint8_t *bytes);

/* verify_serial.c: sends the requests over a line and collects the answers; an exit code. */
int verify_serial(const verify *v, const char *path, const verify_bytes *requests,
                  verify_bytes *out_replies);

/* verify_node.c */
typedef struct verify_watch {
    const verify *verify;
    verify_case *which;
    int32_t next;
    bool *is_past;    /* by loop: its first iteration */
    const char *node; /* of the last event */
} verify_watch;
void verify_list_values(verify *v);
void verify_free_values(verify *v);
void verify_put_values(const verify *v, FILE *file);
void verify_note_value(void *watch, const oribi_value_event *event);
/* The target's hashes, n_values words. */
int verify_check_values(verify *v, const verify_case *which, const uint8_t *hashes);
/* verify_profile.c: operators by the report; their counts of an OPERATORS frame; are there any? An
 * exit code each. */
void verify_list_operators(verify *v);
int verify_take_profile(verify *v, const verify_frame_view *frame);
int verify_check_profile(const verify *v);
const char *verify_unit(const verify *v); /* "cycles", or what is counted in place of them */
void verify_print_profile(const verify *v);
void verify_put_profile(oribi_json *json, const verify *v);
/* verify_units.c: an application's view, real numbers by the emitted header against those of the
 * model. Put: the header's side, for the glue. */
void verify_put_units(const verify *v, FILE *file);
/* Appends the scales for the request FEED. */
void verify_put_scales(const verify *v, verify_bytes *out);
/* UNITS, whose inputs must be the case's, and REALS, which must be what its outputs stand for; an
 * exit code each. */
int verify_check_units(const verify *v, const verify_frame_view *frame, const verify_case *which);
int verify_check_reals(const verify *v, const verify_frame_view *frame, const verify_case *which);
/* verify_cases.c: golden files and random inputs, with what the host session makes of them. */
int verify_run_cases(verify *v, int n_runs);
/* verify_check.c: an exit code. */
int verify_check(verify *v, const verify_case *cases, int n_cases);
/* verify_fault.c: what a FAULT frame says, on stderr. */
void verify_explain_fault(const verify *v, const uint8_t *payload);

#endif
