/* SPDX-License-Identifier: Apache-2.0 */
/* What every kernel of a plugin starts and ends with, as plain functions over the contract: its
 * attributes at creation, its inputs, outputs and failures while it computes, loops over the host's
 * threads, its registration. No arithmetic. An op of elements is twenty lines with it
 * (`oribi plugin new`, docs/reference/kernel-kit.md); Oribi's own kernels are written with it, too.
 *
 * The kit is this header: nothing is linked. Its functions call TensorFlow's C API and, where the
 * headers have them, Oribi's pool, cancellation and row strides; with TF_CAPI_WEAK defined before,
 * these are asked for first, and a host without them gets plain loops.
 * Each file that includes it has copies of the functions that it calls. A plugin of many files may
 * share one: ORIBI_KIT_SHARED is defined for all of them, ORIBI_KIT_BODIES in one.
 *
 * Errors   the first failure counts, and the host names the node in front of it.
 * Context  of `setup`: create functions. Of `run`: compute functions, on their own thread; only
 *          what oribi_kit_parallel calls runs on others, and it may not use the run.
 * Not here: shape functions but the simplest, devices (device_kit.h). Since 1.3.
 */
#ifndef ORIBI_KERNEL_KIT_H_
#define ORIBI_KERNEL_KIT_H_

#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"
#if __has_include("tensorflow/c/kernels_extension.h") /* not in TensorFlow's own headers */
#include "tensorflow/c/kernels_extension.h"
#include "tensorflow/c/plugin_note.h"
#include "tensorflow/c/thread_pool.h"
#define ORIBI_KIT_HAS_EXTENSION 1
#if ORIBI_HAS_CONTRACT(1, 3)
#include "tensorflow/c/op_traits.h"
#define ORIBI_KIT_HAS_TRAITS 1
#else
#define ORIBI_KIT_HAS_TRAITS 0
#endif
#else
#define ORIBI_KIT_HAS_EXTENSION 0
#define ORIBI_KIT_HAS_TRAITS    0
#endif

#ifdef TF_CAPI_WEAK
#define ORIBI_KIT_IS_THERE(function) ((function) != NULL)
#else
#define ORIBI_KIT_IS_THERE(function) 1
#endif

#ifdef ORIBI_KIT_SHARED
#define ORIBI_KIT_FN __attribute__((visibility("hidden")))
#else
#define ORIBI_KIT_FN __attribute__((unused)) static inline
#define ORIBI_KIT_BODIES
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if ORIBI_KIT_HAS_TRAITS
/* A hint alone: the plugin loads in older hosts, too. */
extern void TF_OpDefinitionBuilderAddTrait(TF_OpDefinitionBuilder *builder, const char *trait)
    __attribute__((weak));
#endif

/* --- Creation -------------------------------------------------------------------------------- */

/* A kernel that is being created. The getters do nothing after a failure, so that a create function
 * reads straight down. */
typedef struct oribi_kit_setup {
    TF_OpKernelConstruction *construction;
    TF_Status *status;
    void *state;
} oribi_kit_setup;

/* Begins with a zeroed state of `bytes` (0: of no use, but not NULL).
 * Owns     the kernel: return what oribi_kit_setup_end gives, destroy it with oribi_kit_free.
 * Returns  NULL: no memory, which oribi_kit_setup_end reports. */
ORIBI_KIT_FN void *oribi_kit_setup_begin(oribi_kit_setup *setup,
                                         TF_OpKernelConstruction *construction, size_t bytes);
ORIBI_KIT_FN bool oribi_kit_setup_is_ok(const oribi_kit_setup *setup); /* nothing failed so far */
/* Reports the failure, if there is one, and returns the state; the host gives it to the kernel's
 * destroy function either way. */
ORIBI_KIT_FN void *oribi_kit_setup_end(oribi_kit_setup *setup);
/* Fails, unless it has failed before. Always false. */
ORIBI_KIT_FN bool oribi_kit_setup_fail(oribi_kit_setup *setup, TF_Code code, const char *format,
                                       ...) __attribute__((format(printf, 3, 4)));
/* The destroy function of a state without pointers. NULL is nothing to free. */
ORIBI_KIT_FN void oribi_kit_free(void *state);

/* Attribute `name` of the node; *out stays as it is after a failure.
 * Errors   the host's: no such attribute, another type. */
ORIBI_KIT_FN void oribi_kit_attr_int(oribi_kit_setup *setup, const char *name, int64_t *out);
ORIBI_KIT_FN void oribi_kit_attr_float(oribi_kit_setup *setup, const char *name, float *out);
ORIBI_KIT_FN void oribi_kit_attr_bool(oribi_kit_setup *setup, const char *name, bool *out);
ORIBI_KIT_FN void oribi_kit_attr_type(oribi_kit_setup *setup, const char *name, TF_DataType *out);
/* A list of at most `max` integers; exactly as many where out_count is NULL.
 * Errors   INVALID_ARGUMENT: another number of them. */
ORIBI_KIT_FN void oribi_kit_attr_ints(oribi_kit_setup *setup, const char *name, int64_t *out,
                                      int max, int *out_count);
/* A text into `size` bytes, its NUL among them.
 * Errors   INVALID_ARGUMENT: it is longer. */
ORIBI_KIT_FN void oribi_kit_attr_string(oribi_kit_setup *setup, const char *name, char *out,
                                        size_t size);

/* The create function `name`_create from `static void name_read(oribi_kit_setup *, State *)`. */
#define ORIBI_KIT_CREATE(name, State)                                                              \
    static void *name##_create(TF_OpKernelConstruction *construction)                              \
    {                                                                                              \
        oribi_kit_setup setup;                                                                     \
        State *state = (State *)oribi_kit_setup_begin(&setup, construction, sizeof *state);        \
        if (state != NULL) {                                                                       \
            name##_read(&setup, state);                                                            \
        }                                                                                          \
        return oribi_kit_setup_end(&setup);                                                        \
    }

/* --- Computing ------------------------------------------------------------------------------- */

#ifndef ORIBI_KIT_MAX_INPUTS /* define other numbers alike for all files of a plugin */
#define ORIBI_KIT_MAX_INPUTS 10
#endif
#ifndef ORIBI_KIT_MAX_OUTPUTS
#define ORIBI_KIT_MAX_OUTPUTS 3
#endif

/* One computation, which holds the handles of its inputs and outputs. */
typedef struct oribi_kit_run {
    TF_OpKernelContext *context;
    TF_Status *status;
    int n_in, n_out;
    TF_Tensor *in[ORIBI_KIT_MAX_INPUTS];
    TF_Tensor *out[ORIBI_KIT_MAX_OUTPUTS]; /* in the order in which they were made */
} oribi_kit_run;

/* Takes the inputs 0 to n_in - 1 as run->in; false: one is missing. oribi_kit_end is due in either
 * case. */
ORIBI_KIT_FN bool oribi_kit_begin(oribi_kit_run *run, TF_OpKernelContext *context, int n_in);
/* Reports the failure, if there is one, and gives all handles back. */
ORIBI_KIT_FN void oribi_kit_end(oribi_kit_run *run);
/* Fails; the last failure counts. Always false. */
ORIBI_KIT_FN bool oribi_kit_fail(oribi_kit_run *run, TF_Code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
ORIBI_KIT_FN bool oribi_kit_is_ok(const oribi_kit_run *run); /* nothing failed so far */

/* Takes input `index` as well, at the end of run->in; NULL: failed. */
ORIBI_KIT_FN TF_Tensor *oribi_kit_input(oribi_kit_run *run, int index);
/* The dims of a tensor, at most `max` of them. Returns the rank; -1: it is higher, and the run has
 * failed with UNIMPLEMENTED. */
ORIBI_KIT_FN int oribi_kit_dims(oribi_kit_run *run, const TF_Tensor *tensor, int64_t *out, int max);
/* Element i of a tensor of integers, read once. Inputs may lie in memory that another writer
 * shares: what this gave is checked and used; who reads again has to check again. */
ORIBI_KIT_FN int64_t oribi_kit_int_at(const void *data, TF_DataType dtype, int64_t i);
/* The elements of a tensor in host memory, a scalar or a vector of at most `max` signed integers.
 * Errors: INVALID_ARGUMENT, which calls the tensor `what`. */
ORIBI_KIT_FN bool oribi_kit_read_ints(oribi_kit_run *run, const TF_Tensor *tensor, const char *what,
                                      int64_t *out, int max, int *out_count);

/* Output `index` with these dims, of the type that the op declares. Returns its data, on a device
 * its address there, which may be NULL for no elements; else NULL: failed, as for dims below 0 and
 * those that no memory has. */
ORIBI_KIT_FN void *oribi_kit_output(oribi_kit_run *run, int index, const int64_t *dims, int rank);
/* Gives the handle of the output that was made last back before the end: for ops with more outputs
 * than a run keeps. */
ORIBI_KIT_FN void oribi_kit_output_done(oribi_kit_run *run);
/* Output 0 in the memory of an input among candidates (indices of run->in, which began with input
 * 0), where the host allows it, else as above. The candidates' handles are given back (in[i]
 * becomes NULL): take data and dims before; the data stay readable, but may be the output's. */
ORIBI_KIT_FN void *oribi_kit_output_in_place(oribi_kit_run *run, const int *candidates,
                                             int n_candidates, const int64_t *dims, int rank);
/* Output 0 becomes run->in[index] seen with other dims; nothing is copied. */
ORIBI_KIT_FN bool oribi_kit_output_alias(oribi_kit_run *run, int index, const int64_t *dims,
                                         int rank);
/* Memory of so many bytes until *out_tensor is deleted; NULL: failed. */
ORIBI_KIT_FN void *oribi_kit_scratch(oribi_kit_run *run, int64_t bytes, TF_Tensor **out_tensor);

typedef void (*oribi_kit_range)(void *object, int64_t begin, int64_t end);
/* Calls `call` over [0, total), in parts on the host's threads when the work is worth it, and
 * returns when all is done. cost: cycles of a unit, about. */
ORIBI_KIT_FN void oribi_kit_parallel(oribi_kit_run *run, int64_t total, int64_t cost, void *object,
                                     oribi_kit_range call);
/* For loops that oribi_kit_parallel does not run: adds `cost` (cycles, about) to what was done
 * since the last look, and after a millisecond of it looks whether the run was cancelled or its
 * time is up. True: leave, the host reports why. *patience starts at 0. */
ORIBI_KIT_FN bool oribi_kit_stops(oribi_kit_run *run, int64_t *patience, int64_t cost);

/* The compute function `name`_compute from `static bool name_run(const void *state, run)`. */
#define ORIBI_KIT_COMPUTE(name, n_inputs)                                                          \
    static void name##_compute(void *state, TF_OpKernelContext *context)                           \
    {                                                                                              \
        oribi_kit_run run;                                                                         \
        if (oribi_kit_begin(&run, context, n_inputs)) {                                            \
            (void)name##_run(state, &run);                                                         \
        }                                                                                          \
        oribi_kit_end(&run);                                                                       \
    }

/* --- Element by element ---------------------------------------------------------------------- */

/* What the loop of oribi_kit_unary gets: it makes y[i] of x[i]. */
typedef struct oribi_kit_elements {
    const void *x;
    void *y; /* perhaps x's memory */
    const void *state;
} oribi_kit_elements;

/* A whole compute function: output 0 has the shape of input 0, of any rank, and its memory where
 * their types agree and the host allows. The loop gets oribi_kit_elements; cost: cycles of an
 * element, about. */
ORIBI_KIT_FN void oribi_kit_unary(TF_OpKernelContext *context, const void *state,
                                  oribi_kit_range loop, int64_t cost);

/* create, compute (destroy is oribi_kit_free) of an op that makes a Y of each X, from
 *     static void name_read(oribi_kit_setup *setup, State *state)
 *     static void name_loop(const State *state, const X *x, Y *y, int64_t count) */
#define ORIBI_KIT_UNARY(name, State, X, Y, cost)                                                   \
    ORIBI_KIT_CREATE(name, State)                                                                  \
    static void name##_range(void *object, int64_t begin, int64_t end)                             \
    {                                                                                              \
        const oribi_kit_elements *work = (const oribi_kit_elements *)object;                       \
        name##_loop((const State *)work->state, (const X *)work->x + begin, (Y *)work->y + begin,  \
                    end - begin);                                                                  \
    }                                                                                              \
    static void name##_compute(void *state, TF_OpKernelContext *context)                           \
    {                                                                                              \
        oribi_kit_unary(context, state, name##_range, cost);                                       \
    }

/* --- Registration: inside TF_InitKernel ------------------------------------------------------- */

#define ORIBI_KIT_TYPE(dtype) (UINT64_C(1) << (dtype)) /* a set of element types */

/* The type attribute `attr` is one of `types`. */
typedef struct oribi_kit_constraint {
    const char *attr;
    uint64_t types;
} oribi_kit_constraint;

enum { ORIBI_KIT_MAX_CONSTRAINTS = 2, ORIBI_KIT_MAX_HOST = 4 };

/* A kernel as a row of a table; zeros are the contract's defaults. */
typedef struct oribi_kit_kernel {
    const char *op, *device; /* device: its type, "CPU" */
    const char *name;        /* what lists call it; NULL: as the op */
    /* Up to the first without a name; registered once for each combination of types. */
    oribi_kit_constraint types[ORIBI_KIT_MAX_CONSTRAINTS];
    const char *host[ORIBI_KIT_MAX_HOST]; /* arguments in host memory, for devices */
    const char *label;
    int32_t priority;
    uint64_t strided_outputs; /* bit i: output i may be written with a row stride */
    void *(*create)(TF_OpKernelConstruction *construction);
    void (*compute)(void *state, TF_OpKernelContext *context);
    void (*destroy)(void *state);
} oribi_kit_kernel;

/* Registers the row; strings are copied. Errors: the first of the contract's. */
ORIBI_KIT_FN void oribi_kit_register(const oribi_kit_kernel *kernel, TF_Status *status);

/* The same for a kernel without more to say. The host keeps a failure and refuses the plugin with
 * it. */
ORIBI_KIT_FN void oribi_kit_register_kernel(const char *op, const char *device,
                                            void *(*create)(TF_OpKernelConstruction *),
                                            void (*compute)(void *, TF_OpKernelContext *),
                                            void (*destroy)(void *));
/* Registers an op. inputs, outputs and attrs: "x: float", as the contract's builder takes them;
 * traits: "elementwise" (tensorflow/c/op_traits.h), for hosts that know of them; several with ';'
 * between; NULL: none. shape: NULL: nothing is known. The host keeps a failure, as above. */
ORIBI_KIT_FN void oribi_kit_register_op(const char *name, const char *inputs, const char *outputs,
                                        const char *attrs, const char *traits,
                                        void (*shape)(TF_ShapeInferenceContext *, TF_Status *));
/* The shape function of an op whose output 0 has the shape of input 0. */
ORIBI_KIT_FN void oribi_kit_shape_unchanged(TF_ShapeInferenceContext *context, TF_Status *status);

#ifdef __cplusplus
} /* extern "C" */
#endif

#ifdef ORIBI_KIT_BODIES
#include "oribi/kernel_kit_bodies.h"
#endif

#endif /* ORIBI_KERNEL_KIT_H_ */
