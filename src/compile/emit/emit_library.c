/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries of Arduino and PlatformIO, which compile the sources that they find: what describes
 * them, and a sketch that runs the model. Names in them are identifiers; no text of the model goes
 * in.
 */
#include <string.h>

#include "compile/emit/emit_parts.h"
#include "format/json.h"
#include "tensor/status.h"

static bool from_sources(const oribi_compile *all, const char *layout, TF_Status *status)
{
    return (all->options.weights != ORIBI_WEIGHTS_INCBIN &&
            all->options.weights != ORIBI_WEIGHTS_OBJ) ||
           oribi_fail(status, TF_INVALID_ARGUMENT,
                      "such a library is built from its C alone: --layout %s goes with --weights c "
                      "or bin",
                      layout);
}

/* --- A sketch ----------------------------------------------------------------------------------
 */

/* Whether a run takes inputs, outputs and one pool, and nothing else. */
static bool is_plain(const oribi_program *c)
{
    return c->n_states == 0 && c->devices.partition.n_devices == 0 && !c->ports_in_workspace &&
           c->n_pools == 1 && c->options->weights == ORIBI_WEIGHTS_C &&
           c->options->workspace == ORIBI_WORKSPACE_ARGUMENT;
}

static void arrays(const oribi_program *c, oribi_writer *w, const oribi_port *ports, int32_t n,
                   const char *prefix)
{
    for (int32_t i = 0; i < n; i++) {
        const char *p = ports[i].macro;
        oribi_writer_line(w, "static TVMGEN_%s_%s_TYPE %s_%s[TVMGEN_%s_%s_COUNT];", c->macro, p,
                          prefix, ports[i].name, c->macro, p);
    }
}

static void pointers(const oribi_program *c, oribi_writer *w, const oribi_port *ports, int32_t n,
                     const char *what, const char *prefix)
{
    oribi_writer_open(w, "const struct tvmgen_%s_%s %s = {", c->name, what, what);
    for (int32_t i = 0; i < n; i++) {
        oribi_writer_line(w, "%s_%s,", prefix, ports[i].name);
    }
    oribi_writer_close(w, "};");
}

static void loop(const oribi_program *c, oribi_writer *w)
{
    oribi_writer_line(w, "void loop()");
    oribi_writer_open(w, "{");
    pointers(c, w, c->inputs, c->n_inputs, "inputs", "in");
    pointers(c, w, c->outputs, c->n_outputs, "outputs", "out");
    oribi_writer_line(w, "const struct tvmgen_%s_workspace_pools pools = {workspace};", c->name);
    oribi_writer_line(w, "const unsigned long begin = micros();");
    oribi_writer_line(w, "const int32_t result = tvmgen_%s_run(&inputs, &outputs, &pools);",
                      c->name);
    oribi_writer_line(w, "const unsigned long end = micros();");
    oribi_writer_line(w, "Serial.print(\"result \");");
    oribi_writer_line(w, "Serial.print((long)result);");
    oribi_writer_line(w, "Serial.print(\", microseconds \");");
    oribi_writer_line(w, "Serial.println(end - begin);");
    for (int32_t i = 0; i < c->n_outputs; i++) {
        oribi_writer_open(w, "for (long i = 0; i < TVMGEN_%s_%s_COUNT && i < 16; i++) {", c->macro,
                          c->outputs[i].macro);
        oribi_writer_line(w, "Serial.println((double)out_%s[i]);", c->outputs[i].name);
        oribi_writer_close(w, "}");
    }
    oribi_writer_line(w, "delay(1000);");
    oribi_writer_close(w, "}");
}

/* Of one model: where it puts its input, the application does. */
static bool emit_sketch(const oribi_compile *all, oribi_files *files, const char *path,
                        TF_Status *status)
{
    const oribi_program *c = all->programs[0];
    oribi_writer w = {0};
    if (all->n_programs != 1 || !is_plain(c)) {
        return true;
    }
    oribi_writer_line(&w, "/* SPDX-License-Identifier: 0BSD */");
    oribi_writer_line(&w,
                      "/* Runs tvmgen_%s once a second and says how long it takes. Made by "
                      "oribi %s. */",
                      c->name, oribi_version());
    oribi_writer_line(&w, "#include <Arduino.h>");
    oribi_writer_line(&w, "#include <tvmgen_%s.h>", c->name);
    oribi_writer_blank(&w);
    arrays(c, &w, c->inputs, c->n_inputs, "in");
    arrays(c, &w, c->outputs, c->n_outputs, "out");
    oribi_writer_line(&w,
                      "alignas(TVMGEN_%s_WORKSPACE_ALIGNMENT) static uint8_t "
                      "workspace[TVMGEN_%s_WORKSPACE_SIZE + 1];",
                      c->macro, c->macro);
    oribi_writer_blank(&w);
    oribi_writer_line(&w, "void setup()");
    oribi_writer_open(&w, "{");
    oribi_writer_line(&w, "Serial.begin(115200);");
    oribi_writer_close(&w, "}");
    oribi_writer_blank(&w);
    loop(c, &w);
    return oribi_files_add(files, &w.text, status, "%s", path);
}

/* --- What describes a library ----------------------------------------------------------------- */

bool oribi_emit_arduino(const oribi_compile *all, oribi_files *files, TF_Status *status)
{
    oribi_writer w = {0};
    const char *name = all->programs[0]->name;
    ORIBI_TRY(from_sources(all, "arduino", status));
    oribi_writer_line(&w, "name=tvmgen_%s", name);
    oribi_writer_line(&w, "version=%s", oribi_version());
    oribi_writer_line(&w, "author=oribi");
    oribi_writer_line(&w, "maintainer=oribi");
    oribi_writer_line(&w, "sentence=Compiled model %s.", name);
    oribi_writer_line(&w, "paragraph=Made by oribi %s; licence %s.", oribi_version(),
                      ORIBI_EMIT_LICENCE);
    oribi_writer_line(&w, "category=Data Processing");
    oribi_writer_line(&w, "url=https://spdx.org/licenses/" ORIBI_EMIT_LICENCE ".html"); /* due */
    oribi_writer_line(&w, "architectures=*");
    oribi_writer_line(&w, "includes=tvmgen_%s.h", name);
    return oribi_files_add(files, &w.text, status, "library.properties") &&
           emit_sketch(all, files, "examples/run/run.ino", status);
}

/* One flag after the other, as the list of CMake has them. */
static void put_flags(oribi_json *json, const char *flags)
{
    oribi_json_key(json, "flags");
    oribi_json_open(json, '[');
    for (const char *at = flags; *at != '\0';) {
        const size_t length = strcspn(at, ";");
        oribi_json_string_n(json, at, length);
        at += length + (at[length] == ';');
    }
    oribi_json_close(json, ']');
}

bool oribi_emit_platformio(const oribi_compile *all, oribi_files *files, TF_Status *status)
{
    oribi_text text = {0}, name = {0}, header = {0}, what = {0};
    oribi_json json = {.text = &text};
    ORIBI_TRY(from_sources(all, "platformio", status));
    oribi_text_printf(&name, "tvmgen_%s", all->programs[0]->name);
    oribi_text_printf(&header, "tvmgen_%s.h", all->programs[0]->name);
    oribi_text_printf(&what, "Compiled model %s", all->programs[0]->name);
    oribi_json_open(&json, '{');
    oribi_json_put_string(&json, "name", oribi_text_string(&name));
    oribi_json_put_string(&json, "version", oribi_version());
    oribi_json_put_string(&json, "description", oribi_text_string(&what));
    oribi_json_put_string(&json, "license", ORIBI_EMIT_LICENCE);
    oribi_json_put_string(&json, "headers", oribi_text_string(&header));
    oribi_json_put_string(&json, "frameworks", "*");
    oribi_json_put_string(&json, "platforms", "*");
    oribi_json_key(&json, "build");
    oribi_json_open(&json, '{');
    oribi_json_put_string(&json, "srcDir", "src");
    oribi_json_put_string(&json, "includeDir", "include");
    put_flags(&json, oribi_emit_flags(all));
    oribi_json_close(&json, '}');
    oribi_json_close(&json, '}');
    oribi_text_append(&text, "\n");
    text.failed = text.failed || name.failed || header.failed || what.failed;
    oribi_text_destroy(&name);
    oribi_text_destroy(&header);
    oribi_text_destroy(&what);
    return oribi_files_add(files, &text, status, "library.json") &&
           emit_sketch(all, files, "examples/run/run.ino", status);
}
