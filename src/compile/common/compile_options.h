/* SPDX-License-Identifier: Apache-2.0 */
/* What a compilation was asked for. One table (compile_options.c) has every option: key, values,
 * help; the library's setter, the command and its help are made of it.
 */
#ifndef ORIBI_COMPILE_OPTIONS_H_
#define ORIBI_COMPILE_OPTIONS_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"
#include "micro/dims.h"
#include "tensorflow/c/tf_status.h"

/* Values of an option, in the order of its row. */
enum oribi_option_io { ORIBI_IO_CALLER, ORIBI_IO_POOL };
enum oribi_option_optimize { ORIBI_OPTIMIZE_BALANCED, ORIBI_OPTIMIZE_SIZE, ORIBI_OPTIMIZE_SPEED };
enum oribi_option_weights {
    ORIBI_WEIGHTS_C,
    ORIBI_WEIGHTS_BIN,
    ORIBI_WEIGHTS_INCBIN,
    ORIBI_WEIGHTS_OBJ
};
enum oribi_option_machine {
    ORIBI_MACHINE_ARM,
    ORIBI_MACHINE_AARCH64,
    ORIBI_MACHINE_RISCV32,
    ORIBI_MACHINE_RISCV64,
    ORIBI_MACHINE_X86_64,
    ORIBI_MACHINE_I386,
    ORIBI_MACHINE_XTENSA
};
enum oribi_option_layout {
    ORIBI_LAYOUT_CMAKE,
    ORIBI_LAYOUT_PLAIN,
    ORIBI_LAYOUT_ZEPHYR,
    ORIBI_LAYOUT_ESP_IDF,
    ORIBI_LAYOUT_ARDUINO,
    ORIBI_LAYOUT_PLATFORMIO,
    ORIBI_LAYOUT_CMSIS_PACK,
    ORIBI_LAYOUT_MLF
};
enum oribi_option_core { /* ORIBI_CORE_dsp and the others of the list */
#define CORE_ISA(name, macros) ORIBI_CORE_##name,
#include "micro/isa_list.inc"
                         ORIBI_CORES
};
enum oribi_option_rings { ORIBI_RINGS_AUTO, ORIBI_RINGS_ON, ORIBI_RINGS_LEAST, ORIBI_RINGS_OFF };
enum oribi_option_workspace { ORIBI_WORKSPACE_ARGUMENT, ORIBI_WORKSPACE_STATIC };

/* Values of an option that may be given several times, in their order. */
typedef struct oribi_option_list {
    const char **items;
    int32_t n, capacity;
} oribi_option_list;

typedef struct oribi_compile_options {
    uint64_t max_ram, max_flash; /* bytes; 0: no limit */
    uint64_t time_limit_ms;      /* 0: none */
    int32_t io, tflite_variant, optimize, weights, machine, layout, workspace, core, rings;
    bool no_fuse, fma, self_test, reads_files, table;
    oribi_option_list names;            /* by model */
    oribi_option_list shapes;           /* "INPUT=1x3x224x224" */
    oribi_option_list places;           /* "node:section" */
    oribi_option_list renames;          /* "A=B" */
    oribi_option_list states;           /* "INPUT=OUTPUT" */
    int32_t device_schedule;            /* oribi_schedule_mode */
    oribi_option_list target_devices;   /* "npu", "npu1=npu" */
    oribi_option_list assignments;      /* "node=npu1" */
    oribi_option_list devices;          /* "host=KIND" */
    oribi_option_list device_platforms; /* "npu=zephyr" */
    uint64_t cpu_mhz;                   /* for estimates; 0: 100 */
    oribi_option_list pools;            /* "name=sram,size=64K,..." */
} oribi_compile_options;

struct oribi_patience;
/* The time that the option allows, from now on; without the option that of the work around. */

void oribi_compile_patience(const oribi_compile_options *options, const char *what,
                            struct oribi_patience *out);
/* Appends " --io pool --weights bin": what differs from the defaults, in the order of the table.
 * A budget of flash is left out: it does not change what comes out. */
void oribi_compile_options_print(const oribi_compile_options *options, oribi_text *text);
/* Sets one; a list's values live in the arena. INVALID_ARGUMENT: no such option or value. */
bool oribi_compile_options_set(oribi_compile_options *options, oribi_arena *arena, const char *key,
                               const char *value, TF_Status *status);
/* Sizes of "INPUT=1x3x224x224", behind the last '='; false: it is no shape. */
bool oribi_option_shape(const char *value, oribi_dims *out);
/* What oribi_options_set_kernels takes for a session that computes what comes out. */
const char *oribi_compile_kernels(const oribi_compile_options *options);
/* Bytes of "64k"; false: none. */
bool oribi_option_size(const char *value, uint64_t *out_bytes);
/* The value of the `nth` `key` in "name=sram,size=64k"; NULL: no memory or no such key. */
char *oribi_option_part(oribi_arena *arena, const char *text, const char *key, int32_t nth);
/* Part of item after the separator, "B" of "A=B", with the length of the part before. */
const char *oribi_option_split(const char *item, char separator, int32_t *out_length);

#endif
