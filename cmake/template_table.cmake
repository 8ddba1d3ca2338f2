# SPDX-License-Identifier: Apache-2.0
# Script: writes a C table with the example device and its project, the files of `oribi plugin new NAME
# --device`, so that an installed command needs no source tree.
#   cmake -DFOLDER=examples/fake_accelerator -DOUTPUT=table.c -P template_table.cmake
file(GLOB names RELATIVE ${FOLDER} ${FOLDER}/*.c ${FOLDER}/*.h ${FOLDER}/project/*)
list(SORT names)
set(arrays "")
set(rows "")
set(index 0)
foreach(name ${names})
    file(READ ${FOLDER}/${name} bytes HEX)
    string(REGEX REPLACE "(................................)" "\\1\n    " bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND arrays "static const unsigned char file_${index}[] = {\n    ${bytes}0};\n")
    string(REGEX REPLACE "^project/" "" name ${name})
    string(APPEND rows "    {\"${name}\", file_${index}, sizeof file_${index} - 1},\n")
    math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${OUTPUT}.new "/* Made by cmake/template_table.cmake from the example device. */
#include \"plugin_new.h\"

${arrays}
const plugin_new_file plugin_new_device_files[] = {
${rows}    {0, 0, 0},
};
")
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${OUTPUT}.new ${OUTPUT})
