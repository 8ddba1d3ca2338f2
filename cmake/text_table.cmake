# SPDX-License-Identifier: Apache-2.0
# For scripts that write files as C tables: `arrays` and `rows` grow by a file, `index` counts them.
set(arrays "")
set(rows "")
set(index 0)
macro(add_text name path)
    file(READ ${path} bytes HEX)
    string(REGEX REPLACE "(................................)" "\\1\n    " bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND arrays "static const unsigned char text_${index}[] = {\n    ${bytes}0};\n")
    string(APPEND rows "    {\"${name}\", text_${index}, sizeof text_${index} - 1},\n")
    math(EXPR index "${index} + 1")
endmacro()
