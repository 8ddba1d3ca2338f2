/* SPDX-License-Identifier: Apache-2.0 */
/* Devices of `oribi verify`: which driver is whose, what is written and built for them. Read next:
 * driver_manifest.h, verify_far_ends.c; the other side is platform/harness/devices.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oribi/verify_wire.h"
#include "tvm/runtime/device.h"
#include "verify.h"

/* Windows lie one after the other in memory that is shared, each at such a multiple. */
enum { WINDOW_ALIGNMENT = 65536, ALL_WINDOWS = 8 << 20 };

static bool is_hosted(const verify *v)
{
    return v->target->emulator == NULL;
}

/* --- Which ------------------------------------------------------------------------------------ */

/* Options that the harness has no answer to, with devices. */
static int check_options(const verify *v)
{
    const char *schedule = cli_value(v->args, "--device-schedule");
    if (cli_has(v->args, "--device")) {
        cli_error("verify: --device does not go with --target-device");
        return CLI_UNSUPPORTED;
    }
    if (cli_has(v->args, "--per-node") && schedule != NULL && strcmp(schedule, "hold") == 0) {
        cli_error("verify: --per-node does not go with --device-schedule hold: a device that is "
                  "held open is done later than with its operator");
        return CLI_UNSUPPORTED;
    }
    return CLI_OK;
}

/* A line and a window lead to a far end, which is there beside some emulators, and beside no board
 * of somebody's. */
static int check_place(const verify *v, const verify_device *device)
{
    const bool has_place = device->platform->has_line || device->platform->window_bytes > 0;
    const char *image = cli_has(v->args, "--image")  ? "--image"
                        : cli_has(v->args, "--port") ? "--port"
                                                     : NULL;
    if (has_place && v->target->device_place == NULL) {
        char targets[128];
        verify_targets_with_lines(targets, sizeof targets);
        cli_error("verify: '%s' has a line or a window, which are there on %s, not on %s",
                  device->kind->name, targets, v->target->name);
        return CLI_UNSUPPORTED;
    }
    if (has_place && image != NULL) {
        cli_error("verify: '%s' has a line or a window: %s does not go with it", device->kind->name,
                  image);
        return CLI_UNSUPPORTED;
    }
    return CLI_OK;
}

static int add_device(verify *v, const char *spec)
{
    const char *equals = strchr(spec, '='), *wanted = v->target->driver_platform;
    verify_device *device = &v->devices[v->n_devices];
    if (v->n_devices == VERIFY_MAX_DEVICES) {
        cli_error("verify: a model may have at most %d devices", VERIFY_MAX_DEVICES);
        return CLI_UNSUPPORTED;
    }
    device->kind = driver_find(&v->drivers, "verify", equals != NULL ? equals + 1 : spec);
    if (device->kind == NULL) {
        return v->drivers.n == 0 ? CLI_USAGE : CLI_BAD_INPUT;
    }
    device->platform = driver_platform_find(device->kind, wanted);
    if (device->platform == NULL) {
        cli_error("verify: %s/driver.json: kinds.%s.platforms has no '%s', by which devices run on "
                  "%s",
                  device->kind->folder, device->kind->name, wanted, v->target->name);
        return CLI_UNSUPPORTED;
    }
    v->n_devices++;
    return check_place(v, device);
}

static int place_windows(verify *v)
{
    uint32_t at = 0;
    for (int i = 0; i < v->n_devices; i++) {
        const uint32_t bytes = v->devices[i].platform->window_bytes;
        v->devices[i].window_at = at;
        at += (bytes + WINDOW_ALIGNMENT - 1) / WINDOW_ALIGNMENT * WINDOW_ALIGNMENT;
    }
    if (at > ALL_WINDOWS) {
        cli_error(
            "verify: the windows of all devices take %u bytes, but there are only %d for them",
            (unsigned)at, (int)ALL_WINDOWS);
        return CLI_UNSUPPORTED;
    }
    return CLI_OK;
}

int verify_devices_read(verify *v)
{
    const char *spec;
    if (!driver_set_read(v->args, &v->drivers)) {
        return CLI_BAD_INPUT;
    }
    int code = cli_has(v->args, "--target-device") ? check_options(v) : CLI_OK;
    for (int i = 0; code == CLI_OK && (spec = cli_value_at(v->args, "--target-device", i)) != NULL;
         i++) {
        code = add_device(v, spec);
    }
    return code == CLI_OK ? place_windows(v) : code;
}

/* A kind's name as C has it: "ethos-u" is ethos_u, or ETHOS_U. */
static void c_name(const driver_kind *kind, bool is_upper, char *out, size_t size)
{
    snprintf(out, size, "%s", kind->name);
    for (char *at = out; *at != 0; at++) {
        const bool lower = *at >= 'a' && *at <= 'z', upper = *at >= 'A' && *at <= 'Z';
        *at = *at == '-'           ? '_'
              : is_upper && lower  ? (char)(*at - 'a' + 'A')
              : !is_upper && upper ? (char)(*at - 'A' + 'a')
                                   : *at;
    }
}

int verify_devices_check(const verify *v)
{
    char header[128], type[96], name[64];
    size_t bytes;
    snprintf(header, sizeof header, "tvmgen_%.100s.h", v->name);
    const char *text = cli_compile_file(v->compile, header, &bytes);
    for (int i = 0; i < v->n_devices; i++) {
        c_name(v->devices[i].kind, false, name, sizeof name);
        snprintf(type, sizeof type, "tvm_device_%s_t *", name);
        if (text != NULL && strstr(text, type) == NULL) {
            cli_error("verify: the target '%s' has no hooks (device_api is 0), so there is no "
                      "driver to run",
                      v->devices[i].kind->name);
            return CLI_UNSUPPORTED;
        }
    }
    return CLI_OK;
}

/* The first device of the kind? What a kind needs once is made for that. */
static bool is_first(const verify *v, int index)
{
    for (int i = 0; i < index; i++) {
        if (v->devices[i].kind == v->devices[index].kind) {
            return false;
        }
    }
    return true;
}

/* --- What is written -------------------------------------------------------------------------- */

/* What the model was planned to need of the device's own memory: the compiler's report. */
static uint32_t planned_bytes(const verify *v, int index)
{
    const oribi_json_value *device = cli_json_first(v->report, "devices");
    for (int i = 0; i < index && device != NULL; i++) {
        device = device->next;
    }
    return (uint32_t)cli_json_number(device, "memory_used_bytes");
}

static void put_device(const verify *v, FILE *file, int i)
{
    const verify_device *d = &v->devices[i];
    char name[64];
    c_name(d->kind, false, name, sizeof name);
    if (is_first(v, i)) {
        fprintf(file,
                "int32_t %s(tvm_device_%s_t *dev, const struct tvm_verify_place *place);\n"
                "int32_t %s(tvm_device_%s_t *dev);\n",
                d->kind->verify.start, name, d->kind->verify.stop, name);
    }
    fprintf(file, "static tvm_device_%s_t device_%d;\n", name, i);
    const bool has_array = d->platform->window_bytes > 0 && !is_hosted(v);
    if (has_array) {
        fprintf(file, "ORIBI_HARNESS_WINDOW(window_%d, %d, %uu);\n", i, i,
                (unsigned)d->platform->window_bytes);
    }
    fprintf(file, "static struct tvm_verify_place place_%d = {\n    .memory_bytes = %uu,\n", i,
            (unsigned)planned_bytes(v, i));
    if (has_array) {
        fprintf(file, "    .window = window_%d,\n", i);
    }
    fprintf(file,
            "    .window_bytes = %uu,\n};\n"
            "static int32_t start_%d(void)\n{\n    return %s(&device_%d, &place_%d);\n}\n"
            "static int32_t stop_%d(void)\n{\n    return %s(&device_%d);\n}\n",
            (unsigned)d->platform->window_bytes, i, d->kind->verify.start, i, i, i,
            d->kind->verify.stop, i);
}

void verify_put_devices(const verify *v, FILE *file)
{
    if (v->n_devices == 0) {
        return;
    }
    fprintf(file, "#include \"harness/devices.h\"\n");
    for (int i = 0; i < v->n_devices; i++) {
        put_device(v, file, i);
    }
    fprintf(file,
            "static struct tvm_device_error device_error;\n"
            "static const struct tvmgen_%s_devices devices = {",
            v->name);
    for (int i = 0; i < v->n_devices; i++) {
        fprintf(file, "&device_%d, ", i);
    }
    fprintf(file, "&device_error};\nstatic const struct oribi_harness_device device_table[] = {\n");
    for (int i = 0; i < v->n_devices; i++) {
        fprintf(file, "    {&place_%d, start_%d, stop_%d, %d, %uu},\n", i, i, i,
                v->devices[i].platform->has_line, (unsigned)v->devices[i].window_at);
    }
    fprintf(file, "};\n");
}

void verify_put_device_table(const verify *v, FILE *file)
{
    if (v->n_devices > 0) {
        fprintf(file,
                "    .start_devices = oribi_devices_start,\n"
                "    .stop_devices = oribi_devices_stop,\n"
                "    .explain_device = oribi_devices_explain,\n"
                "    .devices = device_table,\n    .n_devices = %d,\n"
                "    .device_error = &device_error,\n",
                v->n_devices);
    }
}

/* --- What is built ---------------------------------------------------------------------------- */

void driver_words(verify_words *words, const driver_list *list)
{
    for (int i = 0; i < list->n; i++) {
        verify_words_add(words, list->at[i]);
    }
}

void driver_words_path(verify_words *words, const char *before, const driver_kind *kind,
                       const char *path)
{
    const size_t size = strlen(before) + strlen(kind->folder) + strlen(path) + 2;
    char *word = cli_alloc(size);
    snprintf(word, size, "%s%s/%s", before, kind->folder, path);
    verify_words_add(words, word);
    free(word);
}

void driver_words_include(verify_words *words, const driver_kind *kind)
{
    for (int i = 0; i < kind->include.n; i++) {
        driver_words_path(words, "-I", kind, kind->include.at[i]);
    }
}

/* The emitted C and the glue see the driver's headers, so all is compiled by its flags. */
void verify_device_flags(const verify *v, verify_words *words)
{
    char text[256], upper[64], lower[64];
    if (v->n_devices > 0) {
        verify_words_add(words, is_hosted(v) ? "-pthread" : "-fno-common");
    }
    for (int i = 0; i < v->n_devices; i++) {
        const driver_kind *kind = v->devices[i].kind;
        if (!is_first(v, i)) {
            continue;
        }
        c_name(kind, true, upper, sizeof upper);
        c_name(kind, false, lower, sizeof lower);
        snprintf(text, sizeof text, "-DTVM_DEVICE_%s_HEADER=\"tvm/device/%s/%s.h\"", upper, lower,
                 v->target->driver_platform);
        verify_words_add(words, text);
        driver_words_include(words, kind);
        driver_words(words, &v->devices[i].platform->flags);
    }
}

/* "ethos-u" is EthosU: as the compiler writes it. */
static void camel_name(const driver_kind *kind, char *out, size_t size)
{
    bool is_start = true;
    size_t n = 0;
    for (const char *at = kind->name; *at != 0 && n + 1 < size; at++) {
        const bool is_between = *at == '-' || *at == '_';
        const bool is_raised = is_start && *at >= 'a' && *at <= 'z';
        const bool is_lowered = !is_start && *at >= 'A' && *at <= 'Z';
        if (!is_between) {
            out[n++] = is_raised    ? (char)(*at - 'a' + 'A')
                       : is_lowered ? (char)(*at - 'A' + 'a')
                                    : *at;
        }
        is_start = is_between;
    }
    out[n] = 0;
}

/* platform/harness/failing.c stands between the model and these. */
static void wrap_hooks(const driver_kind *kind, verify_words *link)
{
    static const char *const hooks[] = {
        "Activate", "Deactivate",    "Open",    "Close",      "Invoke",         "Start",
        "Wait",     "Cancel",        "Load",    "CopyTo",     "CopyPeer",       "CopyToStart",
        "CopyFrom", "CopyFromStart", "Address", "CacheClean", "CacheInvalidate"};
    char camel[64], word[128];
    camel_name(kind, camel, sizeof camel);
    for (size_t i = 0; i < sizeof hooks / sizeof hooks[0]; i++) {
        snprintf(word, sizeof word, "-Wl,--wrap=TVMDevice%s%s", camel, hooks[i]);
        verify_words_add(link, word);
    }
}

static int compile_failing(const verify *v, const driver_kind *kind,
                           verify_compile_function *compile, verify_words *link)
{
    char camel[64], name[96], text[128];
    camel_name(kind, camel, sizeof camel);
    snprintf(name, sizeof name, "failing%s.c", camel);
    snprintf(text, sizeof text, "#define ORIBI_FAILING %s\n#include \"harness/failing.c\"\n",
             camel);
    char *path = verify_path(v, name);
    const int code = cli_write_file(path, text, strlen(text), true);
    free(path);
    return code == CLI_OK ? compile(v, name, name, link) : code;
}

static int compile_list(const verify *v, const driver_kind *kind, const driver_list *sources,
                        verify_compile_function *compile, verify_words *link)
{
    int code = CLI_OK;
    for (int i = 0; i < sources->n && code == CLI_OK; i++) {
        char *source = cli_path_in(kind->folder, sources->at[i]), name[256];
        snprintf(name, sizeof name, "driver/%.60s/%.180s", kind->name, sources->at[i]);
        code = compile(v, source, name, link);
        free(source);
    }
    return code;
}

int verify_device_sources(const verify *v, verify_compile_function *compile, verify_words *link)
{
    int code = CLI_OK;
    for (int i = 0; i < v->n_devices && code == CLI_OK; i++) {
        const verify_device *d = &v->devices[i];
        const driver_list *lists[] = {&d->kind->sources, &d->platform->sources,
                                      &d->kind->verify.sources};
        for (size_t k = 0; is_first(v, i) && k < 3 && code == CLI_OK; k++) {
            code = compile_list(v, d->kind, lists[k], compile, link);
        }
        if (code == CLI_OK && is_first(v, i) && cli_has(v->args, "--failing-hooks")) {
            code = compile_failing(v, d->kind, compile, link);
        }
    }
    return code;
}

void verify_device_link(const verify *v, verify_words *words)
{
    verify_words_split(words, v->n_devices > 0 && is_hosted(v) ? "-pthread" : "");
    for (int i = 0; i < v->n_devices; i++) {
        if (is_first(v, i)) {
            driver_words(words, &v->devices[i].platform->link);
        }
        if (is_first(v, i) && cli_has(v->args, "--failing-hooks")) {
            wrap_hooks(v->devices[i].kind, words);
        }
    }
}

/* --- What is said ----------------------------------------------------------------------------- */

static const char *code_name(int32_t code)
{
    static const char *const names[] = {"NULL",        "TIMEOUT", "IO",    "CANCELLED",
                                        "UNSUPPORTED", "RANGE",   "STATE", "BUSY"};
    const int32_t index = TVM_DEVICE_E_NULL - code;
    return index >= 0 && index < (int32_t)(sizeof names / sizeof names[0]) ? names[index] : NULL;
}

/* NULL: nothing that the operator computes has a name. */
static const char *node_of(const verify *v, uint32_t step)
{
    for (int32_t i = 0; i < v->n_values; i++) {
        if (v->values[i].step == (int32_t)step) {
            return v->values[i].node;
        }
    }
    return NULL;
}

void verify_explain_device(const verify *v, const char *when, const uint8_t *payload)
{
    const uint32_t hook = verify_word(payload), device = verify_word(payload + 4);
    const int32_t code = (int32_t)verify_word(payload + 8);
    const uint32_t operator_index = verify_word(payload + 12), more = verify_word(payload + 16);
    const verify_device *d = device < (uint32_t)v->n_devices ? &v->devices[device] : NULL;
    char where[256] = "", cleared[64] = "";
    const char *what = d == NULL                  ? "the run"
                       : hook == ORIBI_WIRE_START ? d->kind->verify.start
                       : hook == ORIBI_WIRE_STOP  ? d->kind->verify.stop
                                                  : tvm_device_hook_name((int32_t)hook);
    const char *name = code_name(code);
    if (operator_index != ORIBI_WIRE_UNKNOWN) {
        const char *node = node_of(v, operator_index);
        snprintf(where, sizeof where, " at operator %u%s%.160s%s", (unsigned)operator_index,
                 node != NULL ? " (" : "", node != NULL ? node : "", node != NULL ? ")" : "");
    }
    if (more > 0) {
        snprintf(cleared, sizeof cleared, "; clearing up, %u hooks failed", (unsigned)more);
    }
    cli_error("verify: %s: device %u (%s): %s returned %d%s%s%s%s", when, (unsigned)device,
              d != NULL ? d->kind->name : "none", what, (int)code,
              name != NULL ? ", TVM_DEVICE_E_" : "", name != NULL ? name : "", where, cleared);
}
