# SPDX-License-Identifier: Apache-2.0
# oribi_compile(<name> <model> [option of `oribi compile`...])
#
# Compiles a model to C and adds it to the build as the library tvmgen_<name>, which an application
# links: target_link_libraries(app PRIVATE tvmgen_<name>). The cache variable ORIBI is the command,
# if it is not found in PATH.
find_program(ORIBI oribi DOC "The command oribi")

function(oribi_compile name model)
    if(NOT ORIBI)
        message(FATAL_ERROR "the command oribi is not in PATH: -DORIBI=/path/to/oribi")
    endif()
    get_filename_component(model ${model} ABSOLUTE)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/tvmgen_${name})
    execute_process(
        COMMAND ${ORIBI} compile ${model} -o ${folder} --name ${name} --force ${ARGN}
        OUTPUT_QUIET RESULT_VARIABLE failed)
    if(failed)
        message(FATAL_ERROR "oribi compile ${model}: exit status ${failed}")
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${model} ${ORIBI})
    add_subdirectory(${folder} ${folder}/build)
    target_link_libraries(tvmgen_${name} PRIVATE zephyr_interface)
endfunction()
