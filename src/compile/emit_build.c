/* SPDX-License-Identifier: Apache-2.0 */
/* CMakeLists.txt and metadata.json (keys of the Model Library Format) beside the sources. Runs
 * last: it lists the files. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "compile/compile_internal.h"

bool oribi_emit_build(oribi_compile *c, TF_Status *status)
{
    oribi_writer w = {0};
    const char *name = c->models[0]->name;
    oribi_writer_line(&w, "# SPDX-License-Identifier: 0BSD");
    oribi_writer_line(&w, "# Library tvmgen_%s, made by oribi %s: add_subdirectory() this folder.",
                      name, oribi_version());
    oribi_writer_line(&w, "cmake_minimum_required(VERSION 3.13)");
    oribi_writer_line(&w, "project(tvmgen_%s C)", name);
    oribi_writer_open(&w, "add_library(tvmgen_%s STATIC", name);
    for (int32_t i = 0; i < c->n_files; i++) {
        const size_t length = strlen(c->files[i].name);
        if (length > 2 && strcmp(c->files[i].name + length - 2, ".c") == 0) {
            oribi_writer_line(&w, "%s", c->files[i].name);
        }
    }
    oribi_writer_close(&w, ")");
    oribi_writer_line(&w, "target_include_directories(tvmgen_%s PUBLIC", name);
    oribi_writer_line(&w, "    ${CMAKE_CURRENT_SOURCE_DIR})");
    oribi_writer_line(&w, "set_target_properties(tvmgen_%s PROPERTIES C_STANDARD 99)", name);
    return oribi_compile_add_file(c, "CMakeLists.txt", &w.text, status);
}

/* SOURCE_DATE_EPOCH, else 1970: the same input makes the same bytes. */
static void put_date(oribi_json *json)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    time_t when = (time_t)(epoch != NULL ? strtoll(epoch, NULL, 10) : 0);
    struct tm utc;
    char text[40] = "1970-01-01 00:00:00Z";
    if (gmtime_r(&when, &utc) != NULL) {
        (void)strftime(text, sizeof text, "%Y-%m-%d %H:%M:%SZ", &utc);
    }
    oribi_json_key(json, "export_datetime");
    oribi_json_string(json, text);
}

static void put_number(oribi_json *json, const char *key, int64_t number)
{
    oribi_json_key(json, key);
    oribi_json_int(json, number);
}

static void put_text(oribi_json *json, const char *key, const char *text)
{
    oribi_json_key(json, key);
    oribi_json_string(json, text);
}

static void put_ports(oribi_json *json, const char *key, const oribi_port *ports, int32_t n)
{
    static const char *const types[] = {"int8", "uint8", "int16", "int32", "float32"};
    oribi_json_key(json, key);
    oribi_json_open(json, '{');
    for (int32_t i = 0; i < n; i++) {
        oribi_json_key(json, ports[i].name);
        oribi_json_open(json, '{');
        put_number(json, "size", ports[i].bytes);
        put_text(json, "dtype", types[ports[i].kind]);
        oribi_json_close(json, '}');
    }
    oribi_json_close(json, '}');
}

static void put_memory(oribi_json *json, const oribi_compile *c)
{
    oribi_json_key(json, "memory");
    oribi_json_open(json, '{');
    oribi_json_key(json, "functions");
    oribi_json_open(json, '{');
    oribi_json_key(json, "main");
    oribi_json_open(json, '[');
    oribi_json_open(json, '{');
    put_number(json, "device", 1);
    put_number(json, "workspace_size_bytes", c->workspace_bytes);
    put_number(json, "constants_size_bytes", c->constants_bytes);
    put_number(json, "io_size_bytes", c->io_bytes);
    put_ports(json, "inputs", c->inputs, c->n_inputs);
    put_ports(json, "outputs", c->outputs, c->n_outputs);
    oribi_json_close(json, '}');
    oribi_json_close(json, ']');
    oribi_json_key(json, "operator_functions");
    oribi_json_open(json, '[');
    for (int32_t i = 0; i < c->n_calls; i++) {
        if (c->calls[i].kernel != NULL) {
            oribi_json_open(json, '{');
            put_text(json, "function_name", c->calls[i].name);
            oribi_json_key(json, "workspace");
            oribi_json_open(json, '[');
            oribi_json_open(json, '{');
            put_number(json, "device", 1);
            put_number(json, "workspace_size_bytes", c->calls[i].scratch_bytes);
            oribi_json_close(json, '}');
            oribi_json_close(json, ']');
            oribi_json_close(json, '}');
        }
    }
    oribi_json_close(json, ']');
    oribi_json_close(json, '}');
    oribi_json_close(json, '}');
}

static void put_module(oribi_json *json, const oribi_compile *c)
{
    oribi_json_key(json, c->name);
    oribi_json_open(json, '{');
    put_text(json, "model_name", c->name);
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
    put_text(json, "style", "full-model");
    oribi_json_key(json, "external_dependencies");
    oribi_json_open(json, '[');
    oribi_json_close(json, ']');
    oribi_json_close(json, '}');
}

bool oribi_emit_metadata(oribi_compile *all, TF_Status *status)
{
    oribi_text text = {0};
    oribi_json json = {.text = &text};
    oribi_json_open(&json, '{');
    put_number(&json, "version", 7);
    oribi_json_key(&json, "modules");
    oribi_json_open(&json, '{');
    for (int32_t i = 0; i < all->n_models; i++) {
        put_module(&json, all->models[i]);
    }
    oribi_json_close(&json, '}');
    oribi_json_close(&json, '}');
    oribi_text_append(&text, "\n");
    return oribi_compile_add_file(all, "metadata.json", &text, status);
}
