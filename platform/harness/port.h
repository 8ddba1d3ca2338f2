/* SPDX-License-Identifier: Apache-2.0 */
/* What a target gives the harness: bytes in and out, a counter, its stack. A board of yours needs
 * these functions and nothing else. See host/port.c for the smallest set. */
#ifndef ORIBI_PLATFORM_HARNESS_PORT_H_
#define ORIBI_PLATFORM_HARNESS_PORT_H_

#include <stdint.h>

/* Blocks until all bytes are there; ends the program when there will be none. */
void oribi_port_read(void *bytes, uint32_t n);
void oribi_port_write(const void *bytes, uint32_t n);
/* After an END request or a fault. Returns where there is nothing to end (a board on a serial
 * line); the harness then waits for the next request, or for ever after a fault. */
void oribi_port_end(int32_t code);

/* A running counter and what it counts, ORIBI_WIRE_COUNTS_...; ticks may be finer than the unit.
 * Cycles of a Cortex-M: cortex-m/count_dwt.h. */
uint32_t oribi_port_count_kind(void);
uint64_t oribi_port_ticks(void);
/* Rounded to the nearest. */
uint64_t oribi_port_count(uint64_t ticks);

/* Calls run, and tells its result and the bytes of stack that it took, or ORIBI_WIRE_UNKNOWN. */
int32_t oribi_port_call(int32_t (*run)(void), uint32_t *out_stack_bytes);

/* frame.c, for a port's fault handler: sends a FAULT frame. */
void oribi_harness_fault(uint32_t cause, uint32_t status, uint32_t counter, uint32_t address);

#endif
