# Somebody else's project, which finds the installed library by its CMake package.
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES C CXX)
find_package(millrace @VERSION@ REQUIRED)
add_executable(in_c consumer.c)
target_link_libraries(in_c PRIVATE millrace::millrace m)
configure_file(consumer.c consumer.cpp COPYONLY)
add_executable(in_cxx ${CMAKE_CURRENT_BINARY_DIR}/consumer.cpp)
target_link_libraries(in_cxx PRIVATE millrace::millrace m)
