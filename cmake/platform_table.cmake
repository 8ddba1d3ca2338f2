# SPDX-License-Identifier: Apache-2.0
# Script: writes a C table with the text of platform/ (startup code, linker scripts, harness), so that
# an installed `oribi verify` needs no source tree.
# The headers of drivers, include/tvm/device, are carried along as device/tvm/device.
#   cmake -DFOLDER=platform -DINCLUDE=include -DOUTPUT=table.c -P platform_table.cmake
file(GLOB_RECURSE names RELATIVE ${FOLDER} ${FOLDER}/*.c ${FOLDER}/*.h ${FOLDER}/*.S ${FOLDER}/*.ld)
list(SORT names)
file(GLOB_RECURSE headers RELATIVE ${INCLUDE} ${INCLUDE}/tvm/device/*.h ${INCLUDE}/tvm/runtime/device.h)
list(SORT headers)
foreach(header ${headers})
    list(APPEND names device/${header})
endforeach()
include(${CMAKE_CURRENT_LIST_DIR}/text_table.cmake)
foreach(name ${names})
    set(path ${FOLDER}/${name})
    if(name MATCHES "^device/(.*)")
        set(path ${INCLUDE}/${CMAKE_MATCH_1})
    endif()
    add_text(${name} ${path})
endforeach()
file(WRITE ${OUTPUT}.new "/* Made by cmake/platform_table.cmake from platform/. */
#include \"verify.h\"

${arrays}
const verify_platform_file verify_platform_files[] = {
${rows}    {0, 0, 0},
};
")
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${OUTPUT}.new ${OUTPUT})
