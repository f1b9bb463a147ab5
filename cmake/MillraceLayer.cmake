# SPDX-License-Identifier: Apache-2.0
# What the folders have in common: layers, sources, files for one instruction set.
#
# A layer (engine, generators, formats, algorithms, library) is one static library. Each folder of a layer names its
# own files in its own CMakeLists.txt and adds them to the library of the layer.

include(CheckCSourceCompiles)
check_c_source_compiles("
#if !defined(__x86_64__)
#error
#endif
int main(void) { return 0; }" MILLRACE_X86_64)

set(MILLRACE_WARNINGS -Wall -Wextra -Wshadow $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>)

# millrace_layer(NAME target...)
#
# The static library millrace_NAME, which links the given targets. Its folders add the sources.
function(millrace_layer name)
    add_library(millrace_${name} STATIC)
    target_include_directories(millrace_${name}
        PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/generated)
    target_compile_options(millrace_${name} PRIVATE ${MILLRACE_WARNINGS} -Wconversion)
    target_link_libraries(millrace_${name} PUBLIC ${ARGN})
endfunction()

# millrace_sources(LAYER file...): sources of the current folder, for every machine.
function(millrace_sources layer)
    list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    target_sources(millrace_${layer} PRIVATE ${ARGN})
endfunction()

# millrace_x86_source(LAYER file flag...)
#
# Adds a file, compiled with the given flags, on x86-64 and does nothing elsewhere. The callers choose
# it at run time, inside `#if defined(__x86_64__)`. Nothing else may be compiled with such flags: the
# program has to start on a machine that lacks them.
function(millrace_x86_source layer file)
    if(MILLRACE_X86_64)
        set(path ${CMAKE_CURRENT_SOURCE_DIR}/${file})
        target_sources(millrace_${layer} PRIVATE ${path})
        set_source_files_properties(${path} TARGET_DIRECTORY millrace_${layer}
            PROPERTIES COMPILE_OPTIONS "${ARGN};${MILLRACE_KERNEL_OPTIONS}")
    endif()
endfunction()
