/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the tables of all commands: every option whose value is a file says what the command
 * does with the file. tests/cli/outputs_test.sh tests the refusals. */
#include <string.h>

#include "cli/program/command.h"
#include "cli/ranking/kind.h"
#include "tests/support/test.h"

static const struct mr_command *const commands[] = {
    &mr_command_append, &mr_command_bench,      &mr_command_build,    &mr_command_check,
    &mr_command_fold,   &mr_command_compare,    &mr_command_convert,  &mr_command_crawl_rank,
    &mr_command_export, &mr_command_find,       &mr_command_generate, &mr_command_hosts,
    &mr_command_info,   &mr_command_precedence, &mr_command_show,     &mr_command_transpose,
};

static const struct mr_command *command_at(size_t i)
{
    const size_t n = sizeof commands / sizeof commands[0];
    return i < n ? commands[i] : mr_kind_command_at(i - n);
}

/* Values that name no file. */
static bool is_no_file(const char *value)
{
    static const char *const values[] = {
        "NAME",
        "NAME|K",
        "COLUMN",
        "COLUMN,...",
        "HOST",
        "-RULE,+RULE,...",
        /* crawl-rank passes these values on to its steps, which parse them. */
        "FORMAT",
        "COLUMNS",
        "N",
        "WHAT",
        "N|P%",
        "T",
        "plain|zstd[:LEVEL]",
        "D",
        "E",
        "W",
        "P,P,...",
        "KIND,KIND,...",
        "CRAWLER",
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (strcmp(value, values[i]) == 0) {
            return true;
        }
    }
    /* words to choose from: keep|drop */
    return strchr(value, '|') != NULL && strpbrk(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == NULL;
}

static bool speaks_of_a_file(const char *value)
{
    return strstr(value, "FILE") != NULL || strstr(value, "STORE") != NULL ||
           strstr(value, "DIR") != NULL;
}

/* Values such as list:FILE, where a file follows a word. */
static bool names_a_file_inside(const char *value)
{
    return strcmp(value, "WHICH") == 0;
}

static bool is_text_type(const struct mr_option *option)
{
    return option->type == MR_OPTION_TEXT || option->type == MR_OPTION_TEXTS;
}

static void every_option_that_names_a_file_says_so(void **state)
{
    unsigned n_files = 0;
    (void)state;
    for (size_t i = 0; command_at(i) != NULL; i++) {
        const struct mr_option_group *groups = command_at(i)->groups;
        for (size_t g = 0; groups[g].title != NULL; g++) {
            for (const struct mr_option *o = groups[g].options; o->name != NULL; o++) {
                const char *value = o->value != NULL ? o->value : "";
                const bool is_text = is_text_type(o) && !is_no_file(value);
                const bool is_file = is_text || (speaks_of_a_file(value) && !is_no_file(value)) ||
                                     (o->type == MR_OPTION_PARSED && names_a_file_inside(value));
                if (is_file != (o->file != MR_FILE_NONE)) {
                    fail_msg("%s --%s %s: a file or none?", command_at(i)->name, o->name, value);
                }
                /* command.c reads the field as a text. */
                assert_true(o->file == MR_FILE_NONE || o->file == MR_FILE_LISTED ||
                            is_text_type(o));
                /* LISTED needs a list_files. */
                assert_true(o->file != MR_FILE_LISTED || command_at(i)->list_files != NULL);
                n_files += is_file;
            }
        }
    }
    assert_true(n_files > 60);
}

int main(void)
{
    mr_kind_set_fronts(mr_kind_fronts);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_that_names_a_file_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
