/* SPDX-License-Identifier: Apache-2.0 */
/* Build files for CMake, Zephyr, ESP-IDF and CMSIS-Pack; of Arduino and PlatformIO, which compile
 * what they find: emit_library.c. They list the files that are there, so they are made last. Names
 * in them are identifiers; no text of the model goes in.
 */
#include <string.h>

#include "compile/emit/emit_parts.h"
#include "tensor/status.h"

static bool ends_with(const char *name, const char *end)
{
    const size_t n = strlen(name), m = strlen(end);
    return n >= m && strcmp(name + n - m, end) == 0;
}

static bool is_source(const char *name)
{
    return ends_with(name, ".c") || ends_with(name, ".S");
}

static const char *library(const oribi_compile *all)
{
    return all->programs[0]->name;
}

static void head(const oribi_compile *all, oribi_writer *w, const char *what)
{
    oribi_writer_line(w, "# SPDX-License-Identifier: 0BSD");
    oribi_writer_line(w, "# %s tvmgen_%s, made by oribi %s.", what, library(all), oribi_version());
}

static void list(const oribi_compile *all, oribi_writer *w, const char *format)
{
    for (int32_t i = 0; i < all->files.n; i++) {
        const char *name = all->files.items[i].name;
        if (is_source(name) || ends_with(name, ".o")) {
            oribi_writer_line(w, "%s%s", format, name);
        }
    }
}

/* The assembler looks for the file of weights beside the source. */
static void assembly(const oribi_compile *all, oribi_writer *w)
{
    for (int32_t i = 0; i < all->files.n; i++) {
        const char *name = all->files.items[i].name;
        if (!ends_with(name, ".S")) {
            continue;
        }
        const char *slash = strrchr(name, '/');
        const int length = slash != NULL ? (int)(slash - name) : 0;
        const char *gap = length > 0 ? "/" : "";
        oribi_writer_line(w, "set_source_files_properties(%s PROPERTIES", name);
        oribi_writer_line(w, "    COMPILE_OPTIONS \"-Wa,-I${CMAKE_CURRENT_SOURCE_DIR}%s%.*s\"", gap,
                          length, name);
        oribi_writer_line(w, "    OBJECT_DEPENDS \"${CMAKE_CURRENT_SOURCE_DIR}/%.*s.bin\")",
                          (int)strlen(name) - 2, name);
    }
}

const char *oribi_emit_flags(const oribi_compile *all)
{
    switch (all->options.optimize) {
    case ORIBI_OPTIMIZE_SIZE:
        return "-ffp-contract=off;-Os";
    case ORIBI_OPTIMIZE_SPEED:
        return "-ffp-contract=off;-O3";
    default:
        return "-ffp-contract=off";
    }
}

static bool has_assembly(const oribi_compile *all)
{
    return all->options.weights == ORIBI_WEIGHTS_INCBIN;
}

/* --- CMake ----------------------------------------------------------------------------------- */

static bool emit_cmake(const oribi_compile *all, oribi_files *files, TF_Status *status)
{
    oribi_writer w = {0};
    const char *name = library(all);
    head(all, &w, "Library");
    oribi_writer_line(&w, "# add_subdirectory() this folder and link with tvmgen_%s.", name);
    oribi_writer_line(&w, "cmake_minimum_required(VERSION 3.13)");
    oribi_writer_line(&w, "project(tvmgen_%s C%s)", name, has_assembly(all) ? " ASM" : "");
    oribi_writer_open(&w, "add_library(tvmgen_%s STATIC", name);
    list(all, &w, "");
    oribi_writer_close(&w, ")");
    oribi_writer_line(&w, "target_include_directories(tvmgen_%s PUBLIC", name);
    oribi_writer_line(&w, "    ${CMAKE_CURRENT_SOURCE_DIR})");
    oribi_writer_line(&w, "set_target_properties(tvmgen_%s PROPERTIES C_STANDARD 99)", name);
    oribi_writer_line(&w, "if(CMAKE_C_COMPILER_ID MATCHES \"GNU|Clang\")");
    oribi_writer_line(&w, "    target_compile_options(tvmgen_%s PRIVATE", name);
    oribi_writer_line(&w, "        \"$<$<COMPILE_LANGUAGE:C>:%s>\")", oribi_emit_flags(all));
    oribi_writer_line(&w, "endif()");
    assembly(all, &w);
    return oribi_files_add(files, &w.text, status, "CMakeLists.txt");
}

/* --- Zephyr ---------------------------------------------------------------------------------- */

static bool emit_zephyr(const oribi_compile *all, oribi_files *files, TF_Status *status)
{
    oribi_writer w = {0}, module = {0}, kconfig = {0};
    const char *name = library(all), *macro = all->programs[0]->macro;
    head(all, &w, "Zephyr module");
    oribi_writer_line(&w, "# Name this folder in ZEPHYR_EXTRA_MODULES.");
    oribi_writer_line(&w, "if(CONFIG_TVMGEN_%s)", macro);
    w.depth++;
    oribi_writer_line(&w, "zephyr_library_named(tvmgen_%s)", name);
    oribi_writer_line(&w, "zephyr_include_directories(include)");
    oribi_writer_open(&w, "zephyr_library_sources(");
    list(all, &w, "");
    oribi_writer_close(&w, ")");
    oribi_writer_line(&w, "zephyr_library_compile_options(");
    oribi_writer_line(&w, "    \"$<$<COMPILE_LANGUAGE:C>:%s>\")", oribi_emit_flags(all));
    assembly(all, &w);
    w.depth--;
    oribi_writer_line(&w, "endif()");
    ORIBI_TRY(oribi_files_add(files, &w.text, status, "CMakeLists.txt"));
    head(all, &module, "Zephyr module");
    oribi_writer_line(&module, "name: tvmgen_%s", name);
    oribi_writer_line(&module, "build:");
    oribi_writer_line(&module, "  cmake: .");
    oribi_writer_line(&module, "  kconfig: Kconfig");
    ORIBI_TRY(oribi_files_add(files, &module.text, status, "zephyr/module.yml"));
    head(all, &kconfig, "Options of the Zephyr module");
    oribi_writer_line(&kconfig, "config TVMGEN_%s", macro);
    oribi_writer_line(&kconfig, "\tbool \"Compiled model %s\"", name);
    oribi_writer_line(&kconfig, "\tdefault y");
    return oribi_files_add(files, &kconfig.text, status, "Kconfig");
}

/* --- ESP-IDF --------------------------------------------------------------------------------- */

static bool emit_esp_idf(const oribi_compile *all, oribi_files *files, TF_Status *status)
{
    oribi_writer w = {0}, yaml = {0};
    head(all, &w, "Component");
    oribi_writer_line(&w, "# Put this folder into components/ of a project, as tvmgen_%s.",
                      library(all));
    oribi_writer_line(&w, "idf_component_register(");
    oribi_writer_line(&w, "    SRCS");
    w.depth = 2;
    for (int32_t i = 0; i < all->files.n; i++) {
        if (is_source(all->files.items[i].name)) {
            oribi_writer_line(&w, "\"%s\"", all->files.items[i].name);
        }
    }
    w.depth = 0;
    oribi_writer_line(&w, "    INCLUDE_DIRS \"include\")");
    oribi_writer_line(&w, "target_compile_options(${COMPONENT_LIB} PRIVATE");
    oribi_writer_line(&w, "    \"$<$<COMPILE_LANGUAGE:C>:%s>\")", oribi_emit_flags(all));
    for (int32_t i = 0; i < all->files.n; i++) {
        if (ends_with(all->files.items[i].name, ".o")) {
            oribi_writer_line(&w, "target_link_libraries(${COMPONENT_LIB} INTERFACE");
            oribi_writer_line(&w, "    \"${CMAKE_CURRENT_SOURCE_DIR}/%s\")",
                              all->files.items[i].name);
        }
    }
    assembly(all, &w);
    ORIBI_TRY(oribi_files_add(files, &w.text, status, "CMakeLists.txt"));
    head(all, &yaml, "Component");
    oribi_writer_line(&yaml, "version: \"%s\"", oribi_version());
    oribi_writer_line(&yaml, "description: \"Compiled model %s\"", library(all));
    oribi_writer_line(&yaml, "license: \"%s\"", ORIBI_EMIT_LICENCE);
    return oribi_files_add(files, &yaml.text, status, "idf_component.yml");
}

/* --- CMSIS-Pack ------------------------------------------------------------------------------ */

static void pack_files(const oribi_compile *all, oribi_writer *w)
{
    oribi_writer_line(w, "<file category=\"include\" name=\"include/\"/>");
    for (int32_t i = 0; i < all->files.n; i++) {
        const char *name = all->files.items[i].name;
        const char *category = ends_with(name, ".c")                              ? "sourceC"
                               : ends_with(name, ".S")                            ? "sourceAsm"
                               : ends_with(name, ".o")                            ? "object"
                               : strncmp(name, "include/", 8) == 0                ? "header"
                               : ends_with(name, ".h") || ends_with(name, ".bin") ? "other"
                                                                                  : NULL;
        if (category != NULL) {
            oribi_writer_line(w, "<file category=\"%s\" name=\"%s\"/>", category, name);
        }
    }
}

static bool emit_cmsis_pack(const oribi_compile *all, oribi_files *files, TF_Status *status)
{
    oribi_writer w = {0};
    const char *name = library(all);
    oribi_writer_line(&w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    oribi_writer_line(&w, "<!-- SPDX-License-Identifier: 0BSD -->");
    oribi_writer_open(&w, "<package schemaVersion=\"1.7.28\""
                          " xmlns:xs=\"http://www.w3.org/2001/XMLSchema-instance\""
                          " xs:noNamespaceSchemaLocation=\"PACK.xsd\">");
    oribi_writer_line(&w, "<vendor>Oribi</vendor>");
    oribi_writer_line(&w, "<name>tvmgen_%s</name>", name);
    oribi_writer_line(&w, "<description>Compiled model %s</description>", name);
    oribi_writer_line(&w, "<url></url>");
    oribi_writer_line(&w, "<license>LICENSE</license>");
    oribi_writer_open(&w, "<releases>");
    oribi_writer_line(&w, "<release version=\"%s\">Made by oribi.</release>", oribi_version());
    oribi_writer_close(&w, "</releases>");
    oribi_writer_open(&w, "<components>");
    oribi_writer_open(&w,
                      "<component Cclass=\"Machine Learning\" Cgroup=\"Model\" Csub=\"%s\""
                      " Cversion=\"%s\">",
                      name, oribi_version());
    oribi_writer_line(&w, "<description>Compiled model %s</description>", name);
    oribi_writer_open(&w, "<files>");
    pack_files(all, &w);
    oribi_writer_close(&w, "</files>");
    oribi_writer_close(&w, "</component>");
    oribi_writer_close(&w, "</components>");
    oribi_writer_close(&w, "</package>");
    ORIBI_TRY(oribi_files_add(files, &w.text, status, "Oribi.tvmgen_%s.pdsc", name));
    oribi_writer layer = {0};
    head(all, &layer, "Layer for csolution projects with");
    oribi_writer_line(&layer, "layer:");
    oribi_writer_line(&layer, "  type: Model");
    oribi_writer_line(&layer, "  description: Compiled model %s", name);
    oribi_writer_line(&layer, "  packs:");
    oribi_writer_line(&layer, "    - pack: Oribi::tvmgen_%s", name);
    oribi_writer_line(&layer, "      path: .");
    oribi_writer_line(&layer, "  components:");
    oribi_writer_line(&layer, "    - component: Oribi::Machine Learning:Model:%s", name);
    ORIBI_TRY(oribi_files_add(files, &layer.text, status, "tvmgen_%s.clayer.yml", name));
    oribi_writer text = {0};
    oribi_writer_line(&text, "SPDX-License-Identifier: %s", ORIBI_EMIT_LICENCE);
    oribi_writer_line(&text, "https://spdx.org/licenses/0BSD.html");
    return oribi_files_add(files, &text.text, status, "LICENSE");
}

bool oribi_emit_build(const oribi_compile *all, oribi_files *files, TF_Status *status)
{
    switch (all->options.layout) {
    case ORIBI_LAYOUT_CMAKE:
        return emit_cmake(all, files, status);
    case ORIBI_LAYOUT_ZEPHYR:
        return emit_zephyr(all, files, status);
    case ORIBI_LAYOUT_ESP_IDF:
        return emit_esp_idf(all, files, status);
    case ORIBI_LAYOUT_ARDUINO:
        return oribi_emit_arduino(all, files, status);
    case ORIBI_LAYOUT_PLATFORMIO:
        return oribi_emit_platformio(all, files, status);
    case ORIBI_LAYOUT_CMSIS_PACK:
        return emit_cmsis_pack(all, files, status);
    default:
        return true;
    }
}
