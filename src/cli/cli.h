/* SPDX-License-Identifier: Apache-2.0 */
/* The command: tables of commands and options, exit codes, talk on stderr. It sees include/ and, of
 * src/, format/ alone. Read next: main.c (dispatch), then one cmd_*.c.
 */
#ifndef ORIBI_CLI_CLI_H_
#define ORIBI_CLI_CLI_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/json.h"
#include "format/json_read.h"
#include "oribi/desk.h"
#include "oribi/oribi.h"
#include "tensorflow/c/tf_tstring.h"

enum {
    CLI_OK = 0,
    CLI_MISMATCH = 1,
    CLI_USAGE = 2,
    CLI_UNSUPPORTED = 3,
    CLI_BAD_INPUT = 4,
    CLI_LIMIT = 5,
    CLI_PLUGIN = 6
};

typedef struct cli_option {
    const char *name;  /* "--threads" */
    char letter;       /* 'i', or 0 */
    const char *value; /* "N" for people, NULL for a flag */
    const char *help;
} cli_option;

typedef struct cli_args {
    const struct cli_command *command;
    const char **positional;
    int n_positional;
    struct cli_given {
        const cli_option *option;
        const char *value;
    } * given;
    int n_given;
    char **owned; /* values that were made, not given */
    int n_owned;
} cli_args;

typedef struct cli_command {
    const char *name;
    const char *arguments; /* "MODEL" */
    const char *summary;
    const char *description;   /* for help and the man page; NULL: none */
    const char *examples;      /* command lines, "  oribi ..." each; NULL: none */
    const cli_option *options; /* ends with name NULL */
    int (*run)(const cli_args *args);
} cli_command;

extern const cli_command cli_commands[]; /* ends with name NULL */

/* args.c. NULL after a message: usage. */
cli_args *cli_args_parse(const cli_command *command, int argc, char **argv);
void cli_args_destroy(cli_args *args);
bool cli_has(const cli_args *args, const char *option);
const char *cli_value(const cli_args *args, const char *option); /* the last one, or NULL */
/* The k-th value of an option given several times, or NULL. */
const char *cli_value_at(const cli_args *args, const char *option, int k);
/* Number in [low, high] or `fallback` when absent; a bad one prints usage and sets *bad. */
int64_t cli_number(const cli_args *args, const char *option, int64_t fallback, int64_t low,
                   int64_t high, bool *bad);

/* needs.c. An option that would have no effect, or one argument too many: false after a message. */
bool cli_needs_check(const cli_args *args);

/* help.c */
void cli_help_all(void);
void cli_help_command(const cli_command *command);

/* generate.c: "man", "bash", "zsh" or "fish"; an exit code. */
int cli_generate(const char *what);

/* talk.c. Everything for people goes to stderr. Names come from files that anybody made: bytes that
 * are no UTF-8, and what a terminal takes for a command, are written as \xNN in all three. */
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The library's log, as it writes it where nobody listens: a hook of oribi_set_log. */
void cli_log(void *arg, int level, const char *message);
/* printf for what has such names in it, to standard output. */
void cli_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The last error's message, and the code that the library gave for it (0: the command's own). */
int cli_last_error(const char **message);
/* codes.c: a last line about an exit code that is an error's: its ORB code, as text or as JSON. */
void cli_tell_code(int exit_code, bool as_json);
/* Prints the message and tells the exit code. */
int cli_fail(const TF_Status *status);
/* The same of a plugin: whatever it did, a hang included, is its fault, but for memory that ran
 * out. */
int cli_fail_plugin(const TF_Status *status);
/* Progress on a terminal; does nothing elsewhere. total 0 clears the line. */
void cli_progress(const char *what, int64_t done, int64_t total);

/* Out of memory ends the command: it is a program, not the library. */
_Noreturn void cli_no_memory(size_t bytes);
void *cli_alloc(size_t bytes);
void *cli_grow(void *block, size_t count, size_t size);
bool cli_ends_with(const char *text, const char *tail);
uint32_t cli_little(const uint8_t *at, int bytes);       /* a number, its low bytes first */
char *cli_copy_text(const char *text, size_t length);    /* with a NUL */
char *cli_path_in(const char *folder, const char *name); /* "folder/name"; free() */
TF_Buffer *cli_buffer(void);                             /* an empty one */
/* Whole file, NUL added after the last byte; NULL after a message. */
uint8_t *cli_read_file(const char *path, size_t *out_bytes);
/* The same of a file that people write, of 16 MiB at most. */
char *cli_read_text(const char *path, size_t *out_bytes);

/* write_file.c: exit codes. Whole or not at all; refuses to overwrite without force. */
int cli_write_file(const char *path, const void *data, size_t bytes, bool force);
/* Would it be refused? Told before the work is done, by a draft that is made and taken away. */
int cli_check_writable(const char *path, bool force);
int cli_check_folder(const char *path); /* with its parents */
/* Files that are there together or not at all, and folders, with their parents, for them. */
typedef struct cli_files cli_files;
cli_files *cli_files_begin(bool force);
bool cli_files_add_folder(cli_files *files, const char *path);
bool cli_files_add(cli_files *files, const char *path, const void *data, size_t bytes);
/* Puts them there if code is CLI_OK and all of them were written; frees. An exit code. */
int cli_files_end(cli_files *files, int code);

/* cli_budget.c: what reading inputs may take. */
uint64_t cli_now_ns(void);                                                  /* monotonic */
void cli_budget_begin(uint64_t bytes, uint64_t used, uint64_t deadline_ns); /* 0: no deadline */
bool cli_budget_take(const char *what, uint64_t bytes); /* false after a message */
void cli_budget_give(uint64_t bytes);
uint64_t cli_budget_left(void);
bool cli_budget_is_late(const char *what); /* true after a message */
int cli_budget_code(void);                 /* exit code of an input that could not be read */

/* cli_guard.c: a mapped file that is truncated ends the command with a message and exit code 4. */
void cli_guard_files(void);

/* cli_model.c: what run, inspect and bench share. */
typedef struct cli_session {
    oribi_options *options;
    oribi_model *model;
    oribi_session *session;
} cli_session;
#define CLI_SESSION_OPTIONS                                                                        \
    {"--plugin", 'p', "FILE[:K=V,..]", "load a plugin first; may be given several times"},         \
        {"--threads", 't', "N", "threads, the caller included (default: all processors)"},         \
        {"--max-bytes", 0, "N", "memory limit; k, m, g allowed (default: half of the memory)"},    \
        {"--shape", 0, "NAME=1x3x224x224", "fixes the unknown dimensions of an input"},            \
        {"--bound", 0, "NAME:DIM=MAX",                                                             \
         "the most that a dimension will be: one plan serves runs with less; several"},            \
        {"--kernels", 0, "fast|micro|micro-fma",                                                   \
         "micro: bit for bit what compiled C computes; micro-fma: compiled with --fma"},           \
        {"--isa", 0, "any|neon|avx2|avx512|vnni", "kernels use no better instruction set"},        \
        {"--disable-pass", 0, "fold|fuse|layout|batch_norm|qdq", "leave a pass out; several"},     \
        {"--tflite-variant", 0, "tflm|tflite|litert",                                              \
         "whose rounding quantised TFLite operators have"},                                        \
        {"--signature", 0, "NAME", "of a SavedModel (default: serving_default)"},                  \
        {"--read", 0, NULL, "read the model's files into memory: others may truncate them"},       \
    {                                                                                              \
        "--follow-links", 0, NULL, "external data may leave the model's folder through a link"     \
    }
#define CLI_TIME_LIMIT_OPTION(help)                                                                \
    {                                                                                              \
        "--time-limit", 0, "MS", help                                                              \
    }
/* cmd_bench.c: what bench and profile do before they measure. */
typedef struct cli_bench_plan {
    int runs, warm_up;
    double first_ms; /* of the first run */
} cli_bench_plan;
bool cli_bench_plan_read(const cli_args *args, cli_bench_plan *out); /* false after a message */
/* Binds inputs, runs, and says how many runs fit where nobody said it. An exit code. */
int cli_bench_warm_up(const cli_args *args, const cli_session *s, oribi_run *run,
                      cli_bench_plan *plan);
/* cli_parallel.c: what more cores would give, by runs on one. An exit code. */
int cli_parallel(const cli_session *s, bool as_json);
/* cli_place.c: where nodes run. `run` has a --device of its own, which takes drivers too. */
#define CLI_PLACE_OPTIONS                                                                          \
    {"--place-node", 0, "NODE=NAME[:N]", "the node runs on that device, or on CPU; several"},      \
        {"--strict-placement", 0, NULL, "a node without a kernel for its device is an error"},     \
        {"--keep-islands", 0, NULL, "nodes with a kernel there run there, whatever copies cost"},  \
        {"--device-max-bytes", 0, "N", "limit on the model's memory on each device"},              \
    {                                                                                              \
        "--unified-memory", 0, NULL, "values on devices lie in unified memory"                     \
    }
#define CLI_DEVICE_OPTION                                                                          \
    {                                                                                              \
        "--device", 0, "NAME[:N]", "nodes with a kernel there run on this plugin's device"         \
    }
/* Does --device name drivers (NAME=DRIVER.so) rather than a device? */
bool cli_has_drivers(const cli_args *args);
/* Reads the options above for commands that have them; false: status set. */
bool cli_place(const cli_args *args, oribi_options *options, TF_Status *status);
int cli_session_open(const cli_args *args, cli_session *out); /* an exit code */
int cli_model_open(const cli_args *args, cli_session *out);   /* the same, without a session */
/* The same with this choice of kernels (NULL: the default) where --kernels is not given. */
int cli_session_open_with(const cli_args *args, const char *kernels, cli_session *out);
void cli_session_close(cli_session *session);

/* tensor_text.c */
/* Sizes of a tensor, as many as a TF_Tensor may have. at[0 .. n-1] are valid; all zero is rank 0.
 */
enum { CLI_MAX_RANK = 254 };
typedef struct cli_dims {
    int n;
    int64_t at[CLI_MAX_RANK];
} cli_dims;
/* Appends one; false, and dims untouched, when it is full. */
bool cli_dims_add(cli_dims *dims, int64_t size);
/* One unknown dimension is what `count` elements leave for it; others stay. */
void cli_dims_fit(cli_dims *dims, size_t count);
/* A tensor of `count` elements, all zero, in the input's dimensions, of which one that is unknown
 * is what is left; NULL after a message that calls the elements `things`. */
TF_Tensor *cli_tensor_for(TF_DataType type, const cli_dims *wanted, size_t count, const char *path,
                          const char *things);
const char *cli_type_name(TF_DataType type);
TF_DataType cli_type_parse(const char *name, size_t length);
double cli_element(const TF_Tensor *tensor, int64_t index); /* as a number */
size_t cli_type_bytes(TF_DataType type);                    /* 0: the command has no such element */
/* "2x3", "scalar"; ends with "..." where it does not fit. */
void cli_print_shape(const TF_Tensor *tensor, char *out, size_t size);
TF_Tensor *cli_tensor(TF_DataType type, const cli_dims *dims);
/* A model's input or output; the rank, -1 where it is not known: dims are empty then. Dimensions
 * that are not known are -1, and with `fills` 1. */
int cli_port_dims(const oribi_model *model, bool is_input, int index, bool fills, cli_dims *out);

/* element.c. Text up to the next comma into an element; the end of it, NULL: not of the type. */
const char *cli_element_parse(const TF_Tensor *tensor, int64_t index, const char *text);
/* A number from 0 to 1 into an element of numbers; whole ones get 256 times as much. */
bool cli_element_store_unit(TF_Tensor *tensor, int64_t index, double unit);
/* A number as text that gives the same one back: "7", "0.1", "nan", "-inf". */
void cli_element_format(const TF_Tensor *tensor, int64_t index, char *out, size_t size);
void cli_real_format(double value, bool is_double, char *out, size_t size);
bool cli_element_is_less(const TF_Tensor *tensor, int64_t a, int64_t b);

/* json_doc.c: a text of JSON as a tree. Getters take NULL and values of other kinds. */
typedef struct cli_json {
    oribi_arena arena;
    const oribi_json_value *root; /* NULL: malformed, after a message that begins with `what` */
} cli_json;
cli_json cli_json_parse(const char *text, size_t bytes, const char *what);
void cli_json_free(cli_json *json);
/* The first child of a member; NULL: none. */
const oribi_json_value *cli_json_first(const oribi_json_value *object, const char *key);
int cli_json_count(const oribi_json_value *value);                          /* of children */
const char *cli_json_text(const oribi_json_value *object, const char *key); /* or NULL */
int64_t cli_json_number(const oribi_json_value *object, const char *key);   /* or 0 */
bool cli_json_is(const oribi_json_value *object, const char *key);          /* is it true? */
/* Writes it to standard output and empties it. */
void cli_text_print(oribi_text *text);

/* npy.c, npz.c, pb.c, cli_image.c: NULL after a message. */
TF_Tensor *cli_npy_parse(const uint8_t *data, size_t bytes, const char *what);
/* member NULL: the first one. */
TF_Tensor *cli_npz_parse(const uint8_t *zip, size_t bytes, const char *path, const char *member);
TF_Tensor *cli_npz_read(const char *path, const char *member);
/* Each member, without its ".npy", in the file's order; the hook takes the tensor. False after a
 * message. */
bool cli_npz_each(const char *path, void (*hook)(void *arg, const char *name, TF_Tensor *tensor),
                  void *arg);
/* The bytes of a file; the caller frees them. */
uint8_t *cli_npz_format(const char *const *names, TF_Tensor *const *tensors, int n,
                        size_t *out_bytes);
uint8_t *cli_npy_format(const TF_Tensor *tensor, size_t *out_bytes);
TF_Tensor *cli_pb_parse(const uint8_t *data, size_t bytes, const char *what);
typedef struct cli_image_options {
    const char *layout;       /* "nchw", "nhwc" or NULL: guess from the shape */
    const char *mean, *scale; /* "123.7,116.3,103.5", or NULL */
    int crop;                 /* the shorter side, before its centre is cut out; 0: no cut */
    bool show;
} cli_image_options;
/* Do the bytes begin as a picture that can be read? */
bool cli_image_is(const uint8_t *file, size_t bytes);
TF_Tensor *cli_image_read(const uint8_t *file, size_t bytes, const char *path, TF_DataType type,
                          const cli_dims *dims, const cli_image_options *options);

/* input_csv.c, input_wav.c: into the input's type and shape; NULL after a message. */
TF_Tensor *cli_csv_read(const uint8_t *file, size_t bytes, const char *path, TF_DataType type,
                        const cli_dims *dims);
TF_Tensor *cli_wav_read(const uint8_t *file, size_t bytes, const char *path, TF_DataType type,
                        const cli_dims *dims);
/* input_cast.c: takes the tensor. NULL after a message: an element is none of that type. Types that
 * do not become one another are left as they are. */
TF_Tensor *cli_tensor_cast(TF_Tensor *tensor, TF_DataType type, const char *what);
/* input_text.c: fills those inputs that are NULL with a text's tokens by the vocabulary in a file,
 * with their mask and segments; false after a message. */
bool cli_words_make(const oribi_model *model, const char *text, const char *path,
                    TF_Tensor **inputs);

/* input.c: "NAME=@file", "0=@file", "NAME=2x3xf32=1,2,..", "NAME=rand:SEED", "NAME=ramp". */
typedef struct cli_input {
    int index;
    const char *spec; /* after NAME= */
    const char *text; /* whole, for messages */
} cli_input;
/* Before the inputs of a run: `kept` bytes of them are there already. */
void cli_input_begin(const cli_session *session, uint64_t kept, uint64_t deadline_ns);
bool cli_input_parse(const oribi_model *model, const char *text, cli_input *out);
TF_Tensor *cli_input_make(const oribi_model *model, const cli_input *input,
                          const cli_image_options *images);
/* The same of all but a batch; one of a batch has a first dimension of 1. */
TF_Tensor *cli_input_make_one(const oribi_model *model, const cli_input *input,
                              const cli_image_options *images, bool is_of_batch);
/* input_rows.c: some of the first dimension's elements, copied; NULL after a message. */
TF_Tensor *cli_rows_take(const TF_Tensor *all, int64_t from, int64_t count);
/* input_batch.c. An input that is a folder becomes one for each of its files; false after a
 * message. */
bool cli_inputs_expand(cli_args *args);
/* Calls back with "@FOLDER/file" for each file, in order of name; FOLDER ends with '/'. False after
 * a message: none, or no folder. */
bool cli_each_file(const char *folder, void (*hook)(void *arg, const char *file), void *arg);
/* lists.c: sequences and optionals. Of items, which stay the caller's; NULL after a message. */
TF_Tensor *cli_list_make(TF_Tensor *const *items, int n, bool is_sequence);
/* All but "[...]"; rank of the input: 1 a sequence, 0 an optional tensor, -1 an optional sequence.
 */
TF_Tensor *cli_list_read(const cli_input *input, int rank);
/* input.c: "@FILE" or "2x3xf32=1,2,..", of whatever type that is. */
TF_Tensor *cli_list_element(const cli_input *input);
/* Calls back for each element that there is, as NAME[0], NAME[1]; that of an optional is NAME. The
 * hook takes the tensor. */
void cli_list_each(const char *name, const TF_Tensor *list,
                   void (*hook)(void *arg, const char *name, TF_Tensor *element), void *arg);
/* "[@a.png,@b.png]", "[@FOLDER/]" */
TF_Tensor *cli_batch_make(const oribi_model *model, const cli_input *input,
                          const cli_image_options *images);

/* output.c */
void cli_output_print(const char *name, const TF_Tensor *tensor, int top_k, char **labels,
                      int n_labels, bool json);

/* results.c: what -o says. Exit codes. */
struct shard;
int cli_results_check(const cli_args *args, int n_runs, const struct shard *s);
char *cli_results_path(const char *pattern, int run); /* with the run's number for {}; free() */
char *cli_results_record(const char *pattern); /* of the file that says of what all of them are */
bool cli_results_are_printed(const cli_args *args);
int cli_results_save(const cli_args *args, int run, const oribi_model *model,
                     TF_Tensor *const *outputs, int n);

/* cli_trace.c: Chrome trace events, for Perfetto. */
typedef struct cli_trace cli_trace;
cli_trace *cli_trace_begin(oribi_run *run);
int cli_trace_end(cli_trace *trace, const char *path, bool force); /* an exit code */

/* json_table.c: JSON of the library as it is, or as a table with the given columns. */
void cli_json_print(const TF_Buffer *json, bool raw, const char *array, const char *const *columns);

/* cli_model.c: what a session says of itself, as a tree; an exit code. */
int cli_session_tree(const cli_session *s, const char *what, cli_json *out);

/* cmd_ops.c: loads what the search path, --plugin and `more` name; prints oribi_describe(what). */
int cli_load_plugins(const cli_args *args, const char *more);
int cli_describe(const cli_args *args, const char *what, const char *const *columns);

/* cmd_plugin_*.c; the file or name is the second word. */
int cmd_plugin_describe(const cli_args *args, const char *file);
int cmd_plugin_check(const cli_args *args, const char *file);
int cmd_plugin_replay(const cli_args *args, const char *file);
int cmd_plugin_rules(const cli_args *args, const char *number); /* "": all */
int cmd_plugin_test(const cli_args *args, const char *file);
int cmd_plugin_new(const cli_args *args, const char *name);

/* cmd_compile.c: what compile and verify share. */
enum { CLI_COMPILE_OPTIONS = 64 };
/* Own options, then those of the library; out has room for CLI_COMPILE_OPTIONS. */
void cli_compile_options_make(cli_option *out, const cli_option *own);
void cmd_compile_prepare(void);
void cmd_verify_prepare(void);
int cli_compile_model(const cli_args *args, oribi_compile *compile); /* an exit code */
/* All files of the compilation or none; an exit code. */
int cli_compile_write(const oribi_compile *compile, const char *folder, bool force);
/* One of the files by name; NULL when there is none. */
const char *cli_compile_file(const oribi_compile *compile, const char *name, size_t *bytes);

/* cli_desk.c: what run, device-serve and inspect share of devices. */
typedef struct cli_desk {
    oribi_compile *compile;
    oribi_desk *desk; /* NULL: not asked for */
} cli_desk;
#define CLI_DESK_OPTIONS                                                                           \
    {"--target-device", 0, "[NAME=]KIND", "a device takes what its target supports; several"},     \
    {                                                                                              \
        "--assign", 0, "NODE=NAME", "the node runs on that device, or on 'cpu'; several"           \
    }
/* Compiles the model for devices; an exit code. Plugins are loaded. A model that has no C form is
 * noted when it is partitioned at least, and `is_partition_enough`. */
int cli_desk_compile(const cli_args *args, bool is_partition_enough, cli_desk *out);
/* The same, and opens a desk for it. */
int cli_desk_open(const cli_args *args, cli_desk *out);
void cli_desk_close(cli_desk *desk);

int cmd_compare(const cli_args *args);
int cmd_device_serve(const cli_args *args);
int cmd_devices(const cli_args *args);
int cmd_quantise(const cli_args *args);
int cmd_run(const cli_args *args);
int cmd_compile(const cli_args *args);
int cmd_verify(const cli_args *args);
int cmd_explain(const cli_args *args);
int cmd_inspect(const cli_args *args);
int cmd_bench(const cli_args *args);
int cmd_pack(const cli_args *args);
int cmd_profile(const cli_args *args);
int cmd_serve(const cli_args *args);
int cmd_ops(const cli_args *args);
int cmd_plugin(const cli_args *args);
int cmd_help(const cli_args *args);
extern cli_option cmd_compile_options[], cmd_verify_options[]; /* made by ..._prepare */
extern const cli_option cmd_run_options[], cmd_inspect_options[], cmd_bench_options[],
    cmd_pack_options[], cmd_devices_options[], cmd_ops_options[], cmd_plugin_options[],
    cmd_help_options[], cmd_device_serve_options[], cmd_compare_options[], cmd_profile_options[],
    cmd_quantise_options[], cmd_explain_options[], cmd_serve_options[];

#endif
