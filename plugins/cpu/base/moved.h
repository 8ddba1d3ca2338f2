/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels that only move elements do about texts: the struct of a text is moved as any
 * element is, bit by bit, and before the run ends each gets bytes of its own.
 */
#ifndef ORIBI_PLUGINS_CPU_MOVED_H_
#define ORIBI_PLUGINS_CPU_MOVED_H_

#include "cpu/base/walk.h"
#include "tensorflow/c/tf_tstring.h"

/* As oribi_cpu_width, texts included: for kernels whose outputs all come from
 * oribi_cpu_moved_output, under ORIBI_CPU_MOVE_COMPUTE. */
size_t oribi_cpu_moved_width(oribi_kit_run *run, TF_DataType dtype);
/* As oribi_kit_output; texts are empty ones. */
void *oribi_cpu_moved_output(oribi_kit_run *run, int index, const int64_t *dims, int rank);
/* May a kernel make texts of so many bytes in all? They lie on the heap of C, which the host counts
 * against the limit on memory when the kernel has ended; whoever makes much asks before. False:
 * failed. */
bool oribi_cpu_texts_fit(oribi_kit_run *run, size_t bytes);
/* Each text of the tensor, empty or the bits of an input's, becomes a copy; also after a failure,
 * since the host frees what an output has. */
void oribi_cpu_own_texts(oribi_kit_run *run, TF_Tensor *tensor);
/* The same for all outputs that the run has made. */
void oribi_cpu_own_outputs(oribi_kit_run *run);

/* As ORIBI_KIT_COMPUTE. */
#define ORIBI_CPU_MOVE_COMPUTE(name, n_inputs)                                                     \
    static void name##_compute(void *state, TF_OpKernelContext *context)                           \
    {                                                                                              \
        oribi_kit_run run;                                                                         \
        if (oribi_kit_begin(&run, context, n_inputs)) {                                            \
            (void)name##_run(state, &run);                                                         \
            oribi_cpu_own_outputs(&run);                                                           \
        }                                                                                          \
        oribi_kit_end(&run);                                                                       \
    }

#endif
