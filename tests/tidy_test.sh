#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Each check of tests/tidy.py finds what it looks for: a small tree that is clean, then one fault at a time.
set -euo pipefail
tidy=$(realpath "${MILLRACE_SOURCE_DIR:-$(dirname "$0")/..}")/tests/tidy.py
work=$(mktemp -d "${TMPDIR:-/tmp}/tidy.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

# Writes the tree: a box with a size, its header, a user and a test.
tree() {
    rm -rf engine cli tests
    mkdir -p engine cli tests
    : >tests/exported_symbols.txt
    cat >engine/box.h <<'END'
#ifndef BOX_H
#define BOX_H
#define BOX_MOST 9
enum box_kind { BOX_OPEN, BOX_SHUT };
struct box {
    int size;
    enum box_kind kind;
};
int mr_box_fill(struct box *box, int size);
static inline int mr_box_half(const struct box *box)
{
    return box->size / 2;
}
#endif
END
    cat >engine/box.c <<'END'
#include "engine/box.h"
int mr_box_fill(struct box *box, int size)
{
    box->size = size;
    box->kind = size > BOX_MOST ? BOX_SHUT : BOX_OPEN;
    return 0;
}
END
    cat >cli/main.c <<'END'
#include "engine/box.h"
int main(void)
{
    struct box box;
    return mr_box_fill(&box, 3) + mr_box_half(&box) + box.kind;
}
END
    cat >engine/box_test.c <<'END'
#include "engine/box.h"
END
}

# expect LINE: the tree, after a change, has this fault and no other. The names that the lists of tidy.py know are not
# in this tree.
failed=0
expect() {
    python3 "$tidy" | grep -v 'it leaves the list of tests/tidy.py' >found || true
    if [ "$(cat found)" != "$1" ]; then
        printf 'expected: %s\nfound:    %s\n' "$1" "$(cat found)" >&2
        failed=1
    fi
    tree
}
# after PATTERN LINES FILE: adds lines behind the line that matches.
after() {
    sed -i "/$1/a $2" "$3"
}

tree
expect ""
after '^#include' 'struct box {\n    int size;\n};' cli/main.c
expect "struct box: several structs have this tag"
after '^int mr_box_fill' 'int mr_box_empty(struct box *box);' engine/box.h
expect "engine/box.h: nobody calls mr_box_empty"
after '^int mr_box_fill' 'int mr_box_empty(struct box *box);' engine/box.h
after '^#include' 'int mr_box_empty(struct box *box)\n{\n    return box->size;\n}' engine/box.c
after '^    box->size' '    mr_box_empty(box);' engine/box.c
expect "engine/box.h: only engine/box.c calls mr_box_empty, which is static, then"
after '^int mr_box_fill' 'int mr_box_empty(struct box *box);' engine/box.h
after '^#include' 'int mr_box_empty(struct box *box)\n{\n    return box->size;\n}' engine/box.c
after '^#include' 'int x = mr_box_empty(0);' engine/box_test.c
expect "engine/box.h: only tests call mr_box_empty"
sed -i 's/mr_box_half(&box) + //' cli/main.c
expect "engine/box.h: nobody calls mr_box_half"
sed -i 's/mr_box_half(&box) + //' cli/main.c
after '^#include' 'int x = mr_box_half(0);' engine/box_test.c
expect "engine/box.h: only tests call mr_box_half"
after 'BOX_MOST' '#define BOX_LEAST 1' engine/box.h
expect "engine/box.h: nobody uses the macro BOX_LEAST"
after 'BOX_MOST' 'enum box_colour { BOX_RED };' engine/box.h
expect "engine/box.h: enum box_colour has one value"
after 'int size;' '    int depth;' engine/box.h
expect "engine/box.h: nobody names the field depth of struct box"
after 'int size;' '    int depth;' engine/box.h
after 'box->size = size' '    box->depth += 2;\n    box->depth++;' engine/box.c
expect "engine/box.h: nobody reads the field depth of struct box"
after 'int size;' '    int depth;' engine/box.h
after '^    struct box box;' '    if (box.depth == 1) {\n        return 1;\n    }' cli/main.c
expect "engine/box.h: nobody sets the field depth of struct box"
after 'int size;' '    int depth;' engine/box.h
after '^    struct box box;' '    if (box.depth == 1) {\n        return 1;\n    }' cli/main.c
after '^#include' 'struct box x = {.depth = 2};' engine/box_test.c
expect "engine/box.h: only tests set the field depth of struct box"
after 'int size;' '    int depth;' engine/box.h
after '^    struct box box;' '    if (box.depth == 1) {\n        return 1;\n    }' cli/main.c
after 'box->size = size' '    box->depth = 0;' engine/box.c
expect "engine/box.h: the field depth of struct box is only set to 0"
exit $failed
