/* SPDX-License-Identifier: Apache-2.0 */
/* Start of a test program on a board of QEMU: vectors, memory, what newlib asks for, and the way
 * out by semihosting. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

extern uint32_t arm_stack[], arm_data[], arm_data_end[], arm_data_load[], arm_bss[], arm_bss_end[];
extern char end[];

int main(void);
void arm_fail(const char *file, int line);
void arm_reset(void);
void *_sbrk(ptrdiff_t bytes);

static void host(uint32_t operation, const void *argument)
{
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

static void leave(uint32_t code)
{
    const uint32_t reason[2] = {0x20026, code};
    host(0x20, reason);
    for (;;) {
    }
}

void arm_fail(const char *file, int line)
{
    char digits[12] = "0000000:\n";
    for (int i = 6; i >= 0; i--, line /= 10) {
        digits[i] = (char)('0' + line % 10);
    }
    host(0x04, file);
    host(0x04, ":");
    host(0x04, digits);
    leave(1);
}

void *_sbrk(ptrdiff_t bytes)
{
    static char *top = end;
    char *const from = top;
    top += bytes;
    return from;
}

static void fault(void)
{
    host(0x04, "fault\n");
    leave(2);
}

void arm_reset(void)
{
#if defined(__ARM_FEATURE_MVE) /* vectors are let through before anything is copied */
    *(volatile uint32_t *)0xE000ED88U |= UINT32_C(0xF) << 20;
    __asm__ volatile("dsb\n\tisb" ::: "memory");
#endif
    memcpy(arm_data, arm_data_load, (size_t)((char *)arm_data_end - (char *)arm_data));
    memset(arm_bss, 0, (size_t)((char *)arm_bss_end - (char *)arm_bss));
    leave((uint32_t)main());
}

typedef void (*vector)(void);
__attribute__((section(".vectors"), used)) static const struct {
    const uint32_t *stack;
    vector entries[15];
} vectors = {arm_stack,
             {arm_reset, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault,
              fault, fault, fault, fault}};
