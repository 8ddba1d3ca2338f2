/* SPDX-License-Identifier: Apache-2.0 */
/* What an optimiser may ask of its item: names to keep, names that are fetched (grappler.h of the
 * contract). */
#include <string.h>

#include "grappler/grappler.h"

typedef struct name_list {
    char **values;
    size_t *lengths;
    char *storage;
    size_t room, used;
    int most, n;
} name_list;

/* Counts, and writes where there is a storage. False: no room. */
static bool add_name(name_list *list, const char *name, size_t length)
{
    if (list->storage != NULL) {
        if (list->n >= list->most || length > list->room - list->used) {
            return false;
        }
        memcpy(list->storage + list->used, name, length);
        list->values[list->n] = list->storage + list->used;
        list->lengths[list->n] = length;
    }
    list->used += length;
    list->n++;
    return true;
}

static bool add_fetches(const TF_GrapplerItem *item, name_list *list, bool nodes_only)
{
    for (int32_t i = 0; i < item->graph->n_outputs; i++) {
        const char *name = item->names->values[item->graph->outputs[i]];
        if (!add_name(list, name, nodes_only ? strcspn(name, ":") : strlen(name))) {
            return false;
        }
    }
    return true;
}

/* Inputs and the nodes of the outputs. */
static bool add_preserved(const TF_GrapplerItem *item, name_list *list)
{
    for (int32_t i = 0; i < item->graph->n_inputs; i++) {
        const char *name = item->names->values[item->graph->inputs[i]];
        if (!add_name(list, name, strlen(name))) {
            return false;
        }
    }
    return add_fetches(item, list, true);
}

static void count(const TF_GrapplerItem *item, bool fetches, int *num_values, size_t *storage_size,
                  TF_Status *status)
{
    name_list list = {0};
    (void)(fetches ? add_fetches(item, &list, false) : add_preserved(item, &list));
    *num_values = list.n;
    *storage_size = list.used;
    TF_SetStatus(status, TF_OK, "");
}

static void fill(const TF_GrapplerItem *item, bool fetches, char **values, size_t *lengths,
                 int num_values, void *storage, size_t storage_size, TF_Status *status)
{
    static char nothing[1];
    name_list list = {.values = values,
                      .lengths = lengths,
                      .storage = storage != NULL ? storage : nothing,
                      .room = storage != NULL ? storage_size : 0,
                      .most = num_values};
    TF_SetStatus(status, TF_OK, "");
    if (!(fetches ? add_fetches(item, &list, false) : add_preserved(item, &list))) {
        oribi_fail(status, TF_INVALID_ARGUMENT,
                   "%d names and %zu bytes are too few; ask for both sizes first", num_values,
                   storage_size);
    }
}

void TF_GetNodesToPreserveListSize(const TF_GrapplerItem *item, int *num_values,
                                   size_t *storage_size, TF_Status *status)
{
    count(item, false, num_values, storage_size, status);
}

void TF_GetNodesToPreserveList(const TF_GrapplerItem *item, char **values, size_t *lengths,
                               int num_values, void *storage, size_t storage_size,
                               TF_Status *status)
{
    fill(item, false, values, lengths, num_values, storage, storage_size, status);
}

void TF_GetFetchNodesListSize(const TF_GrapplerItem *item, int *num_values, size_t *storage_size,
                              TF_Status *status)
{
    count(item, true, num_values, storage_size, status);
}

void TF_GetFetchNodesList(const TF_GrapplerItem *item, char **values, size_t *lengths,
                          int num_values, void *storage, size_t storage_size, TF_Status *status)
{
    fill(item, true, values, lengths, num_values, storage, storage_size, status);
}
