# SPDX-License-Identifier: Apache-2.0
# Script: a C file with the device code of each family as an array of bytes; see CMakeLists.txt.
#   cmake -DSYMBOL=images -DSUFFIX=_code.c -DFOLDER=code -DFAMILIES=conv;pool -DOUTPUT=images.c -P embed.cmake

cmake_policy(VERSION 3.25)

# <out> is the file's bytes in hexadecimal. C files get what they include in place, without the
# dialects of other targets: OpenCL's compiler has no files to include.
function(read_text file out)
    get_filename_component(folder ${file} DIRECTORY)
    get_filename_component(name ${file} NAME)
    get_property(known GLOBAL PROPERTY included)
    if(name IN_LIST known)
        set(${out} "" PARENT_SCOPE)
        return()
    endif()
    set_property(GLOBAL APPEND PROPERTY included ${name})
    file(READ ${file} text)
    string(REGEX MATCHALL "#include \"[^\"]+\"" lines "${text}")
    foreach(line ${lines})
        string(REGEX REPLACE "#include \"([^\"]+)\"" "\\1" header "${line}")
        set(inner "")
        if(NOT header MATCHES "^dialect_" OR header STREQUAL "dialect_opencl.h")
            read_text(${folder}/${header} inner)
        endif()
        string(REPLACE "${line}\n" "${inner}" text "${text}")
    endforeach()
    set(${out} "${text}" PARENT_SCOPE)
endfunction()

set(arrays "")
set(rows "")
foreach(family ${FAMILIES})
    if(SUFFIX MATCHES "\\.c$")
        set_property(GLOBAL PROPERTY included "")
        read_text(${FOLDER}/${family}${SUFFIX} text)
        string(HEX "${text}" bytes)
    else()
        file(READ ${FOLDER}/${family}${SUFFIX} bytes HEX)
    endif()
    string(REGEX REPLACE "(................................)" "\\1\n    " bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${bytes}")
    string(APPEND arrays "static const unsigned char ${family}[] = {\n    ${bytes}0};\n")
    string(APPEND rows "    {\"${family}\", ${family}, sizeof ${family} - 1},\n")
endforeach()
file(WRITE ${OUTPUT} "/* Made by plugins/device_ops/embed.cmake. */
#include \"device_ops/device_ops.h\"

${arrays}
extern const device_ops_image ${SYMBOL}[];
extern const int n_${SYMBOL};
const device_ops_image ${SYMBOL}[] = {
${rows}};
const int n_${SYMBOL} = (int)(sizeof ${SYMBOL} / sizeof *${SYMBOL});
")
