# SPDX-License-Identifier: Apache-2.0
# The library: the rooms of src/ below the command, and the built-in plugins. Plugins see include/
# (and micro/) alone.
file(GLOB ORIBI_CORE_SOURCES CONFIGURE_DEPENDS
    src/base/*.c src/tensor/*.c src/op/*.c src/kernel/*.c src/device/*.c src/plugin/*.c
    src/author/*.c src/binding/*.c src/c_api/*.c src/check/*.c src/graph/*.c src/grappler/*.c src/import/*.c src/import/*/*.c src/import/*/*/*.c
    src/pass/*.c src/plan/*.c src/session/*.c src/session/*/*.c src/compile/*.c src/compile/*/*.c src/compile/*/*/*.c
    src/target/*.c src/desk/*.c)
# Formats that library and command share, with what they stand on: objects of both.
file(GLOB ORIBI_FORMAT_SOURCES CONFIGURE_DEPENDS src/format/*.c)
foreach(name alloc arena number text)
    list(APPEND ORIBI_FORMAT_SOURCES ${PROJECT_SOURCE_DIR}/src/base/${name}.c)
endforeach()
# Data that the shared library leaves to a file of its own.
set(ORIBI_TEXTS ${PROJECT_BINARY_DIR}/micro_texts.c ${PROJECT_SOURCE_DIR}/src/binding/binding_texts.c
    ${PROJECT_SOURCE_DIR}/src/import/tensorflow/tf_formula_texts.c)
list(REMOVE_ITEM ORIBI_CORE_SOURCES ${ORIBI_FORMAT_SOURCES} ${ORIBI_TEXTS})
file(GLOB ORIBI_OPS_SOURCES CONFIGURE_DEPENDS plugins/ops_core/*.c plugins/ops_core/*/*.c)
file(GLOB ORIBI_CPU_SOURCES CONFIGURE_DEPENDS plugins/cpu/*/*.c)
file(GLOB ORIBI_ETHOS_U_SOURCES CONFIGURE_DEPENDS plugins/ethos_u/*.c)
file(GLOB ORIBI_MICRO_SOURCES CONFIGURE_DEPENDS micro/*.c micro/*/*.c)

# Emitted code carries the text of the kernels that it uses: a table made from micro/.
file(GLOB ORIBI_MICRO_TEXTS CONFIGURE_DEPENDS micro/*.c micro/*.h micro/*/*.c micro/*/*.h
    include/micro/*.h include/tvm/runtime/device.h)
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/micro_texts.c
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${PROJECT_SOURCE_DIR}/micro
        -DOUTPUT=${PROJECT_BINARY_DIR}/micro_texts.c -P ${PROJECT_SOURCE_DIR}/cmake/micro_table.cmake
    COMMAND ${CMAKE_COMMAND} -E touch ${PROJECT_BINARY_DIR}/micro_texts.c
    DEPENDS ${ORIBI_MICRO_TEXTS} cmake/micro_table.cmake cmake/text_table.cmake VERBATIM)
# Headers that the build makes. Seen from where compilers run they lie in one place, also in a project that includes this
# one, so that a cache of compilers knows its objects. Made now: such a cache spells what is not there yet in another way.
set(ORIBI_MADE ${CMAKE_BINARY_DIR}/oribi_made)
file(MAKE_DIRECTORY ${ORIBI_MADE}/compile/lower)
# What compiled calls know of their arguments is made from the structs of micro/.
add_custom_command(OUTPUT ${ORIBI_MADE}/compile/lower/args_table.c ${ORIBI_MADE}/compile/lower/args_table.h
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${PROJECT_SOURCE_DIR}/micro -DOUTPUT=${ORIBI_MADE}/compile/lower
        -P ${PROJECT_SOURCE_DIR}/cmake/args_table.cmake
    DEPENDS ${ORIBI_MICRO_TEXTS} cmake/args_table.cmake VERBATIM)

# Nobody unwinds through the library (C++ plugins catch at their door), and what nobody calls goes.
add_library(oribi_lean INTERFACE)
target_compile_options(oribi_lean INTERFACE -ffunction-sections -fdata-sections
    $<$<CONFIG:Release>:-fno-asynchronous-unwind-tables;-fno-unwind-tables>)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    # Of a loop's last elements gcc would make a second loop of shorter vectors: a third of such a file.
    target_compile_options(oribi_lean INTERFACE $<$<CONFIG:Release>:--param=vect-epilogues-nomask=0>)
    # Functions and labels at multiples of 16 bytes: a thirtieth of what is compiled with -O2.
    target_compile_options(oribi_lean INTERFACE
        $<$<CONFIG:Release>:-fno-align-functions;-fno-align-jumps;-fno-align-labels>)
endif()
# Sanitizers take three times as long to optimise a file. Where much is computed it pays: in kernels, and in what all else
# stands on.
set(ORIBI_WARM "")
if(ORIBI_SANITIZE)
    set(ORIBI_WARM -O1)
endif()
add_library(oribi_format OBJECT ${ORIBI_FORMAT_SOURCES})
target_include_directories(oribi_format PRIVATE include src)
target_link_libraries(oribi_format PRIVATE oribi_flags oribi_harden oribi_lean)
set(ORIBI_OBJECTS $<TARGET_OBJECTS:oribi_core> $<TARGET_OBJECTS:oribi_format>)
add_library(oribi_core OBJECT ${ORIBI_CORE_SOURCES}
    ${ORIBI_MADE}/compile/lower/args_table.c ${ORIBI_MADE}/compile/lower/args_table.h)
target_include_directories(oribi_core PUBLIC include src PRIVATE plugins ${ORIBI_MADE}
    ${PROJECT_SOURCE_DIR})
target_link_libraries(oribi_core PRIVATE oribi_flags oribi_harden oribi_lean)
foreach(target oribi_format oribi_core)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>)
endforeach()
target_compile_options(oribi_format PRIVATE ${ORIBI_WARM})
file(GLOB sources CONFIGURE_DEPENDS src/graph/*.c)
set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "${ORIBI_WARM}")
add_library(oribi_texts OBJECT ${ORIBI_TEXTS})
target_include_directories(oribi_texts PRIVATE include src ${PROJECT_SOURCE_DIR})
target_link_libraries(oribi_texts PRIVATE oribi_flags)
set(ORIBI_OBJECTS ${ORIBI_OBJECTS} $<TARGET_OBJECTS:oribi_texts>)
file(GLOB sources CONFIGURE_DEPENDS src/base/*.c src/kernel/*.c src/plan/*.c) # all of a run and of a session
set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>;${ORIBI_WARM}")
# Walks over trees and time, which gain nothing from twice as much code.
set_source_files_properties(src/plan/plan_time.c src/plan/plan_bound.c src/plan/plan_conflict.c PROPERTIES COMPILE_OPTIONS "${ORIBI_WARM}")
# What neither a run nor the making of a session passes through is small rather than fast.
file(GLOB ORIBI_SMALL_SOURCES CONFIGURE_DEPENDS src/author/*.c src/binding/*.c src/check/*.c src/plugin/*.c src/c_api/*.c
    src/compile/*.c src/compile/*/*.c src/compile/*/*/*.c src/tensor/dlpack.c src/tensor/variant.c
    src/kernel/kernel_op.c src/kernel/kernel_data.c src/kernel/kernel_def.c src/kernel/kernel_variable.c src/kernel/refuses.c
    src/base/cgroup.c src/base/file.c src/base/process.c src/import/*.c src/import/*/*.c src/import/*/*/*.c
    src/op/op_print.c src/op/op_proto.c src/op/op_serves.c src/grappler/*.c src/desk/*.c src/kernel/runner.c
    src/session/flight/*.c src/session/batch/*.c src/session/*describe*.c src/session/session_process.c src/session/session_options.c
    src/session/record.c src/session/weigh.c src/kernel/cancel.c src/kernel/kernel_builder.c src/kernel/resource_proto.c
    src/session/pack/*.c src/session/control/*.c src/session/profile.c src/session/watch.c src/session/overlap.c src/session/transfer.c
    src/session/plan_device.c src/session/frame_device.c src/session/run_device.c src/session/trace_device.c src/session/shape/special.c
    src/session/model.c src/pass/pass_batch_norm.c src/pass/pass_shuffle.c src/pass/qdq_*.c src/pass/fuse_attention.c src/pass/fold_control.c
    src/pass/fold_trips.c src/kernel/kernel_registry.c src/device/block.c src/pass/layout_reshape.c src/pass/fuse_formula.c src/session/ahead.c src/kernel/context_async.c
    src/device/platform.c src/device/platform_check.c src/device/device.c src/device/device_try.c src/device/copy.c src/device/stream.c
    src/target/*.c src/format/*.c)
# -Oz takes a hundredth off -Os, by calls and divisions that are shorter and slower; gcc knows it from 12 on.
include(CheckCCompilerFlag)
check_c_compiler_flag(-Oz ORIBI_HAS_OZ)
set(ORIBI_SMALL $<IF:$<BOOL:${ORIBI_HAS_OZ}>,-Oz,-Os>)
set_source_files_properties(${ORIBI_SMALL_SOURCES} PROPERTIES
    COMPILE_OPTIONS $<$<CONFIG:Release>:${ORIBI_SMALL}>)
set_source_files_properties(src/plugin/own.c PROPERTIES COMPILE_DEFINITIONS
    "ORIBI_LIBRARY_FOLDER=\"${CMAKE_INSTALL_FULL_LIBDIR}\"")
set_source_files_properties(src/plugin/probe.c PROPERTIES COMPILE_DEFINITIONS
    "ORIBI_PROBE_INSTALLED=\"${CMAKE_INSTALL_FULL_LIBEXECDIR}/oribi/oribi-plugin-probe\"")

# micro/ is C99 and includes as "micro/..."; a contraction would change a multiplier's last bit.
add_library(oribi_micro OBJECT ${ORIBI_MICRO_SOURCES})
target_include_directories(oribi_micro PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(oribi_micro PRIVATE oribi_flags oribi_harden oribi_lean)
target_compile_options(oribi_micro PRIVATE -ffp-contract=off ${ORIBI_WARM})
# Of these the host runs faster kernels of its own (plugins/cpu), but for `--kernels micro`.
file(GLOB sources CONFIGURE_DEPENDS micro/binary/*.c micro/double/*.c micro/fma/*.c micro/mve/*.c
    micro/norm/*.c micro/quads/*.c micro/recurrent/onnx_*.c micro/recurrent/dynamic_*.c micro/reduce/*.c micro/rvv/*.c micro/signal/*.c micro/unary/*.c
    micro/*_prepare.c micro/*/*_prepare.c) # these make arguments, once a session
set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-Os>)
set_target_properties(oribi_micro PROPERTIES C_STANDARD 99)
list(APPEND ORIBI_OBJECTS $<TARGET_OBJECTS:oribi_micro>)
target_include_directories(oribi_core PRIVATE ${PROJECT_SOURCE_DIR})

# <name> as objects for the library, and for the tests as a .so of its own, whose entry calls init.
# A plugin whose folder has no sources adds nothing.
function(oribi_plugin name init)
    if(NOT ARGN)
        return()
    endif()
    set(ORIBI_OBJECTS ${ORIBI_OBJECTS} $<TARGET_OBJECTS:oribi_${name}> PARENT_SCOPE)
    add_library(oribi_${name} OBJECT ${ARGN})
    target_include_directories(oribi_${name} PRIVATE include plugins ${PROJECT_SOURCE_DIR})
    target_link_libraries(oribi_${name} PRIVATE oribi_flags oribi_harden oribi_lean)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/plugins/${name}_entry.c CONTENT
        "#include \"built_in.h\"\n#include \"tensorflow/c/kernels.h\"\n\nvoid TF_InitKernel(void)\n{\n    @init@();\n}\n" @ONLY)
    add_library(oribi_${name}_so MODULE EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/plugins/${name}_entry.c
        $<TARGET_OBJECTS:oribi_${name}> $<TARGET_OBJECTS:oribi_micro>)
    target_include_directories(oribi_${name}_so PRIVATE include plugins)
    target_link_libraries(oribi_${name}_so PRIVATE oribi_flags oribi_harden m)
    set_target_properties(oribi_${name}_so PROPERTIES PREFIX "" OUTPUT_NAME oribi_${name}
        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/plugins)
endfunction()
oribi_plugin(ops_core oribi_ops_core_init ${ORIBI_OPS_SOURCES})
include(cmake/isa.cmake)
list(REMOVE_ITEM ORIBI_CPU_SOURCES ${PROJECT_SOURCE_DIR}/plugins/cpu/base/cpu_extra.c)
oribi_plugin(cpu oribi_cpu_init ${ORIBI_CPU_SOURCES})
oribi_plugin(ethos_u oribi_ethos_u_init ${ORIBI_ETHOS_U_SOURCES})
target_compile_options(oribi_ops_core PRIVATE $<$<CONFIG:Release>:${ORIBI_SMALL}>)
target_compile_options(oribi_cpu PRIVATE ${ORIBI_WARM})
# Reference rows say what is right; that they take longer is no harm.
file(GLOB sources CONFIGURE_DEPENDS plugins/cpu/*/*_reference.c)
set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-Os>)
# Sanitizers would take as long to optimise these, which have a copy for each op and type, as they take to run.
list(FILTER sources INCLUDE REGEX "(binary|reduce|unary)_reference")
set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-Os>;$<$<CONFIG:Debug>:-O0>")
# 14 kB of copies of its loops for 8 % of a cast; 12 kB for what prepares layers, or calls others' loops.
set(sources elementwise/cast_kernels.c elementwise/unary_onnx.c move/indices.c move/pad_kernels.c window/row_norm.c attention/attention.c
    quantised/quantized_binary.c quantised/quantized_panels.c quantised/quantized_steps.c product/packed_weights.c product/depthwise.c
    winograd/winograd.c)
list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/plugins/cpu/)
set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O2>)
# These only call the kernels of micro/.
file(GLOB sources CONFIGURE_DEPENDS plugins/cpu/base/micro_*.c plugins/cpu/window/micro_*.c)
set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-Os>)
target_include_directories(oribi_cpu PRIVATE ${ORIBI_MADE})
target_compile_definitions(oribi_cpu PRIVATE ORIBI_KIT_SHARED)

# The folder that applications include from has oribi/ and nothing else: what oribi.h needs of the
# contract lies below it, so that nothing hides a TensorFlow, an Abseil or an Eigen of theirs. Plugins
# include from include/, where those names are ours.
foreach(header oribi/oribi.h oribi/oribi.hpp oribi/desk.h)
    configure_file(include/${header} ${PROJECT_BINARY_DIR}/include/${header} COPYONLY)
endforeach()
foreach(name c_api_macros tf_buffer tf_datatype tf_status tf_tensor)
    configure_file(include/tensorflow/c/${name}.h
        ${PROJECT_BINARY_DIR}/include/oribi/tensorflow/c/${name}.h COPYONLY)
endforeach()
include(cmake/header_paths.cmake)
add_library(oribi_plugin_headers INTERFACE)
target_include_directories(oribi_plugin_headers INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${ORIBI_HEADER_PATHS}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/oribi-plugin>)
set_target_properties(oribi_plugin_headers PROPERTIES EXPORT_NAME plugin)

find_package(Threads REQUIRED)
# Of the kernels the shared library takes those that its rows need: archives, of which the linker
# takes what is asked for. Rows of rarer ops ask weakly, and stay for oribi_cpu_extra.so.
add_library(oribi_kernels STATIC $<TARGET_OBJECTS:oribi_cpu> $<TARGET_OBJECTS:oribi_micro>)
add_library(oribi_shared SHARED $<TARGET_OBJECTS:oribi_core> $<TARGET_OBJECTS:oribi_format>
    $<TARGET_OBJECTS:oribi_ops_core> $<TARGET_OBJECTS:oribi_ethos_u>)
target_link_libraries(oribi_shared PRIVATE oribi_kernels)
add_library(oribi_cpu_extra MODULE plugins/cpu/base/cpu_extra.c)
target_include_directories(oribi_cpu_extra PRIVATE include plugins ${PROJECT_SOURCE_DIR}
    ${ORIBI_MADE})
target_link_libraries(oribi_cpu_extra PRIVATE oribi_flags oribi_harden oribi_kernels m)
set_target_properties(oribi_cpu_extra PROPERTIES PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/oribi)
# The texts that `oribi compile` writes, and formulas of gradients, are a file of their own, too.
add_library(oribi_kernel_texts MODULE ${ORIBI_TEXTS})
target_include_directories(oribi_kernel_texts PRIVATE include src ${PROJECT_SOURCE_DIR})
target_link_libraries(oribi_kernel_texts PRIVATE oribi_flags oribi_harden)
target_compile_options(oribi_kernel_texts PRIVATE -fvisibility=default)
set_target_properties(oribi_kernel_texts PROPERTIES PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/oribi)
# Tables hold many addresses, 24 bytes of relocation each, or a bit each where the loader knows
# DT_RELR: glibc from 2.36 on, musl from 1.2.4 on. Older ones refuse the file by a version's name.
include(CheckLinkerFlag)
check_linker_flag(C -Wl,-z,pack-relative-relocs ORIBI_HAS_RELR)
option(ORIBI_RELR "Packed relocations, for loaders from 2022 on" ${ORIBI_HAS_RELR})
foreach(target oribi_shared oribi_cpu_extra)
    target_link_options(${target} PRIVATE -Wl,--gc-sections)
    if(ORIBI_RELR AND NOT ORIBI_LLD) # lld packs them by another name, and only warns of this one
        target_link_options(${target} PRIVATE -Wl,-z,pack-relative-relocs)
    endif()
endforeach()
# The archive has one object: a plugin may need a function that the program does not call.
set(ORIBI_WHOLE ${PROJECT_BINARY_DIR}/oribi_whole.o)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/oribi_whole.rsp CONTENT "$<JOIN:${ORIBI_OBJECTS},\n>\n")
add_custom_command(OUTPUT ${ORIBI_WHOLE}
    COMMAND ${CMAKE_C_COMPILER} -nostdlib -r @${PROJECT_BINARY_DIR}/oribi_whole.rsp -o ${ORIBI_WHOLE}
    DEPENDS ${ORIBI_OBJECTS} ${PROJECT_BINARY_DIR}/oribi_whole.rsp COMMAND_EXPAND_LISTS VERBATIM)
add_library(oribi_static STATIC ${ORIBI_WHOLE})
set_source_files_properties(${ORIBI_WHOLE} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
set_target_properties(oribi_static PROPERTIES LINKER_LANGUAGE C)
# Plugins find their functions in the program that has the archive.
target_link_options(oribi_static INTERFACE -Wl,--export-dynamic)
add_library(oribi::oribi ALIAS oribi_shared)
add_library(oribi::static ALIAS oribi_static)
add_library(oribi::plugin ALIAS oribi_plugin_headers)
set_target_properties(oribi_shared PROPERTIES EXPORT_NAME oribi)
set_target_properties(oribi_static PROPERTIES EXPORT_NAME static)
foreach(library oribi_shared oribi_static)
    target_include_directories(${library} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/oribi>)
    target_link_libraries(${library} PRIVATE Threads::Threads m ${CMAKE_DL_LIBS})
    set_target_properties(${library} PROPERTIES OUTPUT_NAME oribi)
endforeach()
set_target_properties(oribi_shared PROPERTIES VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set_target_properties(oribi_static PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
target_link_libraries(oribi_shared PRIVATE oribi_harden)
# What the library calls of its own exports it calls directly: without a place in the PLT and a name to look up for each.
target_link_options(oribi_shared PRIVATE -Wl,-Bsymbolic-functions)
if(NOT ORIBI_PARTIAL AND NOT ORIBI_BUILD_FUZZ) # whose runtime is in the program
    target_link_options(oribi_shared PRIVATE -Wl,--no-undefined)
endif()

# Cases of `oribi plugin test` for the built-in plugins; found beside the library, see src/author/trial.c.
configure_file(plugins/built_in.cases.json ${PROJECT_BINARY_DIR}/lib/oribi/cases/built_in.cases.json
    COPYONLY)
