# What the layers have in common: warnings, include root, installed headers, instruction-set files.

include(CheckCSourceCompiles)
check_c_source_compiles("
#if !defined(__x86_64__)
#error
#endif
int main(void) { return 0; }" MILLRACE_X86_64)

set(MILLRACE_WARNINGS -Wall -Wextra -Wshadow $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>)

# millrace_layer(NAME SOURCES file... HEADERS file... LINK target...)
#
# The static library millrace_NAME of one layer. HEADERS are its public ones, installed under
# include/millrace/NAME; a header that is not listed is private to this repository.
function(millrace_layer name)
    cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "SOURCES;HEADERS;LINK")
    add_library(millrace_${name} STATIC ${layer_SOURCES} ${layer_HEADERS})
    target_include_directories(millrace_${name}
        PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
    target_compile_options(millrace_${name} PRIVATE ${MILLRACE_WARNINGS} -Wconversion)
    target_link_libraries(millrace_${name} PUBLIC ${layer_LINK})
    install(FILES ${layer_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/millrace/${name})
endfunction()

# millrace_x86_source(TARGET FILE flag...)
#
# Adds FILE, compiled with the given flags, on x86-64 and does nothing elsewhere. The callers choose
# it at run time, inside `#if defined(__x86_64__)`. Nothing else may be compiled with such flags: the
# program has to start on a machine that lacks them.
function(millrace_x86_source target file)
    if(MILLRACE_X86_64)
        target_sources(${target} PRIVATE ${file})
        set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${ARGN}")
    endif()
endfunction()
