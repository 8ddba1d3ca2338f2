# SPDX-License-Identifier: Apache-2.0
# Script: writes a C table with the text of platform/ (startup code, linker scripts, harness) and of the public
# headers that it and drivers include, so that an installed `oribi verify` needs no source tree.
#   cmake -DSOURCE=. -DOUTPUT=table.c -P platform_table.cmake
file(GLOB_RECURSE names RELATIVE ${SOURCE} ${SOURCE}/platform/*.c ${SOURCE}/platform/*.h ${SOURCE}/platform/*.S
    ${SOURCE}/platform/*.ld ${SOURCE}/include/tvm/*.h ${SOURCE}/include/oribi/verify_wire.h)
list(SORT names)
include(${CMAKE_CURRENT_LIST_DIR}/text_table.cmake)
foreach(name ${names})
    add_text(${name} ${SOURCE}/${name})
endforeach()
file(WRITE ${OUTPUT}.new "/* Made by cmake/platform_table.cmake from platform/ and include/. */
#include \"verify/verify.h\"

${arrays}
const verify_platform_file verify_platform_files[] = {
${rows}    {0, 0, 0},
};
")
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${OUTPUT}.new ${OUTPUT})
