/* SPDX-License-Identifier: Apache-2.0 */
/* The names of a store's files are recognised, and no other names. */
#include "engine/io/store_files.h"

#include <stdio.h>
#include <string.h>

#include "engine/store/manifest.h"
#include "tests/support/test.h"

/* Every name that mr_store_file_path makes is recognised. */
static void every_name_that_is_made_is_known(void **state)
{
    char path[64];
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        for (unsigned i = 0; i < MR_N_FILES; i++) {
            assert_int_equal(mr_store_file_path(".", weighted != 0, i, path, sizeof path, NULL),
                             MR_OK);
            assert_true(mr_store_owns_file(path + 2));
        }
    }
    assert_true(mr_store_owns_file("LOCK"));
    assert_true(mr_store_owns_file("web.mill.edges.tmp-4711"));
}

static void other_names_are_other_peoples(void **state)
{
    static const char *const names[] = {
        "",
        ".",
        "..",
        "ranks.tsv",
        "links",
        "links.",
        "links.txt",
        "links.2",
        "links.01",
        "links.1.",
        "links.1.0",
        "links.1.2",
        "links.1.1.1",
        "links.1.tmp-3",
        "links.4294967296",
        "links.99999999999",
        "index.1.1",
        "degrees.1x",
        "names.-1",
        "Names.1",
        "names.1.gz",
        "weights.1",
        "weights.tsv",
        "weights.weights.links.1",
        "MANIFEST.txt",
        "MANIFEST~",
        "manifest",
        "LOCK.1",
        "weights.LOCK",
        "notes.tmp-12",
        "web.edges",
        "web.edges.tmp-",
        "web.edges.tmp-1x",
        "-1",
    };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (mr_store_owns_file(names[i])) {
            fail_msg("\"%s\" is taken for the store's", names[i]);
        }
    }
}

TEST_MAIN(cmocka_unit_test(every_name_that_is_made_is_known),
          cmocka_unit_test(other_names_are_other_peoples))
