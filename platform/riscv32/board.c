/* SPDX-License-Identifier: Apache-2.0 */
/* QEMU's virt machine with one hart of 32 or 64 bits: memory, protection (PMP), instruction
 * count, stack and traps. FAULT's words: mcause, 0, mepc, mtval. */
#include <stdint.h>

#include "harness/port.h"
#include "oribi/verify_wire.h"

#define PAINT   0xC5A35A3Cu
#define FAULTED 5 /* exit code */
/* A byte of pmpcfg: locked, so that machine mode obeys it, too. */
#define LOCKED       0x80u
#define POWER_OF_TWO 0x18u
#define UP_TO        0x08u
#define READ_EXECUTE 0x05u
#define PAGE         4096u

extern uint32_t oribi_data_load[], oribi_data_start[], oribi_data_end[];
extern uint32_t oribi_bss_start[], oribi_bss_end[], oribi_stack_bottom[];
extern uint8_t oribi_code_start[], oribi_code_end[], oribi_stack_guard[];
extern uint8_t oribi_pool_guard_low[], oribi_pool_guard_high[];

int main(void);
void oribi_start(void);
void oribi_trap(uint32_t cause, uint32_t counter, uint32_t address);
uintptr_t oribi_read_minstret(void);
uintptr_t oribi_read_minstreth(void); /* 0 where the other has all bits */
void oribi_protect(const uintptr_t addresses[5], uintptr_t configuration_0,
                   uintptr_t configuration_1);

static uintptr_t guard(const uint8_t *page)
{
    return (uintptr_t)page >> 2 | (PAGE / 8u - 1u);
}

void oribi_start(void)
{
    for (uint32_t *to = oribi_data_start, *from = oribi_data_load; to < oribi_data_end;) {
        *to++ = *from++;
    }
    for (uint32_t *to = oribi_bss_start; to < oribi_bss_end;) {
        *to++ = 0u;
    }
    const uint32_t none = LOCKED | POWER_OF_TWO;
    const uintptr_t addresses[5] = {guard(oribi_stack_guard), guard(oribi_pool_guard_low),
                                    guard(oribi_pool_guard_high), (uintptr_t)oribi_code_start >> 2,
                                    (uintptr_t)oribi_code_end >> 2};
    oribi_protect(addresses, none | none << 8 | none << 16, LOCKED | UP_TO | READ_EXECUTE);
    (void)main();
}

void oribi_trap(uint32_t cause, uint32_t counter, uint32_t address)
{
    oribi_harness_fault(cause, 0u, counter, address);
    oribi_port_end(FAULTED);
    for (;;) {
    }
}

uint32_t oribi_port_count_kind(void)
{
    return ORIBI_WIRE_COUNTS_INSTRUCTIONS;
}

uint64_t oribi_port_ticks(void)
{
    for (;;) {
        const uintptr_t high = oribi_read_minstreth(), low = oribi_read_minstret();
        if (high == oribi_read_minstreth()) {
            return (uint64_t)high << 32 | low;
        }
    }
}

uint64_t oribi_port_count(uint64_t ticks)
{
    return ticks;
}

__attribute__((noinline)) int32_t oribi_port_call(int32_t (*run)(void), uint32_t *out_stack_bytes)
{
    uint32_t *top;
    __asm__ volatile("mv %0, sp" : "=r"(top));
    for (volatile uint32_t *at = oribi_stack_bottom; at < top; at++) {
        *at = PAINT;
    }
    const int32_t status = run();
    const volatile uint32_t *at = oribi_stack_bottom;
    while (at < top && *at == PAINT) {
        at++;
    }
    *out_stack_bytes = (uint32_t)(top - at) * 4u;
    return status;
}
