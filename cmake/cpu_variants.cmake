# SPDX-License-Identifier: Apache-2.0
# ISA flags of the cpu plugin's kernel files: the file name ends in the ISA it needs. Elsewhere than
# on that processor family the flags are left out, and the file is empty by its own #if.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    return()
endif()
foreach(source ${ORIBI_CPU_SOURCES})
    if(source MATCHES "_x86_avx2\\.c$")
        set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma")
    elseif(source MATCHES "_x86_vnni\\.c$")
        set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS
            "-mavx512f;-mavx512vl;-mavx512bw;-mavx512dq;-mavx512vnni;-mavx512vbmi;-mfma")
    elseif(source MATCHES "_x86_avx512\\.c$")
        set_source_files_properties(${source} PROPERTIES
            COMPILE_OPTIONS "-mavx512f;-mavx512vl;-mavx512bw;-mavx512dq;-mfma")
    endif()
endforeach()
