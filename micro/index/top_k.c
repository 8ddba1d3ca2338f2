/* SPDX-License-Identifier: Apache-2.0 */
/* A heap of k, its root the worst of the best, then taken apart from the worst on. */
#include "micro/index/top_k.h"

#include "micro/index/order.h"
#include "micro/port.h"

typedef struct line {
    const void *data;
    int32_t kind;
} line;

static int32_t is_worse(const line *x, int32_t a, int32_t b)
{
    if (oribi_micro_element_less(x->data, x->kind, a, b) != 0) {
        return 1;
    }
    return oribi_micro_element_less(x->data, x->kind, b, a) == 0 && a > b ? 1 : 0;
}

static void sift(const line *x, int32_t *heap, int32_t size)
{
    int32_t at = 0;
    for (int32_t child = 1; child < size; child = 2 * at + 1) {
        child += child + 1 < size && is_worse(x, heap[child + 1], heap[child]) != 0 ? 1 : 0;
        if (is_worse(x, heap[child], heap[at]) == 0) {
            return;
        }
        const int32_t swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
        at = child;
    }
}

static void rise(const line *x, int32_t *heap, int32_t i)
{
    int32_t at = i;
    while (at > 0 && is_worse(x, i, heap[(at - 1) / 2]) != 0) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = i;
}

void oribi_micro_top_k(const struct oribi_micro_top_k_args *args, const void *input, void *values,
                       void *indices, uint8_t *scratch)
{
    const struct oribi_micro_top_k_args *p = args;
    const uint8_t *from = input;
    uint8_t *to = values;
    int32_t *heap = (int32_t *)(void *)scratch;
    for (int32_t at = 0; at < p->lines; at++) {
        const line x = {from, p->kind};
        TVMGEN_YIELD();
        for (int32_t i = 0; i < p->k; i++) {
            rise(&x, heap, i);
        }
        for (int32_t i = p->k; i < p->n; i++) {
            if (is_worse(&x, heap[0], i) != 0) {
                heap[0] = i;
                sift(&x, heap, p->k);
            }
        }
        for (int32_t size = p->k; size > 1; size--) {
            const int32_t worst = heap[0];
            heap[0] = heap[size - 1];
            heap[size - 1] = worst;
            sift(&x, heap, size - 1);
        }
        for (int32_t i = 0; i < p->k; i++) {
            (void)memcpy(to, from + heap[i] * p->element_bytes, (size_t)p->element_bytes);
            oribi_micro_element_set_wide(indices, p->index_kind, at * p->k + i, heap[i]);
            to += p->element_bytes;
        }
        from += p->n * p->element_bytes;
    }
}
