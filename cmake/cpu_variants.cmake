# SPDX-License-Identifier: Apache-2.0
# ISA flags of the cpu plugin's kernel files: the file name ends in the ISA it needs. Elsewhere than
# on that processor family the flags are left out, and the file is empty by its own #if.
# These files are inner loops alone, their arrays are registers: a canary would guard nothing there, and
# cost up to a sixth of a function that ends a row; FORTIFY makes a call of the copy of a row's last
# values, which cost 2 % of vww_96_int8.
foreach(source ${ORIBI_CPU_SOURCES})
    set(options "")
    if(source MATCHES "_(x86|arm)_[a-z0-9]+\\.c$")
        set(options -fno-stack-protector -U_FORTIFY_SOURCE)
    endif()
    if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    elseif(source MATCHES "_x86_avx2\\.c$")
        list(APPEND options -mavx2 -mfma)
    elseif(source MATCHES "_x86_vnni\\.c$")
        list(APPEND options -mavx512f -mavx512vl -mavx512bw -mavx512dq -mavx512vnni -mavx512vbmi -mfma)
    elseif(source MATCHES "_x86_avx512\\.c$")
        list(APPEND options -mavx512f -mavx512vl -mavx512bw -mavx512dq -mfma)
    endif()
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${options}")
endforeach()
