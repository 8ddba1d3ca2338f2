# SPDX-License-Identifier: Apache-2.0
# Script: writes a C table with the text of the files that emitted code carries, so that an installed
# `oribi` needs no source tree. Host-only files (prepare.*, *_prepare.*) stay out.
# The device contract's header goes with them.
#   cmake -DFOLDER=micro -DOUTPUT=table.c -P micro_table.cmake
file(GLOB names RELATIVE ${FOLDER} ${FOLDER}/*.c ${FOLDER}/*.h)
list(FILTER names EXCLUDE REGEX "(^|_)prepare\\.[ch]$")
list(SORT names)
set(arrays "")
set(rows "")
set(index 0)
list(APPEND names tvm/runtime/device.h)
foreach(name ${names})
    set(file ${FOLDER}/${name})
    if(name STREQUAL "tvm/runtime/device.h")
        set(file ${FOLDER}/../include/${name})
    endif()
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "(................................)" "\\1\n    " bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND arrays "static const unsigned char text_${index}[] = {\n    ${bytes}0};\n")
    string(APPEND rows "    {\"${name}\", text_${index}, sizeof text_${index} - 1},\n")
    math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${OUTPUT}.new "/* Made by cmake/micro_table.cmake from micro/. */
#include \"compile/kernel_texts.h\"

${arrays}
const oribi_kernel_text oribi_kernel_texts[] = {
${rows}    {0, 0, 0},
};
")
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${OUTPUT}.new ${OUTPUT})
