/* SPDX-License-Identifier: Apache-2.0 */
/* QEMU plugin: counts what happens between two addresses, once: instructions (of each C function),
 * words moved, branches taken, divisions, multiplications that accumulate and those of 64 bits,
 * those of vectors, ends of loops that the core repeats by itself. bench/mcu.py makes cycles of
 * them. Not part of the library; Debian ships no qemu-plugin.h, so the functions that are called
 * are declared here (interface 1).
 *
 *     gcc -shared -fPIC -o mcu_plugin.so bench/mcu_plugin.c
 *     qemu-system-arm ... -plugin ./mcu_plugin.so,start=0x80,stop=0x120 -d plugin -D log
 *
 * `start` is the first instruction of a function, `stop` one that runs after it has returned.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- QEMU's side ----------------------------------------------------------------------------- */

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { PLUGIN_NO_REGISTERS = 0, PLUGIN_ADD_U64 = 0, PLUGIN_MEMORY_RW = 3 };

extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                                  void (*cb)(qemu_plugin_id_t,
                                                             struct qemu_plugin_tb *));
extern void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
                                                 void (*cb)(unsigned, void *), int flags,
                                                 void *data);
extern void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
                                                   void (*cb)(unsigned, void *), int flags,
                                                   void *data);
extern void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn, int op,
                                                       void *to, uint64_t value);
extern void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
                                             void (*cb)(unsigned, uint32_t, uint64_t, void *),
                                             int flags, int rw, void *data);
extern unsigned qemu_plugin_mem_size_shift(uint32_t info);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
extern uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
extern const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
extern size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
extern uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
extern const char *qemu_plugin_insn_symbol(const struct qemu_plugin_insn *insn);
extern void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id,
                                           void (*cb)(qemu_plugin_id_t, void *), void *data);
extern void qemu_plugin_outs(const char *text);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

/* --- Counters -------------------------------------------------------------------------------- */

enum { MAX_FUNCTIONS = 4096, MAX_BLOCKS = 1 << 20 };

typedef struct function {
    const char *name;
    uint64_t n, before, inside; /* instructions: till now, before `start`, till `stop` from there */
} function;

typedef struct block { /* of instructions that run one after the other */
    uint64_t start, end;
} block;

static function functions[MAX_FUNCTIONS];
static size_t n_functions;
static block *blocks;
static size_t n_blocks;
static uint64_t words, taken, divisions, expected;
static uint64_t divisions_before, divisions_inside;
static uint64_t sums, sums_before, sums_inside;          /* MLA and MLS */
static uint64_t longs, longs_before, longs_inside;       /* SMULL, SMLAL and their kin */
static uint64_t vectors, vectors_before, vectors_inside; /* MVE's, and the floating-point unit's */
static uint64_t loops, loops_before, loops_inside;       /* LE and LETP */
static uint64_t start_at, stop_at;
static enum { BEFORE, INSIDE, AFTER } state;

static function *function_of(const char *name)
{
    name = name != NULL ? name : "?";
    for (size_t i = 0; i < n_functions; i++) {
        if (strcmp(functions[i].name, name) == 0) {
            return &functions[i];
        }
    }
    if (n_functions == MAX_FUNCTIONS) {
        return &functions[MAX_FUNCTIONS - 1];
    }
    char *copy = malloc(strlen(name) + 1);
    if (copy == NULL) {
        abort();
    }
    functions[n_functions].name = strcpy(copy, name);
    return &functions[n_functions++];
}

static void on_start(unsigned cpu, void *data)
{
    (void)cpu;
    (void)data;
    if (state == BEFORE) {
        state = INSIDE;
        for (size_t i = 0; i < n_functions; i++) {
            functions[i].before = functions[i].n;
        }
        divisions_before = divisions;
        sums_before = sums;
        longs_before = longs;
        vectors_before = vectors;
        loops_before = loops;
    }
}

static void on_stop(unsigned cpu, void *data)
{
    (void)cpu;
    (void)data;
    if (state == INSIDE) {
        state = AFTER;
        for (size_t i = 0; i < n_functions; i++) {
            functions[i].inside = functions[i].n - functions[i].before;
        }
        divisions_inside = divisions - divisions_before;
        sums_inside = sums - sums_before;
        longs_inside = longs - longs_before;
        vectors_inside = vectors - vectors_before;
        loops_inside = loops - loops_before;
    }
}

static void on_memory(unsigned cpu, uint32_t info, uint64_t address, void *data)
{
    (void)cpu;
    (void)address;
    (void)data;
    if (state == INSIDE) {
        const unsigned shift = qemu_plugin_mem_size_shift(info);
        words += shift > 2 ? UINT64_C(1) << (shift - 2) : 1;
    }
}

/* A block that does not begin where the one before ended was branched to. */
static void on_block(unsigned cpu, void *data)
{
    const block *b = data;
    (void)cpu;
    if (state == INSIDE) {
        taken += b->start != expected ? 1 : 0;
    }
    expected = b->end;
}

/* The counter of an instruction of 32 bits that takes longer or shorter on some cores, or NULL
 * (Armv7-M Architecture Reference Manual, A5.3.16, A5.3.17; Armv8-M, C2.2). */
static uint64_t *slow_kind(const struct qemu_plugin_insn *insn)
{
    uint16_t halves[2];
    if (qemu_plugin_insn_size(insn) != 4) {
        return NULL;
    }
    memcpy(halves, qemu_plugin_insn_data(insn), sizeof halves);
    if ((halves[0] & 0xEC00u) == 0xEC00u) {
        return &vectors;
    }
    if ((halves[0] & 0xFFCFu) == 0xF00Fu && (halves[1] & 0xF001u) == 0xC001u) {
        return &loops;
    }
    if ((halves[0] & 0xFFF0u) == 0xFB00u && (halves[1] & 0xF000u) != 0xF000u) {
        return &sums; /* behind 15 as the register to add it is MUL */
    }
    if ((halves[0] & 0xFF80u) != 0xFB80u) {
        return NULL;
    }
    return (halves[1] & 0x00F0u) == 0x00F0u ? &divisions : &longs;
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    const size_t n = qemu_plugin_tb_n_insns(tb);
    (void)id;
    if (state == AFTER) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        const uint64_t address = qemu_plugin_insn_vaddr(insn);
        if (address == start_at) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, on_start, PLUGIN_NO_REGISTERS, NULL);
        } else if (address == stop_at) {
            qemu_plugin_register_vcpu_insn_exec_cb(insn, on_stop, PLUGIN_NO_REGISTERS, NULL);
        }
        qemu_plugin_register_vcpu_insn_exec_inline(
            insn, PLUGIN_ADD_U64, &function_of(qemu_plugin_insn_symbol(insn))->n, 1);
        if (slow_kind(insn) != NULL) {
            qemu_plugin_register_vcpu_insn_exec_inline(insn, PLUGIN_ADD_U64, slow_kind(insn), 1);
        }
        qemu_plugin_register_vcpu_mem_cb(insn, on_memory, PLUGIN_NO_REGISTERS, PLUGIN_MEMORY_RW,
                                         NULL);
    }
    if (n > 0 && n_blocks < MAX_BLOCKS) {
        struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, n - 1);
        blocks[n_blocks] = (block){qemu_plugin_tb_vaddr(tb),
                                   qemu_plugin_insn_vaddr(last) + qemu_plugin_insn_size(last)};
        qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, PLUGIN_NO_REGISTERS,
                                             &blocks[n_blocks++]);
    }
}

/* One line of JSON, after "mcu_plugin ". */
static void on_end(qemu_plugin_id_t id, void *data)
{
    char text[512];
    const char *comma = "";
    (void)id;
    (void)data;
    if (state != AFTER) {
        qemu_plugin_outs("mcu_plugin {\"error\": \"start or stop was not reached\"}\n");
        return;
    }
    snprintf(text, sizeof text,
             "mcu_plugin {\"words\": %" PRIu64 ", \"taken\": %" PRIu64 ", \"divisions\": %" PRIu64
             ", \"sums\": %" PRIu64 ", \"longs\": %" PRIu64 ", \"vectors\": %" PRIu64
             ", \"loops\": %" PRIu64 ", \"functions\": {",
             words, taken, divisions_inside, sums_inside, longs_inside, vectors_inside,
             loops_inside);
    qemu_plugin_outs(text);
    for (size_t i = 0; i < n_functions; i++) {
        if (functions[i].inside > 0) {
            snprintf(text, sizeof text, "%s\"%.200s\": %" PRIu64, comma, functions[i].name,
                     functions[i].inside);
            qemu_plugin_outs(text);
            comma = ", ";
        }
    }
    qemu_plugin_outs("}}\n");
}

struct qemu_info_t;
__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc, char **argv);

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "start=", 6) == 0) {
            start_at = strtoull(argv[i] + 6, NULL, 0);
        } else if (strncmp(argv[i], "stop=", 5) == 0) {
            stop_at = strtoull(argv[i] + 5, NULL, 0);
        }
    }
    blocks = calloc(MAX_BLOCKS, sizeof *blocks);
    if (blocks == NULL || start_at == 0 || stop_at == 0) {
        return 1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_atexit_cb(id, on_end, NULL);
    return 0;
}
