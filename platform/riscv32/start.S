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
#if defined(__riscv_flen) || defined(__riscv_vector) /* floating point and vectors on */
    li t0, 0x6600
    csrs mstatus, t0
#endif
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

/* uintptr_t oribi_read_minstret(void), and its high half, 0 where a register has all bits. */
    .globl oribi_read_minstret
oribi_read_minstret:
    csrr a0, minstret
    ret
    .globl oribi_read_minstreth
oribi_read_minstreth:
#if __riscv_xlen == 32
    csrr a0, minstreth
#else
    li a0, 0
#endif
    ret

#if __riscv_xlen == 32
#define WORD 4
#define LOAD lw
#else
#define WORD 8
#define LOAD ld
#endif
/* void oribi_protect(const uintptr_t addresses[5], uintptr_t configuration_0, uintptr_t _1) */
    .globl oribi_protect
oribi_protect:
    LOAD t0, 0*WORD(a0)
    csrw pmpaddr0, t0
    LOAD t0, 1*WORD(a0)
    csrw pmpaddr1, t0
    LOAD t0, 2*WORD(a0)
    csrw pmpaddr2, t0
    LOAD t0, 3*WORD(a0)
    csrw pmpaddr3, t0
    LOAD t0, 4*WORD(a0)
    csrw pmpaddr4, t0
#if __riscv_xlen == 32
    csrw pmpcfg0, a1
    csrw pmpcfg1, a2
#else
    slli a2, a2, 32 /* entries 4 to 7 */
    or a1, a1, a2
    csrw pmpcfg0, a1
#endif
    ret
