/* SPDX-License-Identifier: Apache-2.0 */
/* metadata.json: the keys of the Model Library Format, and a few of our own beside them. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "format/json.h"
#include "compile/emit/emit_parts.h"

/* SOURCE_DATE_EPOCH, else 1970: the same input makes the same bytes. */
int64_t oribi_compile_time(void)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    const int64_t when = epoch != NULL ? strtoll(epoch, NULL, 10) : 0;
    return when < 0 ? 0 : when;
}

static void put_date(oribi_json *json)
{
    const time_t when = (time_t)oribi_compile_time();
    struct tm utc;
    char text[40] = "1970-01-01 00:00:00Z";
    if (gmtime_r(&when, &utc) != NULL) {
        (void)strftime(text, sizeof text, "%Y-%m-%d %H:%M:%SZ", &utc);
    }
    oribi_json_put_string(json, "export_datetime", text);
}

static void put_ports(oribi_json *json, const char *key, const oribi_port *ports, int32_t n)
{
    static const char *const types[] = {"int8",  "uint8",   "int16",  "int32", "float32",
                                        "int64", "float64", "uint32", "uint64"};
    oribi_json_key(json, key);
    oribi_json_open(json, '{');
    for (int32_t i = 0; i < n; i++) {
        oribi_json_key(json, ports[i].name);
        oribi_json_open(json, '{');
        oribi_json_put_int(json, "size", ports[i].bytes);
        oribi_json_put_string(json, "dtype", types[ports[i].kind]);
        oribi_json_close(json, '}');
    }
    oribi_json_close(json, '}');
}

static void put_pools(oribi_json *json, const oribi_program *c)
{
    oribi_json_key(json, "workspace_pools");
    oribi_json_open(json, '{');
    for (int32_t i = 0; i < c->n_pools; i++) {
        oribi_json_put_int(json, c->pools[i].name, c->pools[i].bytes);
    }
    oribi_json_close(json, '}');
}

static void put_memory(oribi_json *json, const oribi_program *c)
{
    oribi_json_key(json, "memory");
    oribi_json_open(json, '{');
    oribi_json_key(json, "functions");
    oribi_json_open(json, '{');
    oribi_json_key(json, "main");
    oribi_json_open(json, '[');
    oribi_json_open(json, '{');
    oribi_json_put_int(json, "device", 1);
    oribi_json_put_int(json, "workspace_size_bytes", c->workspace_bytes);
    oribi_json_put_int(json, "constants_size_bytes", c->constants_bytes);
    oribi_json_put_int(json, "io_size_bytes", c->io_bytes);
    oribi_json_put_int(json, "state_size_bytes", c->state_bytes);
    oribi_json_put_int(json, "weights_file_bytes",
                       c->options->weights == ORIBI_WEIGHTS_BIN ? c->image_bytes : 0);
    put_pools(json, c);
    put_ports(json, "inputs", c->inputs, c->n_inputs);
    put_ports(json, "outputs", c->outputs, c->n_outputs);
    oribi_json_close(json, '}');
    oribi_json_close(json, ']');
    oribi_json_key(json, "operator_functions");
    oribi_json_open(json, '[');
    for (int32_t i = 0; i < c->n_calls; i++) {
        if (c->calls[i].kernel != NULL) {
            oribi_json_open(json, '{');
            oribi_json_put_string(json, "function_name", c->calls[i].name);
            oribi_json_key(json, "workspace");
            oribi_json_open(json, '[');
            oribi_json_open(json, '{');
            oribi_json_put_int(json, "device", 1);
            oribi_json_put_int(json, "workspace_size_bytes", c->calls[i].scratch_bytes);
            oribi_json_close(json, '}');
            oribi_json_close(json, ']');
            oribi_json_close(json, '}');
        }
    }
    oribi_json_close(json, ']');
    oribi_json_close(json, '}');
    oribi_json_close(json, '}');
}

static void put_module(oribi_json *json, const oribi_program *c)
{
    oribi_json_key(json, c->name);
    oribi_json_open(json, '{');
    oribi_json_put_string(json, "model_name", c->name);
    put_date(json);
    put_memory(json, c);
    oribi_json_key(json, "target");
    oribi_json_open(json, '[');
    oribi_json_string(json, "c");
    oribi_json_close(json, ']');
    oribi_json_key(json, "executors");
    oribi_json_open(json, '[');
    oribi_json_string(json, "aot");
    oribi_json_close(json, ']');
    oribi_json_put_string(json, "style", "full-model");
    oribi_json_key(json, "external_dependencies");
    oribi_json_open(json, '[');
    oribi_json_close(json, ']');
    oribi_json_close(json, '}');
}

bool oribi_emit_metadata(const oribi_compile *all, oribi_files *files, TF_Status *status)
{
    oribi_text text = {0};
    oribi_json json = {.text = &text};
    oribi_json_open(&json, '{');
    oribi_json_put_int(&json, "version", 7);
    oribi_json_key(&json, "modules");
    oribi_json_open(&json, '{');
    for (int32_t i = 0; i < all->n_programs; i++) {
        put_module(&json, all->programs[i]);
    }
    oribi_json_close(&json, '}');
    oribi_json_close(&json, '}');
    oribi_text_append(&text, "\n");
    return oribi_files_add(files, &text, status, "metadata.json");
}
