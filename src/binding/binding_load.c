/* SPDX-License-Identifier: Apache-2.0 */
/* SavedModels: the graph with the tags that were asked for, and a session that knows its
 * checkpoint and assets.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "binding/binding_session.h"
#include "format/proto.h"
#include "session/session_internal.h"

/* --- Which graph ---------------------------------------------------------------------------- */

static bool has_tag(const char *const *tags, int n, oribi_string tag)
{
    for (int i = 0; i < n; i++) {
        if (oribi_string_is(tag, tags[i])) {
            return true;
        }
    }
    return false;
}

/* Are these the tags of the MetaInfoDef, all of them and no others? */
static bool has_tags(oribi_wire info, const char *const *tags, int n_tags, bool *out,
                     TF_Status *status)
{
    oribi_wire_field field;
    oribi_string tag;
    int n = 0;
    *out = true;
    while (oribi_wire_next(&info, &field, status)) {
        if (field.number == 4) {
            ORIBI_TRY(oribi_wire_string(&field, "a tag", &tag, status));
            *out = *out && has_tag(tags, n_tags, tag);
            n++;
        }
    }
    *out = *out && n == n_tags;
    return oribi_ok(status);
}

static bool is_wanted(oribi_wire meta, const char *const *tags, int n_tags, bool *out,
                      TF_Status *status)
{
    oribi_wire info = oribi_wire_over(meta.at, 0), wire = meta;
    oribi_wire_field field;
    while (oribi_wire_next(&wire, &field, status)) {
        ORIBI_TRY(field.number != 1 || oribi_wire_enter(&wire, &field, &info, status));
    }
    return oribi_ok(status) && has_tags(info, tags, n_tags, out, status);
}

static bool find_meta(oribi_wire file, const char *const *tags, int n_tags, oribi_wire *out,
                      TF_Status *status)
{
    oribi_wire_field field;
    bool is_found = false;
    while (!is_found && oribi_wire_next(&file, &field, status)) {
        if (field.number == 2) {
            ORIBI_TRY(oribi_wire_enter(&file, &field, out, status) &&
                      is_wanted(*out, tags, n_tags, &is_found, status));
        }
    }
    ORIBI_TRY(oribi_ok(status));
    if (!is_found) {
        oribi_text text = {0};
        for (int i = 0; i < n_tags; i++) {
            oribi_text_printf(&text, " %s", tags[i]);
        }
        oribi_fail(status, TF_NOT_FOUND,
                   "Could not find meta graph def matching supplied tags: {%s }",
                   oribi_text_string(&text));
        oribi_text_destroy(&text);
    }
    return is_found;
}

/* --- Loading -------------------------------------------------------------------------------- */

/* Splits a MetaGraphDef: its graph goes into the graph, the rest stays with the session. */
static bool take_meta(TF_Session *session, oribi_wire meta, TF_Status *status)
{
    TF_Graph *graph = session->graph;
    oribi_wire wire = meta, graph_def = oribi_wire_over(meta.at, 0);
    oribi_wire_field field;
    oribi_text rest = {0};
    bool ok = true;
    while (ok && oribi_wire_next(&wire, &field, status)) {
        if (field.number == 2) {
            ok = oribi_wire_enter(&wire, &field, &graph_def, status);
        } else if (field.type == ORIBI_WIRE_BYTES) {
            oribi_proto_bytes(&rest, field.number, field.data, field.bytes);
        }
    }
    const uint8_t *kept = oribi_ok(status) && !rest.failed
                              ? oribi_binding_keep(graph, rest.data, rest.length, status)
                              : NULL;
    (void)(kept != NULL || !oribi_ok(status) || oribi_fail_memory(status));
    session->meta = oribi_wire_over(kept, rest.length);
    oribi_text_destroy(&rest);
    return kept != NULL && oribi_binding_import(graph, graph_def, NULL, NULL, status);
}

static bool load(TF_Session *session, const char *path, const char *const *tags, int n_tags,
                 TF_Buffer *out_meta, TF_Status *status)
{
    oribi_wire meta;
    const uint8_t *data;
    size_t bytes;
    TF_Graph *graph = session->graph;
    oribi_free(session->name);
    session->name = oribi_strdup(path);
    session->folder = oribi_strdup(path);
    char *inside = oribi_path_join(path, "saved_model.pb");
    if (inside == NULL || session->name == NULL || session->folder == NULL) {
        oribi_free(inside);
        return oribi_fail_memory(status);
    }
    oribi_source *source = oribi_source_open(
        inside, false, oribi_options_max_bytes(session->options), &data, &bytes, status);
    oribi_free(inside);
    ORIBI_TRY(source != NULL);
    oribi_mutex_lock(&graph->lock);
    const uint8_t *kept = NULL;
    if (graph->n_ops > 0) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "Graph is non-empty.");
    } else {
        kept = oribi_binding_keep(graph, data, bytes, status);
    }
    const bool ok = kept != NULL &&
                    find_meta(oribi_wire_over(kept, bytes), tags, n_tags, &meta, status) &&
                    take_meta(session, meta, status);
    oribi_mutex_unlock(&graph->lock);
    oribi_source_release(source);
    if (ok && out_meta != NULL) {
        oribi_text text = {0};
        oribi_text_append_n(&text, meta.at, (size_t)(meta.end - meta.at));
        return oribi_proto_fill(&text, out_meta, status);
    }
    return ok;
}

TF_Session *TF_LoadSessionFromSavedModel(const TF_SessionOptions *session_options,
                                         const TF_Buffer *run_options, const char *export_dir,
                                         const char *const *tags, int tags_len, TF_Graph *graph,
                                         TF_Buffer *meta_graph_def, TF_Status *status)
{
    (void)run_options;
    TF_Session *session = oribi_binding_session(graph, session_options, status);
    if (session == NULL) {
        return NULL;
    }
    if (!load(session, export_dir, tags, tags_len, meta_graph_def, status)) {
        TF_Status *unused = TF_NewStatus();
        oribi_status_prefix(status, "%s: ", export_dir);
        TF_DeleteSession(session, unused);
        TF_DeleteStatus(unused);
        return NULL;
    }
    return session;
}
