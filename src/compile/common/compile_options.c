/* SPDX-License-Identifier: Apache-2.0 */
/* The table of options, and the setter over it. A new option is a row here and a member of
 * oribi_compile_options; the command needs no change.
 */
#include "compile/common/compile_options.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "compile/common/c_names.h"
#include "oribi/oribi.h"
#include "tensor/patience.h"
#include "tensor/status.h"

enum kind { CHOICE, FLAG, SIZE, NUMBER, LIST };

typedef struct row {
    const char *key;
    const char *values; /* for people; of a choice "a|b", the default first; NULL: a flag */
    int32_t kind;
    size_t offset; /* in oribi_compile_options */
    bool (*check)(const char *value, const char **out_wanted);
    bool is_silent; /* does not change what comes out */
    const char *help;
} row;

static bool is_name(const char *value, const char **out_wanted)
{
    oribi_arena arena = {0};
    const char *identifier = oribi_compile_identifier(&arena, value);
    const bool good = identifier != NULL && strcmp(identifier, value) == 0;
    oribi_arena_destroy(&arena);
    *out_wanted = "letters, digits and '_', no word of C";
    return good;
}

static bool is_section_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != 0 && strchr("._$-", c) != NULL);
}

static bool is_place(const char *value, const char **out_wanted)
{
    const char *colon = strrchr(value, ':');
    *out_wanted = "NODE:SECTION, a section of letters, digits, '.', '_', '$' and '-'";
    if (colon == NULL || colon == value || colon[1] == 0) {
        return false;
    }
    for (const char *at = colon + 1; *at != 0; at++) {
        if (!is_section_char(*at)) {
            return false;
        }
    }
    return true;
}

static bool is_rename(const char *value, const char **out_wanted)
{
    const char *equals = strrchr(value, '='), *ignored;
    const bool good = equals != NULL && equals != value && is_name(equals + 1, &ignored) &&
                      !oribi_compile_is_word(equals + 1);
    *out_wanted =
        "NAME=NEW or KIND:NAME=NEW (input, output, variable, pool, device), the new one of "
        "letters, digits and '_', no word of C and nothing of its headers";
    return good;
}

static bool is_pair(const char *value, const char **out_wanted)
{
    const char *equals = strrchr(value, '=');
    *out_wanted = "INPUT=OUTPUT, names of the model";
    return equals != NULL && equals != value && equals[1] != 0;
}

bool oribi_option_shape(const char *value, oribi_dims *out)
{
    const char *at = strrchr(value, '=');
    out->n = 0;
    if (at == NULL || at == value) {
        return false;
    }
    do {
        const char *digits = at + 1;
        uint64_t size = 0;
        for (at = digits; *at >= '0' && *at <= '9' && size <= INT32_MAX; at++) {
            size = size * 10 + (uint64_t)(*at - '0');
        }
        if (at == digits || size > INT32_MAX || !oribi_dims_add(out, (int64_t)size)) {
            return false;
        }
    } while (*at == 'x');
    return *at == 0;
}

static bool is_shape(const char *value, const char **out_wanted)
{
    oribi_dims ignored;
    *out_wanted = "INPUT=1x3x224x224, an input of the model and at most 16 sizes below 2^31";
    return oribi_option_shape(value, &ignored);
}

static bool is_host_device(const char *value, const char **out_wanted)
{
    const char *ignored;
    *out_wanted = "host=KIND, the kind of letters, digits and '_'";
    return strncmp(value, "host=", 5) == 0 && is_name(value + 5, &ignored);
}

static bool is_platform(const char *value, const char **out_wanted)
{
    const char *equals = strrchr(value, '='), *ignored;
    *out_wanted = "KIND=PLATFORM, the platform of letters, digits and '_'";
    return equals != NULL && equals != value && is_name(equals + 1, &ignored);
}

static bool is_pool(const char *text, const char **out_wanted)
{
    oribi_arena arena = {0};
    int32_t n_good = 0, n_parts = 0, n_devices = 0;
    *out_wanted = "name=NAME[,size=BYTES][,device=NAME...][,cpu=no], a name of letters, digits and "
                  "'_', no word of C and nothing of its headers, nor '" ORIBI_OWN_POOL "'";
    for (const char *at = text; at[0] != 0;
         at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
        n_parts++;
    }
    const char *name = oribi_option_part(&arena, text, "name", 0),
               *size = oribi_option_part(&arena, text, "size", 0);
    const char *cpu = oribi_option_part(&arena, text, "cpu", 0);
    uint64_t bytes;
    if (name != NULL) {
        const char *identifier = oribi_compile_identifier(&arena, name);
        n_good += identifier != NULL && strcmp(identifier, name) == 0 &&
                  !oribi_compile_is_word(name) && strcmp(name, ORIBI_OWN_POOL) != 0;
    }
    n_good += size != NULL && oribi_option_size(size, &bytes);
    n_good += cpu != NULL && strcmp(cpu, "no") == 0;
    while (oribi_option_part(&arena, text, "device", n_devices) != NULL) {
        n_devices++;
    }
    n_good += n_devices;
    const bool is_good = name != NULL && n_good == n_parts;
    oribi_arena_destroy(&arena);
    return is_good;
}

const char *oribi_compile_kernels(const oribi_compile_options *options)
{
    return options->fma ? "micro-fma" : "micro";
}

static const char cores[] = ""
#define CORE_ISA(name, macros) "|" #name
#include "micro/isa_list.inc"
    ;

#define AT(member) offsetof(oribi_compile_options, member)
static const row rows[] = {
    {"name", "NAME", LIST, AT(names), is_name, true,
     "name in symbols and files, tvmgen_NAME (default: the file's name); once for each model"},
    {"shape", "NAME=1x3x224x224", LIST, AT(shapes), is_shape, false,
     "fixes the unknown dimensions of an input; an open first one that is not given is 1"},
    {"io", "caller|pool", CHOICE, AT(io), NULL, false,
     "inputs and outputs lie in memory of the caller, or in the workspace"},
    {"weights", "c|bin|incbin|obj", CHOICE, AT(weights), NULL, false,
     "weights as C, as a file passed at run time, taken in by the assembler, or an ELF object"},
    {"weights-machine", "arm|aarch64|riscv32|riscv64|x86-64|i386|xtensa", CHOICE, AT(machine), NULL,
     false, "machine of the object of --weights obj"},
    {"place", "NODE:SECTION", LIST, AT(places), is_place, false,
     "the weights of a node go to a section of their own; may be given several times"},
    {"layout", "cmake|plain|zephyr|esp-idf|arduino|platformio|cmsis-pack|mlf", CHOICE, AT(layout),
     NULL, false, "folders and build files of what comes out"},
    {"workspace", "argument|static", CHOICE, AT(workspace), NULL, false,
     "static adds a file with the memory of one instance"},
    {"table", NULL, FLAG, AT(table), NULL, false,
     "adds the models as a const table: ports, sizes, functions, hash, CRC of the constants"},
    {"self-test", NULL, FLAG, AT(self_test), NULL, false,
     "adds a known run: a checksum for each operator names the first bad one at boot; without "
     "devices"},
    {"rename", "[KIND:]NAME=NEW", LIST, AT(renames), is_rename, false,
     "an input, output, variable, pool or device is called NEW in C; KIND tells which of several "
     "of "
     "one name; may be given several times"},
    {"state", "INPUT=OUTPUT", LIST, AT(states), is_pair, false,
     "an output is what the next run finds in an input, kept in a struct; several times"},
    {"tflite-variant", "tflm|tflite|litert", CHOICE, AT(tflite_variant), NULL, false,
     "whose rounding int8 and int16 operators of TFLite follow"},
    {"optimize", "balanced|size|speed", CHOICE, AT(optimize), NULL, false,
     "one kernel for all shapes, or instances for common ones (1.4k of code; speed: 8k); -Os, -O3"},
    {"core", &cores[1], CHOICE, AT(core), NULL, false,
     "kernels for cores with Arm's DSP extension, for others, for ARMv6-M, for MVE (Helium), or "
     "for "
     "RISC-V's vectors; all run everywhere"},
    {"fma", NULL, FLAG, AT(fma), NULL, false,
     "float layers add products by fused multiply-add, as `--kernels micro-fma` of a session does"},
    {"no-fuse", NULL, FLAG, AT(no_fuse), NULL, false, "every operator of the model runs by itself"},
    {"rings", "auto|on|least|off", CHOICE, AT(rings), NULL, false,
     "layers that follow each other are computed some rows at a time, in less memory: where "
     "--max-ram asks for it; wherever that takes at most 5 % more instructions; whatever it takes; "
     "never"},
    {"pool", "name=NAME[,size=BYTES][,device=NAME]", LIST, AT(pools), is_pool, false,
     "a pool of memory for the workspace; several are used in their order; k, m allowed; "
     "device=NAME: that device sees it, and no other that names none; cpu=no: devices alone do"},
    {"target-device", "[NAME=]KIND", LIST, AT(target_devices), NULL, false,
     "a device takes what its target supports; several instances are named npu1=KIND npu2=KIND, "
     "and used where that adds neither copies nor time"},
    {"assign", "NODE=NAME", LIST, AT(assignments), NULL, false,
     "the node runs on that device, or on 'cpu'; may be given several times"},
    {"device", "host=KIND", LIST, AT(devices), is_host_device, false,
     "adds the member 'host' to the devices, which takes no operators"},
    {"device-platform", "KIND=PLATFORM", LIST, AT(device_platforms), is_platform, false,
     "which header of a device the application gets by default: tvm/device/KIND/PLATFORM.h"},
    {"device-schedule", "design|lazy|eager|hold", CHOICE, AT(device_schedule), NULL, false,
     "when devices are activated and opened: all at once, at first use, ahead of it, held open"},
    {"cpu-mhz", "N", NUMBER, AT(cpu_mhz), NULL, false,
     "clock of the CPU, for how early eager activates a device (default 100)"},
    {"read", NULL, FLAG, AT(reads_files), NULL, true,
     "read the files of the model into memory instead of mapping them"},
    {"time-limit", "MS", NUMBER, AT(time_limit_ms), NULL, true,
     "limit on opening and compiling the models, in milliseconds (exit 5)"},
    {"max-ram", "N", SIZE, AT(max_ram), NULL, false,
     "refuse a model that needs more bytes of RAM (exit 5); k, m allowed; see --rings"},
    {"max-flash", "N", SIZE, AT(max_flash), NULL, true,
     "refuse a model whose constants take more bytes (exit 5); k, m allowed"},
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

/* --- Public table ---------------------------------------------------------------------------- */

const char *oribi_compile_option_key(int index)
{
    return index >= 0 && index < N_ROWS ? rows[index].key : NULL;
}

const char *oribi_compile_option_values(int index)
{
    return index >= 0 && index < N_ROWS ? rows[index].values : NULL;
}

const char *oribi_compile_option_help(int index)
{
    return index >= 0 && index < N_ROWS ? rows[index].help : NULL;
}

/* --- Setting --------------------------------------------------------------------------------- */

static const row *find_row(const char *key, TF_Status *status)
{
    const char *keys[N_ROWS];
    for (int32_t i = 0; i < N_ROWS; i++) {
        if (strcmp(rows[i].key, key) == 0) {
            return &rows[i];
        }
        keys[i] = rows[i].key;
    }
    const char *near = oribi_text_did_you_mean(key, keys, N_ROWS);
    oribi_fail(status, TF_INVALID_ARGUMENT, "compile has no option '%s'%s%s%s", key,
               near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
               near != NULL ? "'?" : "");
    return NULL;
}

/* Which of "a|b|c" the value is; -1: none. */
static int32_t choice_of(const char *values, const char *value)
{
    const size_t length = strlen(value);
    for (int32_t i = 0;; i++) {
        const size_t n = strcspn(values, "|");
        if (n == length && memcmp(values, value, n) == 0) {
            return i;
        }
        if (values[n] == 0) {
            return -1;
        }
        values += n + 1;
    }
}

bool oribi_option_size(const char *value, uint64_t *out)
{
    uint64_t number = 0, unit = 1;
    const char *at = value;
    for (; *at >= '0' && *at <= '9' && number <= UINT32_MAX; at++) {
        number = number * 10 + (uint64_t)(*at - '0');
    }
    if (*at == 'k' || *at == 'K') {
        unit = 1024;
    } else if (*at == 'm' || *at == 'M') {
        unit = 1024 * 1024;
    } else if (*at == 'g' || *at == 'G') {
        unit = 1024 * 1024 * 1024;
    }
    *out = number * unit;
    return at != value && at[unit != 1 ? 1 : 0] == 0 && number > 0;
}

static bool append(oribi_arena *arena, oribi_option_list *list, const char *value,
                   TF_Status *status)
{
    if (list->n == list->capacity) {
        const int32_t capacity = list->capacity * 2 + 4;
        const char **grown = oribi_claim_array(arena, (size_t)capacity, sizeof *grown, status);
        ORIBI_TRY(grown != NULL);
        if (list->n > 0) {
            memcpy(grown, list->items, (size_t)list->n * sizeof *grown);
        }
        list->items = grown;
        list->capacity = capacity;
    }
    const char *copy = oribi_arena_strdup(arena, value);
    ORIBI_TRY(copy != NULL || oribi_fail_memory(status));
    list->items[list->n++] = copy;
    return true;
}

/* On failure `wanted` says what the value must be. */
static bool set(oribi_compile_options *options, oribi_arena *arena, const row *r, const char *value,
                const char **wanted, TF_Status *status)
{
    char *member = (char *)options + r->offset;
    *wanted = r->values;
    switch (r->kind) {
    case CHOICE:
        if (choice_of(r->values, value) < 0) {
            return false;
        }
        *(int32_t *)(void *)member = choice_of(r->values, value);
        return true;
    case FLAG:
        *wanted = "on or off";
        if (strcmp(value, "on") != 0 && strcmp(value, "off") != 0) {
            return false;
        }
        *(bool *)(void *)member = strcmp(value, "on") == 0;
        return true;
    case NUMBER:
        *wanted = "a whole number above 0";
        return value[strspn(value, "0123456789")] == 0 &&
               oribi_option_size(value, (uint64_t *)(void *)member);
    case SIZE:
        *wanted = "a number of bytes above 0, with k, m or g behind it or not";
        return oribi_option_size(value, (uint64_t *)(void *)member);
    default:
        if (r->check != NULL && !r->check(value, wanted)) {
            return false;
        }
        return append(arena, (oribi_option_list *)(void *)member, value, status);
    }
}

bool oribi_compile_options_set(oribi_compile_options *options, oribi_arena *arena, const char *key,
                               const char *value, TF_Status *status)
{
    const char *wanted = NULL;
    const row *r = find_row(key, status);
    if (r == NULL) {
        return false;
    }
    value = value == NULL && r->kind == FLAG ? "on" : value == NULL ? "" : value;
    if (set(options, arena, r, value, &wanted, status) || TF_GetCode(status) != TF_OK) {
        return oribi_ok(status);
    }
    return oribi_fail(status, TF_INVALID_ARGUMENT, "--%s must be %s, not '%s'", key, wanted, value);
}

/* --- Reading --------------------------------------------------------------------------------- */

static void print_choice(const row *r, int32_t choice, oribi_text *text)
{
    const char *at = r->values;
    for (; choice > 0; choice--) {
        at = strchr(at, '|') + 1;
    }
    oribi_text_printf(text, " --%s %.*s", r->key, (int)strcspn(at, "|"), at);
}

void oribi_compile_options_print(const oribi_compile_options *options, oribi_text *text)
{
    for (int32_t i = 0; i < N_ROWS; i++) {
        const row *r = &rows[i];
        const char *member = (const char *)options + r->offset;
        if (r->is_silent) {
            continue;
        }
        if (r->kind == CHOICE && *(const int32_t *)(const void *)member != 0) {
            print_choice(r, *(const int32_t *)(const void *)member, text);
        } else if (r->kind == FLAG && *(const bool *)(const void *)member) {
            oribi_text_printf(text, " --%s", r->key);
        } else if ((r->kind == NUMBER || r->kind == SIZE) &&
                   *(const uint64_t *)(const void *)member != 0) {
            oribi_text_printf(text, " --%s %" PRIu64, r->key,
                              *(const uint64_t *)(const void *)member);
        } else if (r->kind == LIST) {
            const oribi_option_list *list = (const oribi_option_list *)(const void *)member;
            for (int32_t k = 0; k < list->n; k++) {
                oribi_text_printf(text, " --%s ", r->key);
                oribi_compile_append_safe(text, list->items[k]);
            }
        }
    }
}

void oribi_compile_patience(const oribi_compile_options *options, const char *what,
                            oribi_patience *out)
{
    const oribi_patience *around = oribi_patience_now();
    *out = around != NULL ? *around : (oribi_patience){.what = what};
    if (options->time_limit_ms != 0) {
        *out = (oribi_patience){.deadline_ns =
                                    oribi_now_ns() + options->time_limit_ms * UINT64_C(1000000),
                                .what = what};
    }
}

char *oribi_option_part(oribi_arena *arena, const char *text, const char *key, int32_t nth)
{
    const size_t length = strlen(key);
    while (*text != 0) {
        const size_t n = strcspn(text, ",");
        if (n > length && memcmp(text, key, length) == 0 && text[length] == '=' && nth-- == 0) {
            return oribi_arena_strndup(arena, text + length + 1, n - length - 1);
        }
        text += n + (text[n] == ',');
    }
    return NULL;
}

const char *oribi_option_split(const char *item, char separator, int32_t *out_length)
{
    const char *at = strrchr(item, separator);
    *out_length = at != NULL ? (int32_t)(at - item) : (int32_t)strlen(item);
    return at != NULL ? at + 1 : "";
}
