/* SPDX-License-Identifier: Apache-2.0 */
/* From reset to oribi_start on a RISC-V hart in machine mode, the trap entry, and semihosting. */
    .option arch, +zicsr
    .section .start, "ax"
    .globl oribi_reset
oribi_reset:
    csrr t0, mhartid
park:
    bnez t0, park
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, oribi_stack_top
    la t0, trap
    csrw mtvec, t0
    call oribi_start
stop:
    j stop

/* On a stack of its own: the main one may be what overflowed. */
    .text
    .balign 4
trap:
    la sp, oribi_fault_stack_top
    csrr a0, mcause
    csrr a1, mepc
    csrr a2, mtval
    call oribi_trap
    j stop

/* The three instructions are one mark: not compressed, in one page. */
    .globl oribi_semihosting
    .balign 16
    .option push
    .option norvc
    .option norelax
oribi_semihosting:
    slli x0, x0, 0x1f
    ebreak
    srai x0, x0, 7
    ret
    .option pop

/* uint32_t oribi_read_minstret(void), and its high half. */
    .globl oribi_read_minstret
oribi_read_minstret:
    csrr a0, minstret
    ret
    .globl oribi_read_minstreth
oribi_read_minstreth:
    csrr a0, minstreth
    ret

/* void oribi_protect(const uint32_t addresses[5], uint32_t configuration_0, uint32_t _1) */
    .globl oribi_protect
oribi_protect:
    lw t0, 0(a0)
    csrw pmpaddr0, t0
    lw t0, 4(a0)
    csrw pmpaddr1, t0
    lw t0, 8(a0)
    csrw pmpaddr2, t0
    lw t0, 12(a0)
    csrw pmpaddr3, t0
    lw t0, 16(a0)
    csrw pmpaddr4, t0
    csrw pmpcfg0, a1
    csrw pmpcfg1, a2
    ret
