/* SPDX-License-Identifier: Apache-2.0 */
/* Start of an AN386 whose exceptions belong to a system: FreeRTOS and RTX name their handlers as
 * CMSIS does. */
#include "board.h"

#include "harness/port.h"

#define CPACR     (*(volatile uint32_t *)0xE000ED88u)
#define NVIC_ISER ((volatile uint32_t *)0xE000E100u)
#define NVIC_IPR  ((volatile uint8_t *)0xE000E400u)

extern uint32_t oribi_stack_top[], oribi_data_load[], oribi_data_start[], oribi_data_end[];
extern uint32_t oribi_bss_start[], oribi_bss_end[];

int main(void);
void oribi_reset(void);
void SVC_Handler(void);
void PendSV_Handler(void);
void SysTick_Handler(void);
/* Of the system's main file. */
void UART1_Handler(void);
void UART2_Handler(void);

static void fault(void)
{
    oribi_port_end(9);
}

typedef void vector(void);
__attribute__((section(".vectors"), used)) static vector *const vectors[] = {
    (vector *)(uintptr_t)oribi_stack_top,
    oribi_reset,
    fault, /* NMI */
    fault, /* HardFault */
    fault, /* MemManage */
    fault, /* BusFault */
    fault, /* UsageFault */
    fault,
    0,
    0,
    0,
    SVC_Handler,
    fault, /* DebugMonitor */
    0,
    PendSV_Handler,
    SysTick_Handler,
    fault, /* UART 0 */
    fault,
    UART1_Handler, /* received */
    UART1_Handler, /* sent */
    UART2_Handler,
    UART2_Handler,
};

void oribi_reset(void)
{
    CPACR |= 0xFu << 20; /* floating point */
    __asm__ volatile("dsb\n\tisb" ::: "memory");
    for (uint32_t *to = oribi_data_start, *from = oribi_data_load; to < oribi_data_end;) {
        *to++ = *from++;
    }
    for (uint32_t *to = oribi_bss_start; to < oribi_bss_end;) {
        *to++ = 0u;
    }
    (void)main();
    fault();
}

volatile uint32_t *board_uart(uint32_t n)
{
    return (volatile uint32_t *)(0x40004000u + 0x1000u * n);
}

void board_interrupt_enable(uint32_t number)
{
    NVIC_IPR[number] = 0xC0u;
    NVIC_ISER[number / 32u] = 1u << number % 32u;
}

void board_uart_start(uint32_t n)
{
    volatile uint32_t *uart = board_uart(n);
    uart[BOARD_DIVIDER] = 217; /* 115200 of 25 MHz */
    uart[BOARD_CONTROL] = 1u | 2u | 8u;
    board_interrupt_enable(2u * n);
}

int32_t board_uart_get(uint32_t n, uint8_t *byte)
{
    volatile uint32_t *uart = board_uart(n);
    uart[BOARD_INTERRUPT] = 2u;
    if ((uart[BOARD_STATE] & 2u) == 0u) {
        return 0;
    }
    *byte = (uint8_t)uart[BOARD_DATA];
    return 1;
}

int32_t board_uart_put(uint32_t n, uint8_t byte)
{
    volatile uint32_t *uart = board_uart(n);
    if ((uart[BOARD_STATE] & 1u) != 0u) {
        return 0;
    }
    uart[BOARD_DATA] = byte;
    return 1;
}
