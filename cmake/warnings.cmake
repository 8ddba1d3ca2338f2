# SPDX-License-Identifier: Apache-2.0
# Warnings are errors, with gcc and clang; sanitizers when asked for.
add_library(oribi_flags INTERFACE)
target_compile_options(oribi_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla -Werror -fno-math-errno
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>)
target_compile_definitions(oribi_flags INTERFACE _GNU_SOURCE)
target_include_directories(oribi_flags INTERFACE ${PROJECT_SOURCE_DIR}/include)
if(ORIBI_SANITIZE)
    add_compile_options(-fsanitize=${ORIBI_SANITIZE} -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${ORIBI_SANITIZE})
    # Of clang's, one runtime in the process, as of gcc's: the library, programs and plugins share it.
    if(CMAKE_C_COMPILER_ID STREQUAL "Clang" AND NOT ORIBI_BUILD_FUZZ)
        execute_process(COMMAND ${CMAKE_C_COMPILER} -print-resource-dir OUTPUT_VARIABLE folder OUTPUT_STRIP_TRAILING_WHITESPACE)
        add_link_options(-shared-libsan -Wl,-rpath,${folder}/lib/linux)
    endif()
    # Two hundred programs, each of 40 MB: where it is there, the linker that takes a third of the time.
    find_program(ORIBI_LLD ld.lld)
    if(ORIBI_LLD)
        add_link_options(-fuse-ld=lld)
    endif()
    # Instrumented code confuses the size analysis of format strings.
    add_compile_options($<$<C_COMPILER_ID:GNU>:-Wno-format-truncation>)
    if(ORIBI_SANITIZE MATCHES "undefined")
        add_compile_options(-fno-sanitize-recover=undefined)
    endif()
endif()
if(ORIBI_PARTIAL)
    add_link_options(-Wl,--unresolved-symbols=ignore-all)
endif()
if(ORIBI_BUILD_FUZZ) # coverage of the library; the targets add the main function
    add_compile_options(-fsanitize=fuzzer-no-link -Wno-pass-failed)
endif()
