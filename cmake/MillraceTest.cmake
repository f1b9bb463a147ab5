# SPDX-License-Identifier: Apache-2.0
# How tests are registered. All of this does nothing unless MILLRACE_TESTS is on, so that a layer's
# CMakeLists.txt can name its tests without an if.
#
# Labels say where ./dev test runs a test:
#   unit         one module                                               under sanitizers
#   hostile      damaged and hostile files                                under sanitizers
#   cli, tree    scripts that run the program, or look at the sources     release build
#   slow         other scripts                                            release build
#   optimised    modules that depend on the compiler or the processor     both
#   conformance, crash                                                    both, unless `slow` as well
# The targets release_tests and sanitizer_tests are what these tests need.
#
# Every test runs in a directory of its own, which is also its TMPDIR, with MILLRACE (the program,
# absolute) and MILLRACE_SOURCE_DIR (the repository) in its environment. Exit code 77 means skipped.
# Nothing waits for the disk but tests of crashes and full disks (tests/support/unsynced.c).
# With OMP_WAIT_POLICY the program starts once for each command, and not twice (cli/main.c).
#
# A limit of time catches what hangs, and nothing else: tests are bounded by counts. No test takes a minute on a
# quiet machine, and a machine with other work may give it a fifteenth of that.

# Tests start python3 hundreds of times. A wrapper (pyenv) takes many times as long to start as the interpreter
# behind it, and the python3 of a user may lack the modules that ./dev deps installs for the system's. Tests get
# the first of the two that has numpy, by a link that comes first in their PATH. An empty PYTHONUNBUFFERED undoes
# that of the caller, with which Python makes a system call of each line that it prints.
set(millrace_test_path $ENV{PATH})
if(MILLRACE_TESTS)
    add_custom_target(release_tests)
    add_custom_target(sanitizer_tests)
    foreach(millrace_module sys numpy)
        foreach(millrace_python /usr/bin/python3 python3)
            execute_process(COMMAND ${millrace_python} -c "import ${millrace_module}, sys; print(sys.executable)"
                OUTPUT_VARIABLE millrace_python_path OUTPUT_STRIP_TRAILING_WHITESPACE
                ERROR_QUIET RESULT_VARIABLE millrace_python_failed)
            if(NOT millrace_python_failed)
                set(millrace_test_python ${millrace_python_path})
            endif()
        endforeach()
    endforeach()
    if(millrace_test_python)
        file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/scratch/bin)
        file(CREATE_LINK ${millrace_test_python} ${PROJECT_BINARY_DIR}/scratch/bin/python3 SYMBOLIC)
        set(millrace_test_path ${PROJECT_BINARY_DIR}/scratch/bin:$ENV{PATH})
    endif()
endif()

function(millrace_test_properties name labels)
    set(scratch ${PROJECT_BINARY_DIR}/scratch/${name})
    file(MAKE_DIRECTORY ${scratch})
    set_tests_properties(${name} PROPERTIES
        WORKING_DIRECTORY ${scratch}
        TIMEOUT 3600
        SKIP_RETURN_CODE 77
        ENVIRONMENT "PATH=${millrace_test_path};PYTHONUNBUFFERED=;OMP_WAIT_POLICY=passive;TMPDIR=${scratch};MILLRACE=${PROJECT_BINARY_DIR}/cli/millrace${MILLRACE_PROGRAM_SUFFIX};MILLRACE_SOURCE_DIR=${PROJECT_SOURCE_DIR};MILLRACE_BUILD_DIR=${PROJECT_BINARY_DIR}"
        LABELS "${labels}")
    if(NOT "crash" IN_LIST labels)
        set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "LD_PRELOAD=$<TARGET_FILE:millrace_unsynced>")
    endif()
endfunction()

# millrace_test(NAME LIBRARY source... [LABELS label...])
#
# A cmocka program linked with one layer's library: millrace_engine, millrace_formats,
# millrace_algorithms, or millrace_static for the whole. Labelled `unit` unless told otherwise.
function(millrace_test name library)
    if(NOT MILLRACE_TESTS)
        return()
    endif()
    cmake_parse_arguments(PARSE_ARGV 2 test "" "" "LABELS")
    if(NOT test_LABELS)
        set(test_LABELS unit)
    endif()
    add_executable(${name} ${test_UNPARSED_ARGUMENTS})
    # Tests themselves need no speed: -O1 takes two thirds of the time to compile.
    target_compile_options(${name} PRIVATE ${MILLRACE_WARNINGS} -O1)
    target_link_libraries(${name} PRIVATE millrace_test_support ${library} PkgConfig::CMOCKA m)
    add_dependencies(sanitizer_tests ${name})
    if(NOT test_LABELS STREQUAL unit)
        add_dependencies(release_tests ${name})
    endif()
    add_test(NAME ${name} COMMAND ${name})
    millrace_test_properties(${name} "${test_LABELS}")
endfunction()

# millrace_script_test(NAME SCRIPT [LABELS label...])
#
# A bash script, mostly one that runs the program. Labelled `cli` unless told otherwise. Under the address sanitizer
# the search for leaks takes a third of each start of the program; unit tests do it, and torture, for each command.
function(millrace_script_test name script)
    if(NOT MILLRACE_TESTS)
        return()
    endif()
    cmake_parse_arguments(PARSE_ARGV 2 test "" "" "LABELS")
    if(NOT test_LABELS)
        set(test_LABELS cli)
    endif()
    add_test(NAME ${name} COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/${script})
    millrace_test_properties(${name} "${test_LABELS}")
    # Projects that a test configures: the default of CMake is make, which nobody needs to have.
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "CMAKE_GENERATOR=${CMAKE_GENERATOR}")
    if(CMAKE_C_FLAGS MATCHES "-fsanitize=address")
        set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT
            "ASAN_OPTIONS=strict_string_checks=1:allocator_may_return_null=1:detect_leaks=0:verify_asan_link_order=0")
    endif()
endfunction()
