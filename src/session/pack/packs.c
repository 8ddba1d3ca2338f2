/* SPDX-License-Identifier: Apache-2.0 */
/* Who gets which packed constants; see packs.h. */
#include "session/pack/packs.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/digest.h"
#include "session/session_internal.h"

enum { LINE = 64, FIRST_CHAINS = 64 };

typedef struct pack { /* bytes that kernels share */
    oribi_digest key;
    const oribi_kernel_def *def;
    oribi_packs *packs; /* one reference */
    oribi_meter *meter; /* one reference; counts the bytes */
    void *data;
    size_t bytes;
    int64_t references; /* of kernels, under the lock */
    struct pack *next;
} pack;

struct oribi_packs {
    _Atomic int64_t references;
    oribi_mutex lock;
    pack **chains; /* by key; n_chains is a power of two */
    size_t n_chains, n;
    oribi_source *source;
    const uint8_t *data;
    size_t bytes;
};

/* --- The table ------------------------------------------------------------------------------- */

oribi_packs *oribi_packs_create(oribi_source *source, const uint8_t *data, size_t bytes,
                                TF_Status *status)
{
    oribi_packs *packs = oribi_alloc_zero(1, sizeof *packs);
    pack **chains = oribi_alloc_zero(FIRST_CHAINS, sizeof(pack *));
    if (packs == NULL || chains == NULL || !oribi_mutex_init(&packs->lock)) {
        oribi_free(packs);
        oribi_free(chains);
        oribi_fail_memory(status);
        return NULL;
    }
    atomic_init(&packs->references, 1);
    packs->chains = chains;
    packs->n_chains = FIRST_CHAINS;
    oribi_source_retain(source);
    packs->source = source;
    packs->data = data;
    packs->bytes = source != NULL ? bytes : 0;
    return packs;
}

void oribi_packs_retain(oribi_packs *packs)
{
    atomic_fetch_add_explicit(&packs->references, 1, memory_order_relaxed);
}

void oribi_packs_release(oribi_packs *packs)
{
    if (packs != NULL &&
        atomic_fetch_sub_explicit(&packs->references, 1, memory_order_acq_rel) == 1) {
        oribi_source_release(packs->source);
        oribi_mutex_destroy(&packs->lock);
        oribi_free(packs->chains);
        oribi_free(packs);
    }
}

static pack **chain_of(const oribi_packs *packs, const oribi_digest *key)
{
    return &packs->chains[key->at[0] & (packs->n_chains - 1)];
}

/* Longer chains are only slower: without memory they stay. */
static void grow(oribi_packs *packs)
{
    const size_t n_before = packs->n_chains;
    pack **before = packs->chains;
    pack **chains = packs->n < n_before ? NULL : oribi_alloc_zero(n_before, 2 * sizeof(pack *));
    if (chains == NULL) {
        return;
    }
    packs->chains = chains;
    packs->n_chains = 2 * n_before;
    for (size_t i = 0; i < n_before; i++) {
        for (pack *each = before[i], *next; each != NULL; each = next) {
            pack **to = chain_of(packs, &each->key);
            next = each->next;
            each->next = *to;
            *to = each;
        }
    }
    oribi_free(before);
}

/* One more reference of the pack with that key, or NULL. Under the lock. */
static pack *find(oribi_packs *packs, const oribi_digest *key, const oribi_kernel_def *def,
                  size_t bytes)
{
    for (pack *each = *chain_of(packs, key); each != NULL; each = each->next) {
        if (each->def == def && each->bytes == bytes && memcmp(&each->key, key, sizeof *key) == 0) {
            each->references++;
            return each;
        }
    }
    return NULL;
}

static void free_pack(pack *one)
{
    if (one == NULL) {
        return;
    }
    if (one->meter != NULL) {
        oribi_meter_discharge(one->meter, one->bytes);
        oribi_meter_release(one->meter);
    }
    oribi_free(one->data);
    oribi_packs_release(one->packs);
    oribi_free(one);
}

static void release_shared(oribi_packed *packed)
{
    pack *one = packed->owner;
    oribi_packs *packs = one->packs;
    oribi_mutex_lock(&packs->lock);
    const bool was_last = --one->references == 0;
    if (was_last) {
        pack **at = chain_of(packs, &one->key);
        while (*at != one) {
            at = &(*at)->next;
        }
        *at = one->next;
        packs->n--;
    }
    oribi_mutex_unlock(&packs->lock);
    if (was_last) {
        free_pack(one);
    }
    oribi_packed_free(packed);
}

/* --- Keys ------------------------------------------------------------------------------------ */

/* Input i of a step is constant. Where it lies says what it holds, if that is in the model's bytes,
 * which are there as long as the table is. */
static void add_constant(oribi_digest *key, const oribi_packs *packs,
                         const oribi_constant_view *view)
{
    const uint8_t *from = NULL;
    size_t bytes = 0;
    oribi_graph_view_range(view, &from, &bytes);
    const uintptr_t at = (uintptr_t)from - (uintptr_t)packs->data;
    const bool is_inside = packs->bytes > 0 && at < packs->bytes && bytes <= packs->bytes - at;
    const int64_t head[] = {view->dtype, view->rank, is_inside, is_inside ? (int64_t)at : 0,
                            view->strides != NULL};
    oribi_digest_add(key, head, sizeof head);
    oribi_digest_add(key, view->dims, (size_t)view->rank * sizeof *view->dims);
    if (view->strides != NULL) {
        oribi_digest_add(key, view->strides, (size_t)view->rank * sizeof *view->strides);
    }
    if (!is_inside) {
        oribi_digest_add(key, from, bytes);
    }
}

/* False: an input is not constant, so that nobody can tell whether another session's is the same.
 */
static bool make_key(const oribi_session_step *step, const TF_PackedConstant *wanted,
                     oribi_digest *key)
{
    *key = (oribi_digest){{wanted->inputs, wanted->bytes}};
    oribi_digest_add(key, wanted->layout, strlen(wanted->layout));
    for (int32_t i = 0; i < 64; i++) {
        oribi_constant_view view;
        if ((wanted->inputs >> i & 1) == 0) {
            continue;
        }
        if (!step->view.constant_input(step->view.arg, i, &view) || view.dtype == TF_STRING) {
            return false;
        }
        add_constant(key, step->session->packs, &view);
    }
    return true;
}

/* --- Taking ---------------------------------------------------------------------------------- */

static pack *make(const oribi_session_step *step, const oribi_kernel_def *def,
                  const TF_PackedConstant *wanted, TF_Status *status)
{
    oribi_session *session = step->session;
    if (!oribi_meter_charge(session->meter, wanted->bytes, "packed constants", status)) {
        return NULL;
    }
    pack *one = oribi_alloc_zero(1, sizeof *one);
    void *data = one != NULL ? oribi_alloc_aligned(wanted->bytes, LINE) : NULL;
    if (data == NULL) {
        oribi_meter_discharge(session->meter, wanted->bytes);
        oribi_free(one);
        oribi_fail(status, TF_RESOURCE_EXHAUSTED, "no memory for %zu bytes of packed constants",
                   wanted->bytes);
        return NULL;
    }
    oribi_meter_retain(session->meter);
    oribi_packs_retain(session->packs);
    *one = (pack){.def = def,
                  .packs = session->packs,
                  .meter = session->meter,
                  .data = data,
                  .bytes = wanted->bytes,
                  .references = 1};
    wanted->fill(wanted->arg, data);
    return one;
}

/* The pack of that key: there already, or made now. Two sessions that begin at once may both fill
 * theirs; one of the two stays. */
static pack *share(const oribi_session_step *step, const oribi_kernel_def *def,
                   const TF_PackedConstant *wanted, const oribi_digest *key, TF_Status *status)
{
    oribi_packs *packs = step->session->packs;
    oribi_mutex_lock(&packs->lock);
    pack *found = find(packs, key, def, wanted->bytes);
    oribi_mutex_unlock(&packs->lock);
    if (found != NULL) {
        return found;
    }
    pack *made = make(step, def, wanted, status);
    if (made == NULL) {
        return NULL;
    }
    made->key = *key;
    oribi_mutex_lock(&packs->lock);
    found = find(packs, key, def, wanted->bytes);
    if (found == NULL) {
        grow(packs);
        pack **at = chain_of(packs, key);
        made->next = *at;
        *at = made;
        packs->n++;
    }
    oribi_mutex_unlock(&packs->lock);
    if (found != NULL) {
        free_pack(made);
    }
    return found != NULL ? found : made;
}

static void release_mapped(oribi_packed *packed)
{
    oribi_source_release(packed->owner);
    oribi_packed_free(packed);
}

/* What the file holds for the step, or NULL. */
static const oribi_graph_packed *find_in_file(const oribi_session_step *step,
                                              const oribi_kernel_def *def,
                                              const TF_PackedConstant *wanted)
{
    const oribi_graph_packed *each = oribi_map_get(&step->session->graph->packed, step->view.name);
    while (each != NULL &&
           (each->bytes != wanted->bytes || strcmp(each->layout, wanted->layout) != 0 ||
            strcmp(each->kernel, def->kernel_name) != 0)) {
        each = each->next;
    }
    return each;
}

static bool is_absent(const oribi_session_step *step, int32_t input)
{
    const oribi_value_id id = step->node->inputs[input];
    const oribi_constant *constant = id >= 0 ? step->session->graph->values[id]->constant : NULL;
    return constant != NULL && constant->is_absent;
}

static bool needs_file(const oribi_session_step *step, uint64_t inputs)
{
    bool needs = false;
    for (int32_t i = 0; i < step->node->n_inputs && i < 64; i++) {
        needs = needs || ((inputs >> i & 1) != 0 && is_absent(step, i));
    }
    return needs;
}

static bool fail_key(const oribi_session_step *step, const char *kernel, const char *wanted,
                     TF_Status *status)
{
    const oribi_graph *graph = step->session->graph;
    const oribi_graph_packed *has = oribi_map_get(&graph->packed, step->view.name);
    return oribi_fail(
        status, TF_FAILED_PRECONDITION,
        "the packed file has %s '%s' for kernel '%s', but kernel '%s' asks for %s here; pack the "
        "model again on this machine: oribi pack %s -o FILE",
        has != NULL ? "layout" : "no", has != NULL ? has->layout : "packed constants",
        has != NULL ? has->kernel : "any", kernel, wanted,
        graph->packed_from != NULL ? graph->packed_from : "MODEL");
}

/* From the file as it lies there, or copied where the caller's memory is not aligned. */
static oribi_packed *take_from_file(oribi_session_step *step, const oribi_graph_packed *has,
                                    const TF_PackedConstant *wanted, TF_Status *status)
{
    oribi_packed *packed = oribi_packed_new(wanted, status);
    if (packed != NULL) {
        oribi_source_retain(step->session->graph->packed_source);
        packed->data = has->data;
        packed->owner = step->session->graph->packed_source;
        packed->release = release_mapped;
        step->packed_inputs |= wanted->inputs;
    }
    return packed;
}

typedef struct copy {
    const void *from;
    size_t bytes;
} copy;

static void fill_copy(void *arg, void *to)
{
    const copy *all = arg;
    memcpy(to, all->from, all->bytes);
}

static oribi_packed *take_shared(const oribi_session_step *step, const oribi_kernel_def *def,
                                 const TF_PackedConstant *wanted, const oribi_digest *key,
                                 TF_Status *status)
{
    oribi_packed *packed = oribi_packed_new(wanted, status);
    pack *one = packed != NULL ? share(step, def, wanted, key, status) : NULL;
    if (one == NULL) {
        oribi_packed_free(packed);
        return NULL;
    }
    packed->data = one->data;
    packed->owner = one;
    packed->release = release_shared;
    return packed;
}

oribi_packed *oribi_packs_take(void *arg, const oribi_kernel_def *def,
                               const TF_PackedConstant *wanted, TF_Status *status)
{
    oribi_session_step *step = arg;
    const oribi_graph_packed *has = find_in_file(step, def, wanted);
    oribi_digest key;
    if (has != NULL && (uintptr_t)has->data % LINE == 0) {
        return take_from_file(step, has, wanted, status);
    }
    if (has != NULL) {
        copy all = {has->data, has->bytes};
        TF_PackedConstant copied = *wanted;
        copied.fill = fill_copy;
        copied.arg = &all;
        key = (oribi_digest){{(uintptr_t)has->data, has->bytes}};
        oribi_digest_add(&key, has->layout, strlen(has->layout));
        step->packed_inputs |= wanted->inputs;
        return take_shared(step, def, &copied, &key, status);
    }
    if (needs_file(step, wanted->inputs)) {
        oribi_text text = {0};
        oribi_text_printf(&text, "'%s', %zu bytes,", wanted->layout, wanted->bytes);
        (void)fail_key(step, def->kernel_name, oribi_text_string(&text), status);
        oribi_text_destroy(&text);
        return NULL;
    }
    if (!make_key(step, wanted, &key)) {
        return oribi_packed_make(wanted, status);
    }
    return take_shared(step, def, wanted, &key, status);
}

bool oribi_packs_check(const oribi_session_step *step, TF_Status *status)
{
    for (int32_t i = 0; i < step->node->n_inputs; i++) {
        if (is_absent(step, i) &&
            (!step->released[i] || i >= 64 || (step->packed_inputs >> i & 1) == 0)) {
            (void)fail_key(step, step->kernel.def->kernel_name, "the constants themselves", status);
            oribi_status_prefix(status, "node '%s': ", step->view.name);
            return false;
        }
    }
    return true;
}
