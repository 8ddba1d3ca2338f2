/* SPDX-License-Identifier: Apache-2.0 */
/* Which node runs on which device. The passes choose a kernel for each node, in the order: the
 * device that the node names, the session's, the CPU; the chosen kernel's device type decides here.
 * Not here: the copies that follow from it (steps.c).
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/text.h"
#include "session/session_internal.h"

/* --- Before the passes ----------------------------------------------------------------------- */

static oribi_node *find_node(oribi_graph *graph, const char *name)
{
    for (int32_t i = 0; i < graph->n_nodes; i++) {
        if (!graph->nodes[i]->is_dead && strcmp(graph->nodes[i]->name, name) == 0) {
            return graph->nodes[i];
        }
    }
    return NULL;
}

static bool fail_node(const oribi_graph *graph, const char *name, TF_Status *status)
{
    const char **names = oribi_alloc_array((size_t)graph->n_nodes + 1, sizeof *names);
    size_t n = 0;
    for (int32_t i = 0; i < graph->n_nodes && names != NULL; i++) {
        names[n++] = graph->nodes[i]->name;
    }
    const char *near = names != NULL ? oribi_text_did_you_mean(name, names, n) : NULL;
    oribi_fail(status, TF_NOT_FOUND, "the model has no node '%s' to place%s%s%s", name,
               near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
               near != NULL ? "'?" : "");
    oribi_free(names);
    return false;
}

/* "TYPE:N" of a device as people call it, in the arena; NULL: there is no such device. */
static const char *full_name(oribi_arena *arena, const char *text, TF_Status *status)
{
    int ordinal = 0;
    const char *type = "CPU";
    if (strcasecmp(text, "cpu") != 0 && strcasecmp(text, "cpu:0") != 0) {
        const oribi_platform *platform = oribi_device_parse(text, &ordinal, status);
        if (platform == NULL) {
            return NULL;
        }
        type = oribi_platform_type(platform);
    }
    const char *name = oribi_arena_printf(arena, "%s:%d", type, ordinal);
    if (name == NULL) {
        oribi_fail_memory(status);
    }
    return name;
}

static bool request_default(oribi_session *session, const char *device, TF_Status *status)
{
    session->device = full_name(&session->arena, device, status);
    ORIBI_TRY(session->device != NULL);
    session->device_type =
        oribi_arena_strndup(&session->arena, session->device, strcspn(session->device, ":"));
    return session->device_type != NULL || oribi_fail_memory(status);
}

bool oribi_place_request(oribi_session *session, const oribi_options *options, TF_Status *status)
{
    oribi_graph *graph = session->graph;
    if (options == NULL || graph->is_open) {
        return true;
    }
    ORIBI_TRY(options->device == NULL || request_default(session, options->device, status));
    for (const oribi_node_place *place = options->places; place != NULL; place = place->next) {
        oribi_node *node = find_node(graph, place->node);
        if (node == NULL) {
            return fail_node(graph, place->node, status);
        }
        node->device = full_name(&graph->arena, place->device, status);
        ORIBI_TRY(node->device != NULL);
    }
    return true;
}

/* --- After the passes ------------------------------------------------------------------------ */

static bool is_host_type(const char *type)
{
    return strcmp(type, "CPU") == 0 || strcmp(type, "DEFAULT") == 0;
}

/* Index of the device among the session's, opened when it is new; -1: failed. */
static int32_t use_device(oribi_session *session, const oribi_options *options, const char *type,
                          int ordinal, TF_Status *status)
{
    char text[128];
    (void)snprintf(text, sizeof text, "%s:%d", type, ordinal);
    for (int32_t i = 1; i < session->n_devices; i++) {
        if (strcmp(session->devices[i].name, text) == 0) {
            return i;
        }
    }
    if (session->n_devices == ORIBI_MAX_DEVICES) {
        oribi_fail(status, TF_INVALID_ARGUMENT, "a session takes at most %d devices",
                   ORIBI_MAX_DEVICES - 1);
        return -1;
    }
    const oribi_platform *platform = oribi_device_parse(text, &ordinal, status);
    oribi_device *device = platform != NULL ? oribi_device_open(platform, ordinal, status) : NULL;
    oribi_device_account *account =
        device != NULL
            ? oribi_device_account_create(device, oribi_options_device_max_bytes(options),
                                          options != NULL && options->has_unified_memory, status)
            : NULL;
    if (account == NULL) {
        oribi_device_release(device);
        return -1;
    }
    session->devices[session->n_devices] = (oribi_session_device){
        .device = device,
        .account = account,
        .name = oribi_device_name(device),
        .lane_names = {oribi_arena_printf(&session->arena, "%s kernels", text),
                       oribi_arena_printf(&session->arena, "%s copies", text),
                       oribi_arena_printf(&session->arena, "%s copies to it", text),
                       oribi_arena_printf(&session->arena, "%s copies to the host", text)}};
    return session->n_devices++;
}

static bool check_strict(const oribi_session *session, const oribi_node *node, TF_Status *status)
{
    const bool names_own = node->device != NULL && node->device[0] != '\0';
    const char *wanted = names_own ? node->device : session->device;
    if (wanted == NULL || oribi_pass_device_ordinal(wanted, "CPU") >= 0) {
        return true;
    }
    return oribi_fail(status, TF_NOT_FOUND,
                      "node '%s': op %s has no kernel for device %s that fits, and soft placement "
                      "is off; allow it, or place the node on the CPU",
                      node->name, node->op_name, wanted);
}

static bool place_node(oribi_session *session, oribi_node *node, const oribi_options *options,
                       int32_t *out_device, TF_Status *status)
{
    const char *type = node->kernel != NULL ? node->kernel->device_type : "CPU";
    *out_device = 0;
    if (is_host_type(type)) {
        return options == NULL || !options->is_strict || check_strict(session, node, status);
    }
    int ordinal = oribi_pass_device_ordinal(node->device, type);
    if (ordinal < 0) {
        ordinal = oribi_pass_device_ordinal(session->device, type);
    }
    *out_device = use_device(session, options, type, ordinal < 0 ? 0 : ordinal, status);
    if (*out_device < 0) {
        oribi_status_prefix(status, "node '%s': ", node->name);
    }
    return *out_device >= 0;
}

bool oribi_place_nodes(oribi_session *session, const oribi_options *options, int32_t *out_devices,
                       TF_Status *status)
{
    const oribi_graph *graph = session->graph;
    session->devices =
        oribi_claim_array(&session->arena, ORIBI_MAX_DEVICES, sizeof *session->devices, status);
    ORIBI_TRY(session->devices != NULL);
    session->devices[0].name = "CPU";
    session->n_devices = 1;
    for (int32_t s = 0; s < graph->n_order; s++) {
        ORIBI_TRY(
            place_node(session, graph->nodes[graph->order[s]], options, &out_devices[s], status));
    }
    const bool is_weighed = options == NULL || (!options->is_strict && !options->keeps_islands);
    return !is_weighed || session->n_devices == 1 ||
           oribi_place_weigh(session, out_devices, status);
}

/* --- Arguments in host memory ---------------------------------------------------------------- */

static bool is_host_argument(const oribi_node *node, const oribi_arg_def *args, int32_t n_args,
                             const int32_t *starts, int32_t index)
{
    const oribi_kernel_def *def = node->kernel;
    for (int32_t k = 0; k < n_args; k++) {
        if (index < starts[k] || index >= starts[k + 1]) {
            continue;
        }
        for (int32_t i = 0; i < def->n_host_memory_args; i++) {
            if (strcmp(def->host_memory_args[i], args[k].name) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* Types whose elements are no plain bytes live in host memory always, as in TensorFlow. */
static bool is_host_data(TF_DataType dtype)
{
    return dtype == TF_STRING || dtype == TF_RESOURCE || dtype == TF_VARIANT;
}

int32_t oribi_place_of_input(const oribi_node *node, int32_t input, int32_t device)
{
    const oribi_signature *signature = &node->signature;
    return device == 0 || is_host_data(signature->input_types[input]) ||
                   is_host_argument(node, node->op->inputs, node->op->n_inputs,
                                    signature->input_arg_start, input)
               ? 0
               : device;
}

int32_t oribi_place_of_output(const oribi_node *node, int32_t output, int32_t device)
{
    const oribi_signature *signature = &node->signature;
    return device == 0 || is_host_data(signature->output_types[output]) ||
                   is_host_argument(node, node->op->outputs, node->op->n_outputs,
                                    signature->output_arg_start, output)
               ? 0
               : device;
}

bool oribi_place_is_direct(const oribi_session *session, int32_t from, int32_t to)
{
    const oribi_platform *a = oribi_device_platform(session->devices[from].device);
    const oribi_platform *b = oribi_device_platform(session->devices[to].device);
    return a == b && (oribi_platform_extension(a)->flags & TF_DEVICE_PEER_COPIES) != 0;
}
