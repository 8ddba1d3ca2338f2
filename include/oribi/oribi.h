/* SPDX-License-Identifier: Apache-2.0 */
/* Oribi for applications: open a model, make a session, run it.
 *
 * Trust    models and inputs are untrusted data; plugins are trusted code.
 * Handles  are opaque. create/open gives one to you, destroy takes it back; destroy(NULL) is fine.
 * Errors   every call that can fail takes a TF_Status last: code, and a message that says what,
 *          where and what to do. On failure outputs are untouched and nothing leaks. NULL results
 *          mean failure.
 * NULL     for an object, a path, a name or an array that has elements is INVALID_ARGUMENT; where
 *          there is no TF_Status nothing happens, and the answer is 0 or NULL. Where NULL means
 *          something (no options, no hook) the function says so. A NULL TF_Status is the one
 *          mistake that the library does not catch: always hand one over.
 * Threads  a model and a session may be shared by threads once they are made; an oribi_run belongs
 * to one thread at a time, make one for each thread. Since    1.0 unless said otherwise.
 */
#ifndef ORIBI_ORIBI_H_
#define ORIBI_ORIBI_H_

#include "tensorflow/c/tf_buffer.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/c/tf_tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ORIBI_VERSION_MAJOR 1
#define ORIBI_VERSION_MINOR 1
#define ORIBI_VERSION_PATCH 0

typedef struct oribi_options oribi_options;
typedef struct oribi_model oribi_model;
typedef struct oribi_session oribi_session;
typedef struct oribi_run oribi_run;

/* "1.1.0", of the library that is running.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern const char *oribi_version(void);

/* --- Process --------------------------------------------------------------------------------- */

/* Replaces the allocator of the process. Call before anything else of the library. Both functions
 * may be called from any thread; alignment is a power of two; NULL from allocate is out of memory.
 * NULL as `allocate` restores the C heap. */
TF_CAPI_EXPORT extern void
oribi_set_allocator(void *self, void *(*allocate)(void *self, size_t bytes, size_t alignment),
                    void (*release)(void *self, void *block));

/* Receives log lines (level 0 info, 1 warning, 2 error) from any thread; NULL restores the default,
 * warnings and errors to stderr. */
TF_CAPI_EXPORT extern void oribi_set_log(void (*hook)(void *arg, int level, const char *message),
                                         void *arg);

#if ORIBI_HAS_CONTRACT(1, 4)
/* Frees what the library keeps as long as the process: ops, kernels, what it knows of plugins,
 * whose files stay mapped. A program that is about to end need not call it; it is for those that
 * count their memory. Call it last: who opens a model or loads a plugin afterwards gets
 * FAILED_PRECONDITION. Statuses, tensors and buffers may still be deleted. Twice is once.
 * Errors   FAILED_PRECONDITION: a model, session or run has not been destroyed; nothing is freed.
 * @context app
 */
TF_CAPI_EXPORT extern void oribi_shutdown(TF_Status *status);
#endif /* 1.4 */

/* Loads one plugin: "path[:key=val[,key=val]]", probed in a helper process first. A plugin is never
 * unloaded. The same file twice is one plugin. */
TF_CAPI_EXPORT extern void oribi_plugin_load_file(const char *spec, TF_Status *status);

/* Loads what ORIBI_PLUGIN_PATH and the install folder hold. A plugin that fails is a warning in the
 * log, not an error. */
TF_CAPI_EXPORT extern void oribi_plugin_load_search_path(TF_Status *status);

/* JSON about the process: what is one of "ops", "op:NAME", "kernels", "plugins", "devices" (those
 * that plugins brought), "devices:try" (the same, each opened and copied to: for a process that may
 * crash), "plugin:PATH" (ops
 * and kernels that came from the file, by its real path, or from the built-in of that name), "map"
 * (how ONNX operators translate). Fills an empty buffer. */
TF_CAPI_EXPORT extern void oribi_describe(const char *what, TF_Buffer *json, TF_Status *status);

/* --- Plugins, for their authors: nothing of the plugin stays in this process -------------------
 */

/* JSON about a plugin's file, from reading it and from loading it in a helper process.
 * what     "describe": note, needs, entry points, ops and kernels. "check": findings, each with the
 *          number of its rule ("P012"), severity ("error", "warning", "note"), a name and a
 * message. "rules": those rules; path is the number of one, or "" for all. Errors   NOT_FOUND,
 * PERMISSION_DENIED, INVALID_ARGUMENT for a file that is no plugin; UNAVAILABLE: the helper program
 * is not there. A plugin that cannot be loaded is a finding of "check", and an error of "describe".
 */
TF_CAPI_EXPORT extern void oribi_plugin_examine(const char *path, const char *what, TF_Buffer *json,
                                                TF_Status *status);

/* Settings of oribi_plugin_test; {0} with struct_size is a good start. */
typedef struct oribi_plugin_test_settings {
    size_t struct_size;
    uint64_t seed;     /* of everything random; the same seed makes the same cases */
    const char *cases; /* JSON text, see docs/reference/author-tools.md; NULL: FILE.cases.json if it
                          is there, else those that the plugin carries */
    const char *only;  /* kernels of this op alone; "#K/N": part K of N of all; NULL: all */
    int32_t n_cases;   /* random cases of each kernel; 0: 6 */
    int32_t timeout_ms; /* of one case; 0: 20000 */
    /* Called after each kernel, on the calling thread; may be NULL. */
    void (*progress)(void *arg, const char *kernel, int done, int total);
    void *arg;
} oribi_plugin_test_settings;

/* Runs each kernel and shape function of a plugin on given and on random inputs, each case in a
 * process of its own, and reports what is wrong as JSON: "kernels", each with its findings; those
 * of devices are left out, they have "device" instead. Those of an op of one kernel for the host
 * and for emitted C (target.h) have "model": an ONNX model of one case, in hex. spec
 * "path[:key=val,..]", or the name of a built-in plugin. Errors   as oribi_plugin_examine;
 * INVALID_ARGUMENT for bad cases; NOT_FOUND: nothing to test. A faulty kernel is no error.
 */
TF_CAPI_EXPORT extern void oribi_plugin_test(const char *spec,
                                             const oribi_plugin_test_settings *settings,
                                             TF_Buffer *json, TF_Status *status);
/* One such case, in this process, of a plugin that is loaded: what the helper program calls. The
 * form of request and answer is not part of the contract. */
TF_CAPI_EXPORT extern void oribi_plugin_test_case(const char *path, const char *request,
                                                  TF_Buffer *json, TF_Status *status);

#if ORIBI_HAS_CONTRACT(1, 3)
/* A call that oribi_options_set_record wrote, once more, under watch, in a helper process: JSON
 * with how it ends, and whether that is how it ended then. spec "path[:key=val,..]", or the name of
 * a built-in plugin; NULL: the built-in kernels, of which the call must be one, for no file says
 * which plugin is loaded. The file is untrusted. Errors   as oribi_plugin_examine;
 * INVALID_ARGUMENT: the file is no recorded call; FAILED_PRECONDITION: spec must be given. A kernel
 * that fails or crashes is no error. */
TF_CAPI_EXPORT extern void oribi_plugin_replay(const char *spec, const char *file, TF_Buffer *json,
                                               TF_Status *status);
#endif /* 1.3 */

/* --- Options --------------------------------------------------------------------------------- */

TF_CAPI_EXPORT extern oribi_options *oribi_options_create(TF_Status *status);
TF_CAPI_EXPORT extern void oribi_options_destroy(oribi_options *options);

/* Threads of a session, the caller of run included; 0 (default): the processors that the process
 * may use. */
TF_CAPI_EXPORT extern void oribi_options_set_threads(oribi_options *options, int threads);

#if ORIBI_HAS_CONTRACT(1, 2)
/* Threads that belong to the application. A session that is made with them starts none of its own.
 */
typedef struct oribi_thread_pool {
    size_t struct_size; /* sizeof(oribi_thread_pool) */
    void *object;       /* handed to schedule */
    int num_threads; /* that may run what is scheduled at the same time; 0: no help for callers */
    /* Runs fn(arg) once, some time, on a thread of the application, never inside this call.
     * Context  any thread, also one of the pool. */
    void (*schedule)(void *object, void (*fn)(void *arg), void *arg);
} oribi_thread_pool;

/* Loops of kernels then run on these threads beside the caller of run. Nothing waits for a function
 * that has not begun, so a pool that is busy or small makes runs slower and never stuck.
 * Owns     the application: object lives until the last scheduled function has returned, which may
 *          be after the session's end. The struct is copied.
 * Threads  of a session: num_threads + 1, or fewer where oribi_options_set_threads says so.
 * Errors   INVALID_ARGUMENT: no struct_size, no schedule, num_threads < 0. NULL takes the pool
 * back.
 */
TF_CAPI_EXPORT extern void oribi_options_set_thread_pool(oribi_options *options,
                                                         const oribi_thread_pool *pool,
                                                         TF_Status *status);
#endif /* 1.2 */
/* Limit on the memory that a model makes the library take, in bytes; 0 (default): half of the RAM
 * or of the cgroup's limit. RESOURCE_EXHAUSTED when it would be passed. One limit over what is
 * read, the graph, folded constants, planning and the memory of runs, and what kernels pack through
 * TF_OpKernelConstruction_PackedConstant, once for all sessions that share it. */
TF_CAPI_EXPORT extern void oribi_options_set_max_bytes(oribi_options *options, uint64_t bytes);
/* May external data, checkpoints and vocabularies leave the model's folder through a link? Default
 * no. */
TF_CAPI_EXPORT extern void oribi_options_set_follow_links(oribi_options *options, bool follow);
#if ORIBI_HAS_CONTRACT(1, 3)
/* Are a model's files, external data included, read into memory, counted in max_bytes, instead of
 * mapped? Default no: mapped weights cost no memory until they are used, and processes share them.
 * But a mapped file that another process truncates while a model of it lives ends this one with
 * SIGBUS, for which the library installs no handler: where others can write the files, read them. A
 * file that changes its size while it is read is DATA_LOSS. */
TF_CAPI_EXPORT extern void oribi_options_set_read_files(oribi_options *options, bool read);
/* Whose kernels a session with these options calls under watch: "plugins", "all" or "off". Unless
 * it is called the environment says it (ORIBI_CHECK=1 or all); the default is off, which costs
 * nothing. A kernel that writes beyond its blocks, into an input or not at all, reads what nobody
 * wrote, or gives a shape or type that its op does not have, fails its run with INTERNAL and a
 * message that names plugin, op, node, argument and byte: docs/reference/checked-runs.md. Kernels
 * of devices are called as they are. INVALID_ARGUMENT for another word. */
TF_CAPI_EXPORT extern void oribi_options_set_check(oribi_options *options, const char *kernels,
                                                   TF_Status *status);
/* One call of a kernel, written to `file` for oribi_plugin_replay: with node NULL the first that
 * fails in a session, else the first of that node, which is written before it begins and again when
 * it is over. Both texts are copied. Making a session fails with NOT_FOUND where there is no such
 * node, and with UNIMPLEMENTED where it runs on a device. */
TF_CAPI_EXPORT extern void oribi_options_set_record(oribi_options *options, const char *file,
                                                    const char *node, TF_Status *status);
/* Time that opening models and making sessions with these options may take in all, in nanoseconds
 * from this call on; 0 (default): no limit. Past it they fail with DEADLINE_EXCEEDED: one limit
 * over reading, folding of constants, passes and planning. Work that has begun in a plugin's kernel
 * ends where the kernel asks, or is done. Runs have a limit of their own, oribi_run_set_time_limit.
 */
TF_CAPI_EXPORT extern void oribi_options_set_time_limit(oribi_options *options,
                                                        uint64_t nanoseconds);
/* Stops what is being opened or made with these options, from any thread: it ends with CANCELLED
 * soon, and so does all that is begun with them later.
 * @context any-thread no-allocation
 */
TF_CAPI_EXPORT extern void oribi_options_cancel(oribi_options *options);
#endif /* 1.3 */
/* Whose results the quantised operators of a TFLite model have, to the bit, where they differ:
 * "tflm" (default), TensorFlow Lite Micro's, "tflite", the TensorFlow Lite interpreter's, or
 * "litert", that of LiteRT, its successor, from release 1.3 on.
 * INVALID_ARGUMENT for another name.
 * Source   docs/rounding.md. */
TF_CAPI_EXPORT extern void oribi_options_set_tflite_variant(oribi_options *options,
                                                            const char *variant, TF_Status *status);
/* Which of the library's own kernels run float operators: "fast" (default), or "micro", those that
 * the C of oribi_compile_model carries, so that a session computes what that C computes, bit for
 * bit; "micro-fma": that of the option "fma". Operators that have no such kernel keep theirs.
 * INVALID_ARGUMENT for another name. Source  docs/reference/compile.md. */
TF_CAPI_EXPORT extern void oribi_options_set_kernels(oribi_options *options, const char *kernels,
                                                     TF_Status *status);
#if ORIBI_HAS_CONTRACT(1, 4)
/* Which signature of a SavedModel is opened; otherwise "serving_default", or the first. Other
 * models have none and do not look at it. Opening fails with NOT_FOUND, and names those that there
 * are, where the model has no such signature.
 * Source  docs/reference/running/tensorflow.md. */
TF_CAPI_EXPORT extern void oribi_options_set_signature(oribi_options *options,
                                                       const char *signature, TF_Status *status);
/* The best instruction set that the library's own kernels may use, to measure what others give: one
 * of docs/reference/instruction-sets.md, or "any", what every processor of this kind has. Kernels
 * of plugins are not limited. INVALID_ARGUMENT for another name; UNIMPLEMENTED where the processor
 * lacks it. */
TF_CAPI_EXPORT extern void oribi_options_set_instruction_set(oribi_options *options,
                                                             const char *name, TF_Status *status);
#endif /* 1.4 */
/* Switches a pass off: "fold", "fuse", "layout", "batch_norm", "qdq" (quantised ONNX then computes
 * in float between its pairs). INVALID_ARGUMENT for another name.
 */
TF_CAPI_EXPORT extern void oribi_options_disable_pass(oribi_options *options, const char *pass,
                                                      TF_Status *status);
#if ORIBI_HAS_CONTRACT(1, 2)
/* Where nodes run that have a kernel there: "NAME" or "NAME:N", a platform's type or name and a
 * number from 0; "CPU" is the default. Nodes without one run on the CPU.
 * Errors   INVALID_ARGUMENT for text of another form; NOT_FOUND when a session is made: no loaded
 *          plugin brings the device. */
TF_CAPI_EXPORT extern void oribi_options_set_device(oribi_options *options, const char *device,
                                                    TF_Status *status);
/* The same for one node of the model; of several for one node the last counts. NOT_FOUND, when a
 * session is made, for a node that the model has not. */
TF_CAPI_EXPORT extern void oribi_options_place_node(oribi_options *options, const char *node,
                                                    const char *device, TF_Status *status);
/* May nodes without a kernel for their device run on the CPU? Default yes; no: NOT_FOUND when a
 * session is made. */
TF_CAPI_EXPORT extern void oribi_options_set_soft_placement(oribi_options *options, bool soft);
/* Does every node with a kernel on its device run there, whatever its copies cost? Default no:
 * nodes that would cost more by copies and waits than they take on the CPU run there, all but the
 * island of nodes with most work and those that oribi_options_place_node, or the model, names a
 * device for. Without soft placement all stay. */
TF_CAPI_EXPORT extern void oribi_options_set_keep_islands(oribi_options *options, bool keep);
/* Limit on what a session and its runs take of each device's memory, in bytes; 0 (default): that of
 * oribi_options_set_max_bytes where one was set, else what the device has. RESOURCE_EXHAUSTED, with
 * node, device and bytes, when it would be passed. */
TF_CAPI_EXPORT extern void oribi_options_set_device_max_bytes(oribi_options *options,
                                                              uint64_t bytes);
/* Values on devices lie in unified memory, of which there may be more than the device has; default
 * no. Copies stay as they are. UNIMPLEMENTED, when a session is made, where a device has none. */
TF_CAPI_EXPORT extern void oribi_options_set_unified_memory(oribi_options *options, bool unified);
#endif /* 1.2 */
/* Fixes the unknown dimensions of an input, by name. */
TF_CAPI_EXPORT extern void oribi_options_set_input_shape(oribi_options *options, const char *input,
                                                         const int64_t *dims, int num_dims,
                                                         TF_Status *status);
#if ORIBI_HAS_CONTRACT(1, 4)
/* The most that dimension `dim` of an input will be, by name; several. A session then plans for
 * that, once, and runs with less of it use the same plan: for inputs that grow from run to run, as
 * the caches of a decoder.
 * Errors   INVALID_ARGUMENT: a dimension or a bound below 0; when a session is made, no such input
 *          or dimension; when an input is bound, more than this. RESOURCE_EXHAUSTED.
 * Since    1.4
 */
TF_CAPI_EXPORT extern void oribi_options_set_input_bound(oribi_options *options, const char *input,
                                                         int dim, int64_t most, TF_Status *status);
#endif /* 1.4 */

/* --- Models ---------------------------------------------------------------------------------- */

/* Maps the file and reads it; options may be NULL.
 * Errors   NOT_FOUND; INVALID_ARGUMENT or DATA_LOSS with the byte offset for a bad file;
 *          UNIMPLEMENTED with every missing op, its nodes and what could provide it;
 *          RESOURCE_EXHAUSTED for a limit.
 */
TF_CAPI_EXPORT extern oribi_model *oribi_model_open(const char *path, const oribi_options *options,
                                                    TF_Status *status);
/* The same from memory that the caller keeps, unchanged, until the model and its sessions are gone.
 * name is for messages. External data is refused. */
TF_CAPI_EXPORT extern oribi_model *oribi_model_from_memory(const void *data, size_t bytes,
                                                           const char *name,
                                                           const oribi_options *options,
                                                           TF_Status *status);
TF_CAPI_EXPORT extern void oribi_model_destroy(oribi_model *model); /* sessions live on */

TF_CAPI_EXPORT extern int oribi_model_num_inputs(const oribi_model *model);
TF_CAPI_EXPORT extern int oribi_model_num_outputs(const oribi_model *model);
/* Borrowed, lives as long as the model; NULL for a bad index. */
TF_CAPI_EXPORT extern const char *oribi_model_input_name(const oribi_model *model, int index);
TF_CAPI_EXPORT extern const char *oribi_model_output_name(const oribi_model *model, int index);
TF_CAPI_EXPORT extern TF_DataType oribi_model_input_type(const oribi_model *model, int index);
TF_CAPI_EXPORT extern TF_DataType oribi_model_output_type(const oribi_model *model, int index);
/* Rank (-1 unknown); writes min(rank, max_dims) dims, -1 for unknown ones. */
TF_CAPI_EXPORT extern int oribi_model_input_shape(const oribi_model *model, int index,
                                                  int64_t *dims, int max_dims);
/* The same of an output: as inferred or, where nothing can be, as the file declares, which a run
 * does not hold the model to: the tensor that comes has the sizes that were computed. */
TF_CAPI_EXPORT extern int oribi_model_output_shape(const oribi_model *model, int index,
                                                   int64_t *dims, int max_dims);
#if ORIBI_HAS_CONTRACT(1, 3)
/* How many scales the integers of an input or output have in the model: 0, they are no quantised
 * numbers, or the model does not say; 1, a number is scale * (stored - zero_point), both written;
 * more, one for each index of a dimension, nothing written; -1 for a bad index. */
TF_CAPI_EXPORT extern int oribi_model_input_quantisation(const oribi_model *model, int index,
                                                         float *scale, int32_t *zero_point);
TF_CAPI_EXPORT extern int oribi_model_output_quantisation(const oribi_model *model, int index,
                                                          float *scale, int32_t *zero_point);
#endif /* 1.3 */

#if ORIBI_HAS_CONTRACT(1, 4)
/* How many values the model keeps from one execution of a run to the next (streaming); callers see
 * them neither as inputs nor as outputs. */
TF_CAPI_EXPORT extern int oribi_model_num_states(const oribi_model *model);
/* What the file says about itself: the entries of ONNX's metadata_props, and as "producer_name",
 * "producer_version", "domain", "model_version", "doc_string" and "graph_name" what its own fields
 * have; of a TFLite file its "description". Text that nobody checked. NULL: there is no such entry.
 * Owns     the model; where a key comes twice the first counts. */
TF_CAPI_EXPORT extern const char *oribi_model_metadata(const oribi_model *model, const char *key);
/* The keys, by index from 0; NULL: past the last one. */
TF_CAPI_EXPORT extern const char *oribi_model_metadata_key(const oribi_model *model, int index);
#endif /* 1.4 */

/* --- Sessions -------------------------------------------------------------------------------- */

/* Optimises the graph, chooses and creates kernels, plans memory. options may be NULL. */
TF_CAPI_EXPORT extern oribi_session *
oribi_session_create(oribi_model *model, const oribi_options *options, TF_Status *status);
TF_CAPI_EXPORT extern void oribi_session_destroy(oribi_session *session);
#if ORIBI_HAS_CONTRACT(1, 4)
/* The model as a packed file: optimised for the CPU with these options, its weights as the kernels
 * of this machine want them. oribi_model_open takes it, mapped, and a session of it packs nothing.
 * It is for this version of the library and kernels such as these; elsewhere making a session fails
 * with FAILED_PRECONDITION. docs/reference/running/pack.md.
 * Owns     fills an empty buffer, as large as the model about; the caller deletes it.
 * Errors   UNIMPLEMENTED, with the node: nodes on devices, conditions and loops, shapes that the
 *          translation wants and nobody gave; INVALID_ARGUMENT: the model is packed. */
TF_CAPI_EXPORT extern void oribi_model_pack(oribi_model *model, const oribi_options *options,
                                            TF_Buffer *file, TF_Status *status);
#endif /* 1.4 */
/* JSON about the session: what is one of "graph" (steps with kernels, shapes, memory), "passes"
 * (what each changed), "memory" (plan against its bounds), "copies" (steps between host and
 * devices), "devices" (of the session, with what they did), "explain:NODE" (kernels and devices
 * considered for the steps of a node, by its name in the model or here; NOT_FOUND: no step runs
 * it). Fills an empty buffer. */
TF_CAPI_EXPORT extern void oribi_session_describe(oribi_session *session, const char *what,
                                                  TF_Buffer *json, TF_Status *status);

/* --- Runs ------------------------------------------------------------------------------------ */

/* Bindings and working memory for runs of one thread at a time. Keeps the session alive. The state
 * of a model that keeps variables between runs (streaming) is the run object's: it starts at the
 * model's first values, and an execution that fails leaves it as it was. */
TF_CAPI_EXPORT extern oribi_run *oribi_run_create(oribi_session *session, TF_Status *status);
TF_CAPI_EXPORT extern void oribi_run_destroy(oribi_run *run);

#if ORIBI_HAS_CONTRACT(1, 2)
/* A tensor to be filled and bound as input `index`: in host memory that the input's device copies
 * fastest, ordinary memory otherwise. Any tensor may be bound; this one saves copies to a device a
 * detour.
 * Owns     the caller deletes it; it may outlive the run and the session.
 * Errors   INVALID_ARGUMENT: no such input, or a shape no tensor has; RESOURCE_EXHAUSTED. */
TF_CAPI_EXPORT extern TF_Tensor *oribi_run_make_input(oribi_run *run, int index,
                                                      const int64_t *dims, int num_dims,
                                                      TF_Status *status);
#endif /* 1.2 */
/* Binds input `index`; the run keeps a reference and reads the bytes in place, until another is
 * bound. Bindings stay for later runs. INVALID_ARGUMENT: type or shape do not fit.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern void oribi_run_set_input(oribi_run *run, int index, const TF_Tensor *tensor,
                                               TF_Status *status);
/* Computes. From the third run with the same input shapes on it allocates nothing.
 * Errors   FAILED_PRECONDITION: an input is not bound; CANCELLED; DEADLINE_EXCEEDED; what a kernel
 *          reported, with the node's name. Outputs of the last good run stay then.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern void oribi_run_execute(oribi_run *run, TF_Status *status);
/* Output of the last good run: a new handle that the caller deletes. Its bytes are not overwritten
 * by later runs while the handle lives.
 * @context no-allocation
 */
TF_CAPI_EXPORT extern TF_Tensor *oribi_run_output(oribi_run *run, int index, TF_Status *status);

#if ORIBI_HAS_CONTRACT(1, 4)
/* Memory for output `index`, until another is given; NULL: the run's own again. The run keeps a
 * reference. Where the tensor does not overlap an input, kernels write the result where it is; else
 * it is copied there when all inputs are read. One that begins where an input does and has its
 * bytes, as a cache that is updated, is written in place by a kernel that can, if no other node
 * reads the input. oribi_run_output then is a handle on this memory, which every run writes
 * anew: of a run that failed it has anything, or what it had before.
 * Memory   as TF_TensorData says: TF_NewTensor makes a copy of what is not 64-byte aligned.
 * Errors   INVALID_ARGUMENT: type or shape do not fit, the memory is read-only, a part of another
 *          tensor's or also given for another output; UNIMPLEMENTED for strings. A run whose result
 *          has another shape fails with INVALID_ARGUMENT.
 * Since    1.4
 */
TF_CAPI_EXPORT extern void oribi_run_set_output(oribi_run *run, int index, const TF_Tensor *tensor,
                                                TF_Status *status);
/* Puts the first values of what the model keeps between executions back; nothing for one that keeps
 * none. */
TF_CAPI_EXPORT extern void oribi_run_reset(oribi_run *run, TF_Status *status);
#endif /* 1.4 */
/* Stops the run that is under way, from any thread, but not from a signal handler; it ends with
 * CANCELLED soon. A run that starts later is not affected.
 * @context any-thread
 */
TF_CAPI_EXPORT extern void oribi_run_cancel(oribi_run *run);
#if ORIBI_HAS_CONTRACT(1, 2)
/* How often the last run waited for a device; 0 where all of it ran on the CPU. */
TF_CAPI_EXPORT extern uint64_t oribi_run_num_waits(const oribi_run *run);
#endif /* 1.2 */
/* Longest time of each later run in nanoseconds, its planning included; 0 (default): no limit. */
TF_CAPI_EXPORT extern void oribi_run_set_time_limit(oribi_run *run, uint64_t nanoseconds);

/* One thing that took time. Strings live as long as the session. */
typedef struct oribi_trace_event {
    const char *name;   /* node, or what the lane did */
    const char *kind;   /* "step", "block", "alloc", "wait"; of a device "kernel", "copy" */
    const char *detail; /* op and kernel */
    int32_t lane;       /* 0: the caller; 1..: pool workers; 500..: asynchronous kernels; 1000..:
                         * kernels, copies of devices */
    int32_t reserved;
    uint64_t start_ns, end_ns; /* monotonic clock */
    uint64_t bytes;            /* of an allocation, else 0 */
    const char *lane_name;     /* "host", "worker", "FAKE:0 kernels"; since 1.2 */
} oribi_trace_event;
/* Receives events of later runs, on the thread that ran them; those of devices, where the plugin
 * has timers, after a run that was good. NULL switches it off. */
TF_CAPI_EXPORT extern void
oribi_run_set_trace(oribi_run *run, void (*hook)(void *arg, const oribi_trace_event *event),
                    void *arg);

#if ORIBI_HAS_CONTRACT(1, 2)
/* One event that a plugin's profiler collected (TF_InitProfiler). Strings live during the call. */
typedef struct oribi_profile_event {
    const char *device; /* name of the profile's plane, "/device:GPU:0" */
    const char *lane;   /* a stream, say */
    const char *name;
    uint64_t start_ns, end_ns; /* monotonic clock, as in oribi_trace_event */
} oribi_profile_event;
/* Starts the profilers of all plugins, for whatever the process runs until the end, which stops
 * them and gives their events to the hook, on the calling thread.
 * Errors   FAILED_PRECONDITION: begun already, or not begun; a profiler's own failure, with the
 *          plugin's name: none is left running. */
TF_CAPI_EXPORT extern void oribi_profile_begin(TF_Status *status);
TF_CAPI_EXPORT extern void oribi_profile_end(void (*hook)(void *arg,
                                                          const oribi_profile_event *event),
                                             void *arg, TF_Status *status);
#endif /* 1.2 */

/* One value that a step has computed. Strings and pointers are valid during the call. */
typedef struct oribi_value_event {
    const char *name; /* of the value in the model; values that passes removed or made differ */
    const char *node;
    TF_DataType dtype;
    int32_t num_dims;
    const int64_t *dims;
    const void *data; /* dense, as TF_TensorData has it */
    size_t bytes;
} oribi_value_event;
/* Receives each output of each step of later runs, right after the step and in the order of steps,
 * on the thread that runs; NULL switches it off. Graph inputs and constants are no outputs of a
 * step. To see every value of the model, switch the passes "fuse", "layout" and "batch_norm" off.
 */
TF_CAPI_EXPORT extern void
oribi_run_set_watch(oribi_run *run, void (*hook)(void *arg, const oribi_value_event *event),
                    void *arg);

/* --- Compiling to C ----------------------------------------------------------------------------
 */

/* A compilation: options, then the models, then the files that came out. One thread at a time. */
typedef struct oribi_compile oribi_compile;

TF_CAPI_EXPORT extern oribi_compile *oribi_compile_create(TF_Status *status);
TF_CAPI_EXPORT extern void oribi_compile_destroy(oribi_compile *compile);
/* The options, by index from 0: key ("io"), values for people ("caller|pool": one of these, the
 * first is the default; "N": free; NULL: a flag) and help. NULL key: past the last one. */
TF_CAPI_EXPORT extern const char *oribi_compile_option_key(int index);
TF_CAPI_EXPORT extern const char *oribi_compile_option_values(int index);
TF_CAPI_EXPORT extern const char *oribi_compile_option_help(int index);
/* Sets an option, before the models are compiled. The last value counts, but an option that lists
 * things (name, place, rename, pool) takes one more. value may be NULL for a flag: "on".
 * Errors   INVALID_ARGUMENT for an unknown key or a value that it does not take; nothing is set. */
TF_CAPI_EXPORT extern void oribi_compile_set_option(oribi_compile *compile, const char *key,
                                                    const char *value, TF_Status *status);
/* Compiles the model of a file; once per object. Nothing is written: see oribi_compile_file_data.
 * Errors   as oribi_model_open; UNIMPLEMENTED with every operator that has no C form;
 *          INVALID_ARGUMENT when shapes are not fixed or names collide in C; RESOURCE_EXHAUSTED
 * when a budget is passed, with what is largest.
 */
TF_CAPI_EXPORT extern void oribi_compile_model(oribi_compile *compile, const char *path,
                                               TF_Status *status);
/* The same for 1 to 64 models that share kernels and may share a workspace; once per object. */
TF_CAPI_EXPORT extern void oribi_compile_models(oribi_compile *compile, const char *const *paths,
                                                int n_paths, TF_Status *status);
/* A report of all models: "html" is one page that needs nothing else (memory over steps, costs of
 * each operator, the graph), "json" what docs/reference/report.schema.json describes. Text with a
 * NUL that does not count in *bytes; it lives as long as the compilation.
 * Errors   FAILED_PRECONDITION before a model is compiled, INVALID_ARGUMENT for another format,
 *          DEADLINE_EXCEEDED when it takes longer than the option time-limit allows,
 *          RESOURCE_EXHAUSTED; NULL then. */
TF_CAPI_EXPORT extern const char *oribi_compile_report(oribi_compile *compile, const char *format,
                                                       size_t *bytes, TF_Status *status);
#if ORIBI_HAS_CONTRACT(1, 2)
/* JSON about the compilation of one model: what is "devices", which device takes each node, and why
 * or why not. Fills an empty buffer. It works as soon as devices have taken what they take, also
 * when the model could not be compiled then.
 * Errors   FAILED_PRECONDITION before that; INVALID_ARGUMENT for another `what`, or a buffer that
 * is not empty. */
TF_CAPI_EXPORT extern void oribi_compile_describe(oribi_compile *compile, const char *what,
                                                  TF_Buffer *json, TF_Status *status);
#endif /* 1.2 */
/* The files, with names relative to the folder of the output ("micro/add_s8.c"); borrowed. Files of
 * text are followed by a NUL that does not count. NULL for a bad index. */
TF_CAPI_EXPORT extern int oribi_compile_num_files(const oribi_compile *compile);
TF_CAPI_EXPORT extern const char *oribi_compile_file_name(const oribi_compile *compile, int index);
TF_CAPI_EXPORT extern const void *oribi_compile_file_data(const oribi_compile *compile, int index,
                                                          size_t *bytes);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ORIBI_ORIBI_H_ */
