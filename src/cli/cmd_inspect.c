/* SPDX-License-Identifier: Apache-2.0 */
/* `oribi inspect`: what a model is and what became of it. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "page/page.h"

const cli_option cmd_inspect_options[] = {
    {"--steps", 0, NULL, "each step: node, op, kernel, shapes, place in memory"},
    {"--passes", 0, NULL, "what each pass changed"},
    {"--memory", 0, NULL, "the memory plan against its bounds"},
    {"--copies", 0, NULL, "copies to, from and between devices, and waits for them"},
    {"--parallel", 0, NULL, "work and span of each step for 1, 2, 8, 32 cores, by a run on one"},
    {"--explain", 0, "NODE",
     "kernels and devices considered for a node, and why (not) taken; with --target-device, the "
     "devices of the compiled model: without --explain, for all nodes"},
    {"--html", 0, "FILE",
     "write a page that needs nothing else: graph, memory over time, costs, to search"},
    {"--force", 'f', NULL, "overwrite the page"},
    {"--json", 0, NULL, "as JSON"},
    CLI_TIME_LIMIT_OPTION("give up so many milliseconds after opening the model began (exit 5)"),
    CLI_DESK_OPTIONS,
    {"--no-fuse", 0, NULL, "with --target-device: as for `oribi compile --no-fuse`"},
    CLI_DEVICE_OPTION,
    CLI_PLACE_OPTIONS,
    CLI_SESSION_OPTIONS,
    {NULL, 0, NULL, NULL},
};

/* A quantised port says how its integers stand for numbers. */
static void print_port(const oribi_model *model, int is_input, int index)
{
    cli_dims dims;
    float scale = 0;
    int32_t zero = 0;
    const int rank = cli_port_dims(model, is_input, index, false, &dims);
    const int n_scales = is_input ? oribi_model_input_quantisation(model, index, &scale, &zero)
                                  : oribi_model_output_quantisation(model, index, &scale, &zero);

    cli_print("%-6s %d  %-32s %s ", is_input ? "input" : "output", index,
              is_input ? oribi_model_input_name(model, index)
                       : oribi_model_output_name(model, index),
              cli_type_name(is_input ? oribi_model_input_type(model, index)
                                     : oribi_model_output_type(model, index)));
    for (int i = 0; i < dims.n; i++) {
        if (dims.at[i] < 0) {
            printf("%s?", i == 0 ? "" : "x");
        } else {
            printf("%s%lld", i == 0 ? "" : "x", (long long)dims.at[i]);
        }
    }
    if (rank > dims.n) {
        printf("x... (%d dimensions)", rank);
    }
    printf("%s", rank < 0 ? "(any shape)" : rank == 0 ? "scalar" : "");
    if (n_scales == 1) {
        printf("  scale %.9g, zero point %d", (double)scale, (int)zero);
    } else if (n_scales > 1) {
        printf("  %d scales", n_scales);
    }
    printf("\n");
}

static void print_ports(const oribi_model *model)
{
    for (int i = 0; i < oribi_model_num_inputs(model); i++) {
        print_port(model, 1, i);
    }
    for (int i = 0; i < oribi_model_num_outputs(model); i++) {
        print_port(model, 0, i);
    }
}

static int describe(const cli_args *args, const cli_session *s, const char *what, const char *array,
                    const char *const *columns)
{
    TF_Status *status = TF_NewStatus();
    TF_Buffer *json = cli_buffer();
    int code = CLI_OK;

    oribi_session_describe(s->session, what, json, status);
    if (TF_GetCode(status) != TF_OK) {
        code = cli_fail(status);
    } else {
        cli_json_print(json, cli_has(args, "--json"), array, columns);
    }
    TF_DeleteBuffer(json);
    TF_DeleteStatus(status);
    return code;
}

static int write_page(const cli_args *args, const cli_session *s)
{
    const char *path = cli_value(args, "--html");
    cli_json graph = {.root = NULL}, memory = {.root = NULL};
    oribi_text text = {0};
    int code = cli_session_tree(s, "graph", &graph);

    code = code == CLI_OK ? cli_session_tree(s, "memory", &memory) : code;
    if (code == CLI_OK) {
        page_inspect(&text, graph.root, memory.root);
        code = cli_write_file(path, text.data, text.length, cli_has(args, "--force"));
    }
    oribi_text_destroy(&text);
    cli_json_free(&graph);
    cli_json_free(&memory);
    return code;
}

static void print_choice(const oribi_json_value *step)
{
    const char *name = cli_json_text(step, "node");
    const char *op = cli_json_text(step, "op");
    const char *text = cli_json_text(step, "considered");
    const char *moved = cli_json_text(step, "moved");
    cli_print("node %s, op %s:%s\n", name == NULL ? "" : name, op == NULL ? "" : op,
              text == NULL ? "" : text);
    if (moved != NULL) {
        cli_print("%s\n", moved);
    }
}

static int explain(const cli_args *args, const cli_session *s, const char *node)
{
    TF_Status *status = TF_NewStatus();
    TF_Buffer *json = cli_buffer();
    char what[1000];
    int code = CLI_OK;

    snprintf(what, sizeof what, "explain:%s", node);
    oribi_session_describe(s->session, what, json, status);
    if (TF_GetCode(status) != TF_OK) {
        code = cli_fail(status);
    } else if (cli_has(args, "--json")) {
        printf("%.*s\n", (int)json->length, (const char *)json->data);
    } else {
        cli_json root = cli_json_parse(json->data, json->length, "explain");
        const oribi_json_value *step;
        for (step = cli_json_first(root.root, "steps"); step != NULL; step = step->next) {
            print_choice(step);
        }
        cli_json_free(&root);
    }
    TF_DeleteBuffer(json);
    TF_DeleteStatus(status);
    return code;
}

/* --- Devices of compiled models -------------------------------------------------------------- */

/* The rows of one node; NOT_FOUND is a usage error. */
static int print_rows(const oribi_json_value *root, const char *node, bool is_json)
{
    const oribi_json_value *row;
    int n = 0;
    for (row = cli_json_first(root, "nodes"); row != NULL; row = row->next) {
        const char *name = cli_json_text(row, "node");
        const char *device = cli_json_text(row, "device");
        const char *why = cli_json_text(row, "why");
        if (name == NULL || device == NULL || why == NULL || strcmp(name, node) != 0) {
            continue;
        }
        if (is_json) {
            printf("%.*s\n", (int)(row->end - row->begin), row->begin);
        } else {
            cli_print("when compiled, on %s; %s\n", device, why);
        }
        n++;
    }
    if (n == 0) {
        cli_error("no node '%s' is left when the model is compiled for these devices", node);
    }
    return n > 0 ? CLI_OK : CLI_BAD_INPUT;
}

/* Which device takes which node, of all nodes or of one. */
static int explain_devices(const cli_args *args, const char *node)
{
    static const char *const columns[] = {"node", "op", "device", "why", NULL};
    TF_Status *status = TF_NewStatus();
    TF_Buffer *json = cli_buffer();
    cli_desk desk;
    int code = cli_desk_compile(args, true, &desk);

    if (code == CLI_OK) {
        oribi_compile_describe(desk.compile, "devices", json, status);
        code = TF_GetCode(status) == TF_OK ? CLI_OK : cli_fail(status);
        if (code == CLI_OK && node == NULL) {
            cli_json_print(json, cli_has(args, "--json"), "nodes", columns);
        } else if (code == CLI_OK) {
            cli_json root = cli_json_parse(json->data, json->length, "devices");
            code = print_rows(root.root, node, cli_has(args, "--json"));
            cli_json_free(&root);
        }
        cli_desk_close(&desk);
    }
    TF_DeleteBuffer(json);
    TF_DeleteStatus(status);
    return code;
}

int cmd_inspect(const cli_args *args)
{
    static const char *const steps[] = {"step",   "node",  "op",     "kernel", "provider",
                                        "device", "bytes", "offset", NULL};
    static const char *const passes[] = {"pass", "change", NULL};
    cli_session s;
    const char *page = cli_value(args, "--html");
    int code = page == NULL ? CLI_OK : cli_check_writable(page, cli_has(args, "--force"));
    bool chosen = false;

    code = code == CLI_OK ? cli_session_open(args, &s) : code;

    if (code != CLI_OK) {
        return code;
    }
    if (cli_has(args, "--target-device")) {
        code = explain_devices(args, cli_value(args, "--explain"));
        cli_session_close(&s);
        return code;
    }
    if (cli_has(args, "--explain")) {
        code = explain(args, &s, cli_value(args, "--explain"));
        cli_session_close(&s);
        return code;
    }
    if (page != NULL) {
        code = write_page(args, &s);
        cli_session_close(&s);
        return code;
    }
    if (cli_has(args, "--parallel")) {
        code = cli_parallel(&s, cli_has(args, "--json"));
        cli_session_close(&s);
        return code;
    }
    if (!cli_has(args, "--json")) {
        print_ports(s.model);
    }
    if (cli_has(args, "--passes")) {
        chosen = true;
        code = describe(args, &s, "passes", "changes", passes);
    }
    if (code == CLI_OK && cli_has(args, "--memory")) {
        chosen = true;
        code = describe(args, &s, "memory", "buffers", NULL);
    }
    if (code == CLI_OK && cli_has(args, "--copies")) {
        static const char *const copies[] = {"step", "kind",  "value",  "from",
                                             "to",   "bytes", "beside", NULL};
        chosen = true;
        code = describe(args, &s, "copies", "copies", copies);
    }
    if (code == CLI_OK && (cli_has(args, "--steps") || (!chosen && cli_has(args, "--json")))) {
        code = describe(args, &s, "graph", "steps", steps);
    } else if (code == CLI_OK && !chosen) {
        code = describe(args, &s, "memory", NULL, NULL);
    }
    cli_session_close(&s);
    return code;
}
