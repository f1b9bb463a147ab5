# SPDX-License-Identifier: Apache-2.0
# Writes the man pages and the completions into DIRECTORY with the program MILLRACE. The build runs
# this as a script (cli/CMakeLists.txt).
function(write file)
    execute_process(COMMAND ${MILLRACE} help ${ARGN} OUTPUT_FILE ${DIRECTORY}/${file}
        COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${DIRECTORY})
execute_process(COMMAND ${MILLRACE} help --man OUTPUT_VARIABLE pages COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "\n" ";" pages "${pages}")
foreach(page ${pages})
    string(REGEX MATCH "[0-9]$" section ${page})
    file(MAKE_DIRECTORY ${DIRECTORY}/man/man${section})
    write(man/man${section}/${page} --man ${page})
endforeach()
file(MAKE_DIRECTORY ${DIRECTORY}/completions)
write(completions/millrace --completion bash)
write(completions/_millrace --completion zsh)
write(completions/millrace.fish --completion fish)
file(TOUCH ${DIRECTORY}/stamp)
