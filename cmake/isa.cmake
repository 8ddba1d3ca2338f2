# SPDX-License-Identifier: Apache-2.0
# Instruction sets of the cpu plugin, from micro/isa_list.inc: leaves out of ORIBI_CPU_SOURCES what
# this processor cannot run, gives each file the flags of its set, and writes isa_parts.h, which says
# for what sets each part has a file (plugins/cpu/base/isa.h).
# Files of one set are inner loops alone, their arrays are registers: a canary would guard nothing
# there, and cost up to a sixth of a function that ends a row; FORTIFY makes a call of the copy of a
# row's last values, which cost 2 % of vww_96_int8.
# Nobody reads the flags of floating-point exceptions: where the compiler need not keep them, it makes vectors of
# loops with conditional expressions (Erf alone is ten times as fast). No value changes.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    ${CMAKE_CURRENT_LIST_DIR}/../micro/isa_list.inc)
file(READ ${CMAKE_CURRENT_LIST_DIR}/../micro/isa_list.inc ORIBI_ISA_TEXT)
string(REGEX MATCHALL "\nHOST_ISA\\([^\"]*\"[^\"]*\"" ORIBI_ISA_ROWS "${ORIBI_ISA_TEXT}")

set(ORIBI_ISA_PROCESSORS any)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
    list(APPEND ORIBI_ISA_PROCESSORS x86)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    list(APPEND ORIBI_ISA_PROCESSORS arm)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "riscv")
    list(APPEND ORIBI_ISA_PROCESSORS riscv)
endif()

# Clang takes 47 seconds to optimise a file of AVX-512 products with every sum of a pointer checked, 23 without that
# check, 2 without the optimiser.
set(ORIBI_ISA_SANITIZED "")
if(ORIBI_SANITIZE MATCHES "undefined")
    set(ORIBI_ISA_SANITIZED -fno-sanitize=pointer-overflow)
endif()

set(ORIBI_ISA_PARTS "")
foreach(row ${ORIBI_ISA_ROWS})
    string(REGEX REPLACE "^\nHOST_ISA\\(([a-z0-9_]+), *([a-z0-9]+),.*\"(.*)\"$" "\\1;\\2;\\3" row "${row}")
    list(POP_FRONT row isa processor flags)
    separate_arguments(flags)
    set(suffix _${processor}_${isa})
    if(processor STREQUAL "any")
        set(suffix _${isa})
    endif()
    foreach(source ${ORIBI_CPU_SOURCES})
        if(NOT source MATCHES "([a-z0-9_]+)${suffix}\\.c$")
            continue()
        endif()
        set(part ${CMAKE_MATCH_1})
        list(APPEND ORIBI_ISA_PARTS ${part})
        if(NOT processor IN_LIST ORIBI_ISA_PROCESSORS)
            list(REMOVE_ITEM ORIBI_CPU_SOURCES ${source})
            continue()
        endif()
        string(APPEND ORIBI_ISAS_OF_${part} " ROW(${part}, ${isa})")
        if(processor STREQUAL "any")
            # On x86-64 they are what processors without AVX2 run: small rather than fast.
            set(level "")
            if("x86" IN_LIST ORIBI_ISA_PROCESSORS)
                set(level "$<$<CONFIG:Release>:-O2>")
                if(source MATCHES "depthwise|qlinear|unary") # depthwise is unrolled by name: -O2 makes it 50 kB larger, no faster
                    set(level "$<$<CONFIG:Release>:-Os>")
                endif()
            endif()
            set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-fno-trapping-math;${level}")
        else()
            if(ORIBI_SANITIZE AND source MATCHES "gemm.*avx512")
                list(APPEND flags -O0)
            endif()
            # What qlinear lives on is written by hand, and need not be there four times; of binary ops -O3 makes a
            # copy for each stride, and no better loop. Others (norm, pool, unary) lose vectors by less than it.
            set(level "")
            if(source MATCHES "(qlinear|binary)_x86" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
                set(level "$<$<CONFIG:Release>:-O2;-fvect-cost-model=dynamic>")
            endif()
            set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS
                "-fno-stack-protector;-U_FORTIFY_SOURCE;-fno-trapping-math;${level};${ORIBI_ISA_SANITIZED};${flags}")
        endif()
    endforeach()
endforeach()

list(REMOVE_DUPLICATES ORIBI_ISA_PARTS)
set(text "/* Made by cmake/isa.cmake from micro/isa_list.inc and the names of files. */\n")
foreach(part ${ORIBI_ISA_PARTS})
    string(APPEND text "#define ORIBI_ISAS_OF_${part}(ROW)${ORIBI_ISAS_OF_${part}}\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/oribi_made/isa_parts.h CONTENT "${text}")
