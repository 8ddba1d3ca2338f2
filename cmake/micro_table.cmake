# SPDX-License-Identifier: Apache-2.0
# Script: writes a C table with the text of the files that emitted code carries, so that an installed
# `oribi` needs no source tree. Host-only files (prepare.*, *_prepare.*) stay out.
# The device contract's header goes with them.
#   cmake -DFOLDER=micro -DOUTPUT=table.c -P micro_table.cmake
file(GLOB names RELATIVE ${FOLDER} ${FOLDER}/*.c ${FOLDER}/*.h)
list(FILTER names EXCLUDE REGEX "(^|_)prepare\\.[ch]$")
list(SORT names)
include(${CMAKE_CURRENT_LIST_DIR}/text_table.cmake)
list(APPEND names tvm/runtime/device.h)
foreach(name ${names})
    set(file ${FOLDER}/${name})
    if(name STREQUAL "tvm/runtime/device.h")
        set(file ${FOLDER}/../include/${name})
    endif()
    add_text(${name} ${file})
endforeach()
file(WRITE ${OUTPUT}.new "/* Made by cmake/micro_table.cmake from micro/. */
#include \"compile/kernel_texts.h\"

${arrays}
const oribi_kernel_text oribi_kernel_texts[] = {
${rows}    {0, 0, 0},
};
")
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${OUTPUT}.new ${OUTPUT})
