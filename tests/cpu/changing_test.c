/* SPDX-License-Identifier: Apache-2.0 */
/* What was checked is what is used: inputs may lie in memory that another writer shares. Each case
 * of the golden files and of looks.txt runs once for each allocation of it, which stands for that
 * writer: the integers of one input turn huge there, between a kernel's check and its use of them.
 * A kernel that reads again without a check reads or writes far out of its tensors; each block of
 * memory is guarded, so that a write just behind it shows, too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cpu/harness.h"

#include "cpu/golden_read.h"

enum { MOST_BYTES = 1 << 24, MOST_ALLOCATIONS = 40 };

/* The writer: at the allocation that is `left` away it overwrites the tensor. */
typedef struct writer {
    TF_Tensor *tensor;
    int left;
    bool wrote;
} writer;

static void overwrite(TF_Tensor *tensor)
{
    static const int64_t huge = INT64_C(0x2000000070000000); /* in 32 bits: 0x70000000 */
    const size_t width = TF_DataTypeSize(TF_TensorType(tensor));
    const int64_t narrow = TF_TensorType(tensor) == TF_BOOL ? 1 : width == 2 ? 0x7000 : 0x70;
    for (int64_t i = 0; i < TF_TensorElementCount(tensor); i++) {
        memcpy((char *)TF_TensorData(tensor) + (size_t)i * width, width > 2 ? &huge : &narrow,
               width);
    }
}

/* Before each block of memory; behind it lie bytes that nobody may write. */
typedef struct guarded {
    void *block;
    char *end;
} guarded;
enum { GUARD = 256, GUARD_BYTE = 0x55 };

static void *allocate(void *self, size_t bytes, size_t alignment)
{
    const size_t head = alignment < sizeof(guarded) ? sizeof(guarded) : alignment;
    writer *w = self;
    void *block = NULL;
    if (w->tensor != NULL && w->left-- == 0) {
        overwrite(w->tensor);
        w->wrote = true;
    }
    if (bytes > MOST_BYTES || posix_memalign(&block, head, head + bytes + GUARD) != 0) {
        return NULL;
    }
    char *data = (char *)block + head;
    guarded *about = (guarded *)(void *)data - 1;
    *about = (guarded){block, data + bytes};
    memset(about->end, GUARD_BYTE, GUARD);
    return data;
}

static void release(void *self, void *data)
{
    const guarded *about = (const guarded *)data - 1;
    (void)self;
    for (int i = 0; data != NULL && i < GUARD; i++) {
        assert_int_equal(about->end[i], GUARD_BYTE);
    }
    free(data != NULL ? about->block : NULL);
}

static writer the_writer;
static int n_noticed; /* runs that said that an index had changed */

static void run_row(void *arg, const oribi_cpu_kernel *row)
{
    golden *g = arg;
    TF_Tensor *tensor = the_writer.tensor; /* the input under attack */
    const size_t bytes = TF_TensorByteSize(tensor);
    char before[1024];
    assert_true(bytes <= sizeof before);
    memcpy(before, TF_TensorData(tensor), bytes);
    the_writer.wrote = true;
    for (int n = 0; the_writer.wrote && n < MOST_ALLOCATIONS; n++) {
        the_writer = (writer){tensor, n, false};
        (void)harness_run(&g->h, row);
        the_writer.tensor = NULL;
        n_noticed += TF_GetCode(g->h.status) == TF_ABORTED;
        memcpy(TF_TensorData(tensor), before, bytes);
        g->n_runs++;
    }
    the_writer.tensor = tensor;
}

static bool is_counted(TF_DataType dtype)
{
    return dtype == TF_INT32 || dtype == TF_INT64 || dtype == TF_INT16 || dtype == TF_INT8 ||
           dtype == TF_UINT8 || dtype == TF_BOOL;
}

static void attack(golden *g)
{
    harness *h = &g->h;
    assert_true(harness_resolve(h));
    for (int i = 0; i < h->n_inputs; i++) {
        TF_Tensor *tensor = h->inputs[i];
        if (is_counted(TF_TensorType(tensor)) && TF_TensorByteSize(tensor) <= 1024) {
            the_writer.tensor = tensor;
            (void)harness_each_row(h, run_row, g);
            the_writer.tensor = NULL;
        }
    }
}

static void an_index_that_changes_after_its_check_is_not_used(void **state)
{
    golden g = {.visit = attack};
    (void)state;

    golden_read(TEST_SOURCE "/tests/cpu/golden.txt", &g);
    golden_read(TEST_SOURCE "/tests/cpu/golden_onnx.txt", &g);
    golden_read(TEST_SOURCE "/tests/cpu/looks.txt", &g);

    print_message("%d runs, %d noticed\n", g.n_runs, n_noticed);
    assert_true(g.n_runs > 1000);
    assert_true(n_noticed > 10); /* Gather, GatherNd, ScatterNd, SplitV, ... */
}

int main(void)
{
    static const oribi_alloc_hooks hooks = {&the_writer, allocate, release};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_index_that_changes_after_its_check_is_not_used),
    };
    oribi_alloc_set_hooks(&hooks);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
