/* SPDX-License-Identifier: Apache-2.0 */
/* Tests JSON with numbers that are not finite or too large, and with bytes that are not UTF-8. */
#include <math.h>
#include <stdlib.h>

#include "cli/program/json.h"

#include "tests/support/test.h"

static void every_kind_of_value(void **state)
{
    (void)state;
    const char *const words[] = {"a b", "\xff"};
    struct mr_json json = mr_json_create();
    char *text = NULL;

    mr_json_count(&json, "count", 9007199254740993);
    mr_json_real(&json, "real", 0.1);
    mr_json_real(&json, "small", -1e-11);
    mr_json_real(&json, "third", 1.0 / 3);
    mr_json_real(&json, "long", 1.2345678901234567e-9);
    mr_json_real(&json, "whole", 12345678901234568.0);
    mr_json_real(&json, "none", NAN);
    mr_json_flag(&json, "flag", true);
    mr_json_text(&json, "text", "caf\xc3\xa9 \"x\" 0.10000000000000001");
    mr_json_text(&json, "not_utf8", "caf\xe9");
    mr_json_text(&json, "null", NULL);
    mr_json_id(&json, "id", 0xfedcba9876543210);
    mr_json_texts(&json, "words", words, 2);
    assert_int_equal(MR_OK, mr_json_dump(&json, &text, NULL));
    assert_string_equal("{\n"
                        "  \"count\": 9007199254740993,\n"
                        "  \"real\": 0.1,\n"
                        "  \"small\": -1e-11,\n"
                        "  \"third\": 0.3333333333333333,\n"
                        "  \"long\": 1.2345678901234566e-9,\n"
                        "  \"whole\": 12345678901234568.0,\n"
                        "  \"none\": null,\n"
                        "  \"flag\": true,\n"
                        "  \"text\": \"caf\xc3\xa9 \\\"x\\\" 0.10000000000000001\",\n"
                        "  \"not_utf8\": \"caf\\\\xe9\",\n"
                        "  \"null\": null,\n"
                        "  \"id\": \"fedcba9876543210\",\n"
                        "  \"words\": [\n"
                        "    \"a b\",\n"
                        "    \"\\\\xff\"\n"
                        "  ]\n"
                        "}\n",
                        text);
    free(text);
    mr_json_destroy(&json);
}

static void a_lost_value_is_an_error(void **state)
{
    (void)state;
    struct mr_json json = mr_json_create();
    char *text = NULL;

    mr_json_add(&json, "lost", NULL);
    assert_int_equal(MR_ERROR_BUDGET, mr_json_dump(&json, &text, NULL));
    assert_null(text);
    mr_json_destroy(&json);
}

TEST_MAIN(cmocka_unit_test(every_kind_of_value), cmocka_unit_test(a_lost_value_is_an_error))
