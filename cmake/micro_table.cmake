# SPDX-License-Identifier: Apache-2.0
# Script: writes a C table with the text of the files that emitted code carries, so that an installed
# `oribi` needs no source tree. Host-only files (prepare.*, *_prepare.*, geometry_*) stay out.
# The rooms of micro/ are flat there, with the headers of include/micro. The device contract's header goes with them.
#   cmake -DFOLDER=micro -DOUTPUT=table.c -P micro_table.cmake
file(GLOB files ${FOLDER}/*.c ${FOLDER}/*.h ${FOLDER}/*/*.c ${FOLDER}/*/*.h ${FOLDER}/../include/micro/*.h)
list(FILTER files EXCLUDE REGEX "(/|_)prepare\\.[ch]$|/geometry_[a-z]*\\.[ch]$")
set(names "")
foreach(file ${files})
    get_filename_component(name ${file} NAME)
    list(APPEND names ${name})
    set(path_${name} ${file})
endforeach()
list(SORT names)
list(APPEND names tvm/runtime/device.h)
set(path_tvm/runtime/device.h ${FOLDER}/../include/tvm/runtime/device.h)
include(${CMAKE_CURRENT_LIST_DIR}/text_table.cmake)
foreach(name ${names})
    add_text(${name} ${path_${name}})
endforeach()
file(WRITE ${OUTPUT}.new "/* Made by cmake/micro_table.cmake from micro/. */
#define ORIBI_KERNEL_TEXTS_HERE
#include \"compile/common/kernel_texts.h\"

${arrays}
const oribi_kernel_text oribi_kernel_text_table[] = {
${rows}    {0, 0, 0},
};
")
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${OUTPUT}.new ${OUTPUT})
