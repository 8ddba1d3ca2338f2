# SPDX-License-Identifier: Apache-2.0
# Script: describes the argument structs of kernels as data (src/compile/lower/call_args.h), so that a member is
# declared once, in its struct. Of each `struct oribi_micro_<name>_args` in a header of micro/ the
# names of the members come from here, types, offsets and counts from the C compiler. A list of
# ..._RANK elements has as many as the last member before it whose name ends in `rank` says. What
# this script cannot read ends the build.
#   cmake -DFOLDER=micro -DOUTPUT=folder -P args_table.cmake    writes args_table.c and args_table.h
file(GLOB headers RELATIVE ${FOLDER} ${FOLDER}/*.h ${FOLDER}/*/*.h)
list(SORT headers)

# The structs: body_<tag> and file_<tag>; ';' is '|' and [n] is <n>, which lists of CMake bear.
set(tags "")
foreach(header ${headers})
    file(READ ${FOLDER}/${header} text)
    string(REPLACE ";" "|" text "${text}")
    string(REPLACE "[" "<" text "${text}")
    string(REPLACE "]" ">" text "${text}")
    string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" " " text "${text}")
    string(REGEX REPLACE "[ \t\r\n]+" " " text "${text}")
    string(REGEX MATCHALL "struct oribi_micro_[a-z0-9_]+ {[^}]*}" found "${text}")
    foreach(one ${found})
        string(REGEX MATCH "^struct ([a-z0-9_]+) {(.*)}$" one "${one}")
        set(body_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
        set(file_${CMAKE_MATCH_1} ${header})
        list(APPEND tags ${CMAKE_MATCH_1})
    endforeach()
endforeach()

# Appends the members of struct `tag`, which is member `prefix` of struct `whole`, to `rows`.
function(describe whole tag prefix)
    if(NOT DEFINED body_${tag})
        message(FATAL_ERROR "${file_${whole}}: struct ${whole}: micro/ declares no struct ${tag}")
    endif()
    set(rank -1)
    string(REPLACE "|" ";" declarations "${body_${tag}}")
    foreach(declaration ${declarations})
        string(STRIP "${declaration}" declaration)
        if(declaration STREQUAL "")
            continue()
        endif()
        if(NOT declaration MATCHES "^(const )?(struct )?([a-z0-9_]+) (.+)$")
            message(FATAL_ERROR "${file_${tag}}: struct ${tag}: no member can be read in '${declaration}'")
        endif()
        set(nested "${CMAKE_MATCH_2}")
        set(type "${CMAKE_MATCH_3}")
        string(REPLACE "," ";" declarators "${CMAKE_MATCH_4}")
        foreach(declarator ${declarators})
            string(STRIP "${declarator}" declarator)
            if(NOT declarator MATCHES "^(\\*?)([a-z0-9_]+)(<[A-Z0-9_]+>)?$" OR
               (NOT nested STREQUAL "" AND NOT declarator MATCHES "^[a-z0-9_]+$"))
                message(FATAL_ERROR "${file_${tag}}: struct ${tag}: '${declarator}' is no member of "
                    "a kind that arguments have")
            endif()
            set(member "${prefix}${CMAKE_MATCH_2}")
            set(count "${CMAKE_MATCH_3}")
            if(NOT nested STREQUAL "")
                describe(${whole} ${type} "${member}.")
            elseif(CMAKE_MATCH_1 STREQUAL "*")
                set(row "ORIBI_ARGS_ARRAY(struct ${whole}, ${member})")
            elseif(NOT count STREQUAL "")
                set(by -1)
                if(count MATCHES "_RANK>$")
                    set(by ${rank})
                endif()
                set(row "ORIBI_ARGS_LIST(struct ${whole}, ${member}, ${by})")
            else()
                if(member MATCHES "rank$")
                    set(rank ${index})
                endif()
                set(row "ORIBI_ARGS_NUMBER(struct ${whole}, ${member})")
            endif()
            if(nested STREQUAL "")
                string(APPEND rows "    ${row},\n")
                string(APPEND names "\n    \"${member}\\0\"")
                math(EXPR index "${index} + 1")
            endif()
        endforeach()
    endforeach()
    set(rows "${rows}" PARENT_SCOPE)
    set(names "${names}" PARENT_SCOPE)
    set(index ${index} PARENT_SCOPE)
endfunction()

set(includes "")
set(tables "")
set(declared "")
set(each "")
foreach(tag ${tags})
    if(NOT tag MATCHES "^oribi_micro_(.+)_args$")
        continue()
    endif()
    set(name ${CMAKE_MATCH_1})
    set(rows "")
    set(names "")
    set(index 0)
    describe(${tag} ${tag} "")
    get_filename_component(stem ${file_${tag}} NAME_WE)
    string(APPEND includes "#include \"micro/${file_${tag}}\"\n")
    string(APPEND declared "extern const oribi_args oribi_args_${name};\n")
    string(APPEND each " \\\n    X(${name})")
    string(APPEND tables "
static const oribi_args_member ${name}[] = {
${rows}};
const oribi_args oribi_args_${name} = ORIBI_ARGS(struct ${tag}, ${name}, \"${stem}\",${names});
")
endforeach()

file(WRITE ${OUTPUT}/args_table.c.new "/* Made by cmake/args_table.cmake from the structs of micro/. */
#include \"compile/lower/args_table.h\"

${includes}${tables}")
file(WRITE ${OUTPUT}/args_table.h.new "/* Made by cmake/args_table.cmake from the structs of micro/. */
#ifndef ORIBI_COMPILE_LOWER_ARGS_TABLE_H_
#define ORIBI_COMPILE_LOWER_ARGS_TABLE_H_

#include \"compile/lower/call_args.h\"

${declared}
/* X(name) for each of them. */
#define ORIBI_ARGS_EACH(X)${each}

#endif
")
foreach(file args_table.c args_table.h)
    execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${OUTPUT}/${file}.new ${OUTPUT}/${file})
endforeach()
