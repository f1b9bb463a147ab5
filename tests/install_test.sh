#!/usr/bin/env bash
# What is installed can be used: every header compiles on its own, and a program built with nothing
# but pkg-config's answer links and runs.
set -euo pipefail

prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$MILLRACE_BUILD_DIR" --prefix "$prefix" >"$prefix/log"

export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name millrace.pc)")
# The prefix moved: it is where the .pc file lies, not where it was configured for.
read -ra cflags <<<"$(pkg-config --define-variable=prefix="$prefix" --cflags millrace)"
read -ra libs <<<"$(pkg-config --define-variable=prefix="$prefix" --libs millrace)"

warnings=(-std=c17 -Wall -Wextra -Werror)
while IFS= read -r header; do
    echo "#include <${header#"$prefix/include/"}>" >"$prefix/one.c"
    "${CC:-cc}" "${warnings[@]}" "${cflags[@]}" -fsyntax-only "$prefix/one.c"
done < <(find "$prefix/include" -name '*.h' | sort)

cat >"$prefix/consumer.c" <<'END'
#include <millrace/millrace.h>
#include <stdio.h>

int main(void)
{
    struct mr_memory *memory = NULL;
    struct mr_error err = {0};
    if (mr_memory_create(UINT64_MAX, &memory, &err) != MR_OK) {
        return 1;
    }
    mr_memory_destroy(memory);
    puts(MR_VERSION);
    return 0;
}
END
"${CC:-cc}" "${warnings[@]}" "${cflags[@]}" "$prefix/consumer.c" -o "$prefix/consumer" "${libs[@]}"
version=$(LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH") "$prefix/consumer")
[ "$version" = "$(pkg-config --modversion millrace)" ]
[ -x "$prefix/bin/millrace" ]
echo "installed, version $version"
