# SPDX-License-Identifier: Apache-2.0
# Script: writes a C table with an example and its project, the files of `oribi plugin new NAME --device` or
# `--target`, so that an installed command needs no source tree.
#   cmake -DFOLDER=examples/fake_accelerator -DTABLE=plugin_new_device_files -DOUTPUT=table.c -P template_table.cmake
file(GLOB_RECURSE names RELATIVE ${FOLDER} ${FOLDER}/*.[ch] ${FOLDER}/*.json ${FOLDER}/project/*)
list(SORT names)
include(${CMAKE_CURRENT_LIST_DIR}/text_table.cmake)
foreach(name ${names})
    string(REGEX REPLACE "^project/" "" written ${name})
    add_text(${written} ${FOLDER}/${name})
endforeach()
file(WRITE ${OUTPUT}.new "/* Made by cmake/template_table.cmake from an example. */
#include \"plugin_new.h\"

${arrays}
const plugin_new_file ${TABLE}[] = {
${rows}    {0, 0, 0},
};
")
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${OUTPUT}.new ${OUTPUT})
