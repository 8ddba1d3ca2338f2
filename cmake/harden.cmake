# SPDX-License-Identifier: Apache-2.0
# What makes a mistake in memory end the process instead of serving an attacker: for everything that
# is installed, by the target oribi_harden, so that nothing leaks into a project that includes us.
# tests/install/hardened.py looks at the files that come out of it.
option(ORIBI_HARDEN "Stack protector, FORTIFY, full RELRO, position-independent programs" ON)
option(ORIBI_CET "Checked targets of indirect jumps too (CET on x86-64, BTI and PAC on Arm)" OFF)
include(CheckCSourceCompiles)
add_library(oribi_harden INTERFACE)
if(ORIBI_HARDEN)
    target_compile_options(oribi_harden INTERFACE -fstack-protector-strong)
    target_link_options(oribi_harden INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack
        $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>)
    # FORTIFY wants an optimiser, and sanitizers want to see the call that it replaces. Level 3 is
    # for the compilers that know sizes at run time; a distribution's own level is undone first.
    if(NOT ORIBI_SANITIZE)
        check_c_source_compiles("
            #if (defined __clang__ && __clang_major__ < 12) || (!defined __clang__ && __GNUC__ < 12)
            #error no __builtin_dynamic_object_size
            #endif
            int main(int argc, char **argv) { return (int)__builtin_dynamic_object_size(argv, 0) + argc; }"
            ORIBI_HAS_FORTIFY_3)
        set(level 2)
        if(ORIBI_HAS_FORTIFY_3)
            set(level 3)
        endif()
        target_compile_options(oribi_harden INTERFACE
            $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=${level}>)
    endif()
endif()
if(ORIBI_CET)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
        target_compile_options(oribi_harden INTERFACE -fcf-protection=full)
    elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
        target_compile_options(oribi_harden INTERFACE -mbranch-protection=standard)
    else()
        message(WARNING "ORIBI_CET: ${CMAKE_SYSTEM_PROCESSOR} has nothing of the kind")
    endif()
endif()
