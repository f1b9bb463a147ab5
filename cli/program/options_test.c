/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the parser with a small table that has every type of option. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/program/options.h"

#include "tests/support/test.h"

struct inner_flags {
    int color;
    const char *list;
    struct mr_texts several;
};

struct flags {
    bool quiet;
    const char *output;
    struct mr_size memory;
    uint64_t levels;
    double damping;
    int parsed;
    struct inner_flags inner;
};

static enum mr_status parse_even(const char *text, void *value, struct mr_error *err)
{
    const int number = atoi(text);
    if (number % 2 != 0) {
        return mr_error_set(err, MR_ERROR_USAGE, "must be even");
    }
    *(int *)value = number;
    return MR_OK;
}

static const struct mr_option outer_options[] = {
    {.name = "quiet",
     .letter = 'q',
     .type = MR_OPTION_FLAG,
     .offset = offsetof(struct flags, quiet),
     .help = "Say nothing."},
    {.name = "output",
     .letter = 'o',
     .type = MR_OPTION_TEXT,
     .offset = offsetof(struct flags, output),
     .value = "FILE",
     .help = "Where to write."},
    {.name = "memory",
     .type = MR_OPTION_SIZE,
     .offset = offsetof(struct flags, memory),
     .value = "SIZE",
     .help = "How much. This explanation is so long that it does not fit on one line of eighty "
             "columns."},
    {.name = "levels",
     .type = MR_OPTION_COUNT,
     .offset = offsetof(struct flags, levels),
     .value = "N",
     .least = 1,
     .most = 126,
     .help = "How many."},
    {.name = "damping",
     .also = "alpha d",
     .type = MR_OPTION_REAL,
     .offset = offsetof(struct flags, damping),
     .value = "A",
     .range = {.least = 0.0, .most = 1.0, .below_most = true},
     .help = "How much of it."},
    {.name = "parsed",
     .type = MR_OPTION_PARSED,
     .offset = offsetof(struct flags, parsed),
     .value = "EVEN",
     .parse = parse_even,
     .help = "An even number."},
    {0}};

static const struct mr_option inner_options[] = {{.name = "color",
                                                  .type = MR_OPTION_CHOICE,
                                                  .offset = offsetof(struct inner_flags, color),
                                                  .choices = "red|green|blue-and-yellow",
                                                  .may_be_alone = true,
                                                  .help = "Which."},
                                                 {.name = "list",
                                                  .type = MR_OPTION_TEXT,
                                                  .offset = offsetof(struct inner_flags, list),
                                                  .value = "FILE",
                                                  .help = "Of what."},
                                                 {.name = "several",
                                                  .type = MR_OPTION_TEXTS,
                                                  .offset = offsetof(struct inner_flags, several),
                                                  .value = "FILE",
                                                  .help = "Some."},
                                                 {0}};

static const struct mr_option_group groups[] = {
    {.title = "Outer", .options = outer_options, .base = 0},
    {.title = "Inner", .options = inner_options, .base = offsetof(struct flags, inner)},
    {0}};

/* Parses a NULL-terminated list of arguments. */
static enum mr_status parse(struct flags *flags, struct mr_parsed *parsed, struct mr_error *err,
                            const char *const *arguments)
{
    char *argv[32];
    int argc = 0;
    while (arguments[argc] != NULL) {
        memcpy(&argv[argc], &arguments[argc], sizeof argv[argc]); /* argv is not const in C */
        argc++;
    }
    argv[argc] = NULL;
    *flags = (struct flags){.levels = 5, .damping = 0.85};
    return mr_options_parse("test", groups, flags, argc, argv, parsed, err);
}

#define PARSE(flags, parsed, err, ...)                                                             \
    parse(flags, parsed, err, (const char *const[]){__VA_ARGS__, NULL})

static void nothing_given_leaves_the_defaults(void **state)
{
    (void)state;
    struct flags flags;
    struct mr_parsed parsed;
    assert_int_equal(MR_OK, parse(&flags, &parsed, NULL, (const char *const[]){NULL}));
    assert_int_equal(0, parsed.n_operands);
    assert_int_equal(5, flags.levels);
    assert_true(flags.damping == 0.85);
    assert_false(parsed.help);
    assert_null(mr_options_given(&parsed, outer_options, NULL));
    mr_parsed_free(&parsed);
}

static void every_type_is_read_both_ways(void **state)
{
    (void)state;
    struct flags flags;
    struct mr_parsed parsed;

    assert_int_equal(MR_OK, PARSE(&flags, &parsed, NULL, "--quiet", "--output", "out", "--memory",
                                  "64M", "--levels", "7", "--damping", "0.5", "--parsed", "8",
                                  "--color", "green", "--list", "names"));
    mr_parsed_free(&parsed);
    struct flags same;
    assert_int_equal(MR_OK, PARSE(&same, &parsed, NULL, "--list=names", "--color=green",
                                  "--parsed=8", "--damping=0.5", "--levels=7", "--memory=64M",
                                  "--output=out", "--quiet"));
    mr_parsed_free(&parsed);
    assert_true(flags.quiet && same.quiet);
    assert_string_equal("out", flags.output);
    assert_string_equal("out", same.output);
    assert_int_equal(64000000, flags.memory.bytes);
    assert_int_equal(64000000, same.memory.bytes);
    assert_int_equal(7, flags.levels);
    assert_int_equal(7, same.levels);
    assert_true(flags.damping == 0.5 && same.damping == 0.5);
    assert_int_equal(8, flags.parsed);
    assert_int_equal(8, same.parsed);
    assert_int_equal(1, flags.inner.color);
    assert_int_equal(1, same.inner.color);
    assert_string_equal("names", flags.inner.list);
    assert_string_equal("names", same.inner.list);
}

static void options_and_operands_mix(void **state)
{
    (void)state;
    struct flags flags;
    struct mr_parsed parsed;

    assert_int_equal(MR_OK, PARSE(&flags, &parsed, NULL, "a", "-oo2", "b", "--quiet", "-", "--list",
                                  "--quiet", "--", "--color", "-x"));
    assert_int_equal(5, parsed.n_operands);
    assert_string_equal("a", parsed.operands[0]);
    assert_string_equal("b", parsed.operands[1]);
    assert_string_equal("-", parsed.operands[2]);
    assert_string_equal("--color", parsed.operands[3]);
    assert_string_equal("-x", parsed.operands[4]);
    assert_string_equal("o2", flags.output);
    assert_string_equal("--quiet", flags.inner.list);
    assert_true(flags.quiet);
    assert_string_equal("output", mr_options_given(&parsed, outer_options, NULL));
    assert_string_equal("list", mr_options_given(&parsed, inner_options, NULL));
    assert_string_equal("output", mr_options_given(&parsed, outer_options, "output"));
    assert_null(mr_options_given(&parsed, inner_options, "output"));
    assert_int_equal(3, parsed.n_given);
    assert_string_equal("o2", parsed.given[0].text);
    assert_null(parsed.given[1].text);
    assert_string_equal("--quiet", parsed.given[2].text);
    mr_parsed_free(&parsed);
}

static void values_may_hold_an_equals_sign(void **state)
{
    (void)state;
    struct flags flags;
    struct mr_parsed parsed;
    assert_int_equal(MR_OK, PARSE(&flags, &parsed, NULL, "--output=a=b"));
    assert_string_equal("a=b", flags.output);
    mr_parsed_free(&parsed);
}

static void help_is_seen_anywhere(void **state)
{
    (void)state;
    struct flags flags;
    struct mr_parsed parsed;
    assert_int_equal(MR_OK, PARSE(&flags, &parsed, NULL, "a", "--help"));
    assert_true(parsed.help);
    mr_parsed_free(&parsed);
    assert_false(parsed.short_help);
    assert_int_equal(MR_OK, PARSE(&flags, &parsed, NULL, "-h", "a"));
    assert_true(parsed.short_help);
    assert_false(parsed.help);
    mr_parsed_free(&parsed);
}

#define CHECK_ERROR(message_expected, ...)                                                         \
    do {                                                                                           \
        struct flags flags_;                                                                       \
        struct mr_parsed parsed_;                                                                  \
        struct mr_error err_ = {0};                                                                \
        assert_int_equal(MR_ERROR_USAGE, PARSE(&flags_, &parsed_, &err_, __VA_ARGS__));            \
        assert_string_equal(message_expected, err_.message);                                       \
    } while (0)

/* Values of some options add up; a second value of the others would replace the first in
 * silence. */
static void an_option_is_given_once_unless_its_values_add_up(void **state)
{
    static const char *const twice[][5] = {{"-o", "a", "--output=b", NULL},
                                           {"--damping", "0.5", "--damping", "0.5", NULL},
                                           {"--parsed=2", "--parsed", "4", NULL},
                                           {"--color", "red", "--color=blue", NULL}};
    struct flags flags;
    struct mr_parsed parsed;
    (void)state;

    for (size_t i = 0; i < sizeof twice / sizeof twice[0]; i++) {
        struct mr_error err = {0};
        assert_int_equal(MR_ERROR_USAGE, parse(&flags, &parsed, &err, twice[i]));
        assert_non_null(strstr(err.message, "is given twice; leave one out"));
    }
    assert_int_equal(
        MR_OK, PARSE(&flags, &parsed, NULL, "--quiet", "--several", "a", "--quiet", "--several=b"));
    assert_int_equal(flags.inner.several.n, 2);
    assert_string_equal(flags.inner.several.items[0], "a");
    assert_string_equal(flags.inner.several.items[1], "b");
    mr_parsed_free(&parsed);
}

static void errors_say_what_would_be_right(void **state)
{
    (void)state;
    CHECK_ERROR("--damping 1.5: must be at least 0 and below 1", "--damping", "1.5");
    CHECK_ERROR("--damping 1.5: must be at least 0 and below 1", "--damping=1.5");
    CHECK_ERROR("--levels 127: must be from 1 to 126", "x", "--levels", "127");
    CHECK_ERROR("--levels : not a whole number; write its digits, such as 1000", "--levels=");
    CHECK_ERROR("--color gren: must be red, green or blue-and-yellow; did you mean green?",
                "--color=gren");
    CHECK_ERROR("--parsed 3: must be even", "--parsed", "3");
    CHECK_ERROR("-o : must not be empty", "-o", "");
    CHECK_ERROR("--output: needs a value: --output FILE", "--output");
    CHECK_ERROR("-o: needs a value: -o FILE", "a", "-o");
    CHECK_ERROR("--quiet: takes no value", "--quiet=yes");
}

static void letters_go_together_and_a_choice_may_stand_alone(void **state)
{
    (void)state;
    struct flags flags;
    struct mr_parsed parsed;
    static const char *const lines[][6] = {
        {"-qo", "out", "--color", NULL},        {"-qoout", "--color", "file", NULL},
        {"-q", "-oout", "--color=green", NULL}, {"--color", "green", "-qo", "out", NULL},
        {"-qqo", "out", "--color", "-q", NULL},
    };

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_int_equal(MR_OK, parse(&flags, &parsed, NULL, lines[i]));
        assert_true(flags.quiet);
        assert_string_equal(flags.output, "out");
        assert_int_equal(flags.inner.color, 1);
        assert_int_equal(parsed.n_operands, i == 1);
        mr_parsed_free(&parsed);
    }
}

static void unknown_options_get_a_suggestion(void **state)
{
    (void)state;
    CHECK_ERROR("unknown option --dampign; did you mean --damping? 'millrace help test' lists all",
                "--dampign=0.5");
    CHECK_ERROR("unknown option --lev; did you mean --levels? 'millrace help test' lists all",
                "--lev", "5");
    CHECK_ERROR("unknown option -quiet; did you mean --quiet? 'millrace help test' lists all",
                "-quiet");
    CHECK_ERROR(
        "unknown option --alpha; it is --damping here, and 'millrace help test' explains it",
        "--alpha", "0.85");
    CHECK_ERROR("unknown option --d; it is --damping here, and 'millrace help test' explains it",
                "--d=3");
    CHECK_ERROR("unknown option -out; did you mean --output? 'millrace help test' lists all",
                "-out", "x.tsv");
    CHECK_ERROR("unknown option -output; did you mean --output? 'millrace help test' lists all",
                "-output=x.tsv");
    CHECK_ERROR("unknown option -alpha; it is --damping here, and 'millrace help test' explains it",
                "-alpha", "0.85");
    CHECK_ERROR("unknown option --scores; files are named without it: millrace test", "--scores",
                "x.tsv");
    CHECK_ERROR("unknown option -qx; 'millrace help test' lists all", "-qx");
    CHECK_ERROR("unknown option --frobnicate; 'millrace help test' lists all", "--frobnicate");
    CHECK_ERROR("unknown option -x; 'millrace help test' lists all", "-x");
    CHECK_ERROR("unknown option -5; 'millrace help test' lists all", "-5");
}

static void help_lists_every_option(void **state)
{
    (void)state;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    mr_options_help(groups, out);
    (void)fclose(out);
    assert_string_equal(
        "\n"
        "Outer:\n"
        "  -q, --quiet             Say nothing.\n"
        "  -o, --output FILE       Where to write.\n"
        "      --memory SIZE       How much. This explanation is so long that it does not\n"
        "                          fit on one line of eighty columns.\n"
        "      --levels N          How many.\n"
        "      --damping A         How much of it.\n"
        "      --parsed EVEN       An even number.\n"
        "\n"
        "Inner:\n"
        "      --color red|green|blue-and-yellow\n"
        "                          Which.\n"
        "      --list FILE         Of what.\n"
        "      --several FILE      Some.\n",
        text);
    free(text);
}

/* A group that another text explains is listed by name. Options that a command refuses are parsed
 * but appear nowhere. */
static void help_leaves_out_what_is_unlisted(void **state)
{
    (void)state;
    struct mr_option_group some[3] = {groups[0], groups[1]};
    struct flags flags;
    struct mr_parsed parsed;
    char *text = NULL;
    size_t bytes = 0;
    some[0].unlisted = "levels memory damp";
    some[1].topic = "colours";
    some[1].unlisted = "list several";

    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    mr_options_help(some, out);
    (void)fclose(out);
    assert_string_equal("\n"
                        "Outer:\n"
                        "  -q, --quiet             Say nothing.\n"
                        "  -o, --output FILE       Where to write.\n"
                        "      --damping A         How much of it.\n"
                        "      --parsed EVEN       An even number.\n"
                        "\n"
                        "Inner (see 'millrace help colours'):\n"
                        "  --color\n",
                        text);
    free(text);

    out = open_memstream(&text, &bytes);
    assert_non_null(out);
    some[1].topic = NULL;
    mr_options_summary(some, out);
    (void)fclose(out);
    assert_string_equal("Others:\n"
                        "  -q, --quiet  -o, --output  --damping  --parsed  --color\n",
                        text);
    free(text);
    assert_int_equal(MR_OK, PARSE(&flags, &parsed, NULL, "--levels", "7"));
    assert_int_equal(7, flags.levels);
    mr_parsed_free(&parsed);
}

/* The line of an option ends where its first sentence does, or at a comma or bracket where more
 * does not fit into 80 columns. */
static void a_short_help_has_a_line_for_what_people_use(void **state)
{
    static const struct mr_option used[] = {
        {"plain", 'p', MR_OPTION_FLAG, 0, .help = "Say it plainly: in words.", .often = true},
        {"rare", 0, MR_OPTION_FLAG, 0, .help = "Rare."},
        {"colour", 0, MR_OPTION_CHOICE, 0, .choices = "red|green|blue-and-yellow", .often = true,
         .help = "One of three colours, of which the last one is two (both)."},
        {"refused", 0, MR_OPTION_FLAG, 0, .help = "Refused.", .often = true},
        {0}};
    static const struct mr_option aside[] = {
        {"aside", 0, MR_OPTION_FLAG, 0, .help = "Aside.", .often = true}, {0}};
    static const struct mr_option_group some[] = {
        {.title = "Used", .options = used, .unlisted = "refused"},
        {.title = "For guests", .options = aside, .topic = "guests", .is_aside = true},
        {0}};
    char *text = NULL;
    size_t bytes = 0;
    (void)state;

    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    mr_options_summary(some, out);
    (void)fclose(out);
    assert_string_equal("  -p, --plain             Say it plainly\n"
                        "      --colour red|green|blue-and-yellow  One of three colours\n"
                        "Others:\n"
                        "  --rare\n"
                        "For guests: see 'millrace help guests'\n",
                        text);
    free(text);
}

/* ---- Rules ---- */

struct ruled_flags {
    uint64_t next, plain;
    int only, sort;
    const char *list, *times;
    double damping;
    bool fast;
};

#define RULED(name) offsetof(struct ruled_flags, name)
static const struct mr_option ruled_options[] = {
    {"next", 0, MR_OPTION_COUNT, RULED(next), "N", .least = 1, .most = 9, .help = "Some of --list.",
     .needs = {{.names = "list|times|nowhere", .why = "needs to know what there is"}},
     .excludes = {{.names = "only=none", .why = "prints some"}, {.names = "plain|damping"}}},
    {"plain", 0, MR_OPTION_COUNT, RULED(plain), "N", .least = 0, .most = 9, .help = "Plain."},
    {"only", 0, MR_OPTION_CHOICE, RULED(only), .choices = "all|none", .may_be_alone = true,
     .help = "Which.", .needs = {{.names = "list"}}},
    {"sort", 0, MR_OPTION_CHOICE, RULED(sort), .choices = "name|score", .help = "How.",
     .needs = {{.names = "times", .value = "score"}}},
    {"list", 0, MR_OPTION_TEXT, RULED(list), "FILE", .help = "A list."},
    {"times", 0, MR_OPTION_TEXT, RULED(times), "FILE", .help = "Times."},
    {"damping", 0, MR_OPTION_REAL, RULED(damping), "A", .range = {.most = 1.0},
     .help = "How much."},
    {"fast", 0, MR_OPTION_FLAG, RULED(fast), .help = "Fast.",
     .excludes = {{.names = "list=slow|damping", .why = "is quick"}, {.names = "nowhere"}}},
    {0}};
#undef RULED
static const struct mr_option_group ruled[] = {{.title = "Ruled", .options = ruled_options}, {0}};

/* Checks the arguments; returns the message, "" if all is well. */
static const char *rule_message(char *const *arguments)
{
    static const struct ruled_flags defaults = {.damping = 0.85, .plain = 3};
    static struct mr_error err;
    struct ruled_flags flags = defaults;
    struct mr_parsed parsed;
    char *argv[16];
    int argc = 0;

    for (; arguments[argc] != NULL; argc++) {
        argv[argc] = arguments[argc];
    }
    err = (struct mr_error){.message = ""};
    assert_int_equal(mr_options_parse("test", ruled, &flags, argc, argv, &parsed, &err), MR_OK);
    const enum mr_status status = mr_options_check(ruled, &defaults, &flags, &parsed, &err);
    assert_int_equal(status, err.message[0] == '\0' ? MR_OK : MR_ERROR_USAGE);
    mr_parsed_free(&parsed);
    return err.message;
}
#define CHECK_RULE(message, ...)                                                                   \
    assert_string_equal(message, rule_message((char *const[]){__VA_ARGS__, NULL}))

static void options_need_and_exclude_others(void **state)
{
    (void)state;
    CHECK_RULE("--next needs to know what there is; say --list FILE or --times FILE", "--next=2");
    CHECK_RULE("", "--next=2", "--times", "t");
    CHECK_RULE("--next and --plain exclude each other; give one of them", "--times=t", "--plain=0",
               "--next=2");
    CHECK_RULE("--next and --plain and --damping exclude each other; give one of them", "--list=l",
               "--damping=.5", "--plain=0", "--next=2");
    CHECK_RULE("", "--list=l", "--damping=.85", "--plain=3", "--next=2"); /* the defaults */
    CHECK_RULE("--next prints some; leave out --only none", "--list=l", "--next=2", "--only");
    CHECK_RULE("", "--only=all");
    CHECK_RULE("--only needs --list FILE", "--only=none");
    CHECK_RULE("--sort score needs --times FILE", "--sort=score");
    CHECK_RULE("", "--sort=name");
    CHECK_RULE("--fast is quick; leave out --list slow", "--fast", "--list=slow");
    CHECK_RULE("", "--fast", "--list=quick");
}

static void help_names_what_an_option_needs(void **state)
{
    char text[MR_MOST_HELP_BYTES];
    (void)state;
    mr_option_explain(ruled, &ruled_options[0], text);
    assert_string_equal("Some of --list. Needs --times. Not with --only none, --plain, --damping.",
                        text);
    mr_option_explain(ruled, &ruled_options[3], text);
    assert_string_equal("How. score: needs --times.", text);
    mr_option_explain(ruled, &ruled_options[1], text);
    assert_string_equal("Plain.", text);
}

TEST_MAIN(cmocka_unit_test(nothing_given_leaves_the_defaults),
          cmocka_unit_test(every_type_is_read_both_ways),
          cmocka_unit_test(options_and_operands_mix),
          cmocka_unit_test(values_may_hold_an_equals_sign), cmocka_unit_test(help_is_seen_anywhere),
          cmocka_unit_test(an_option_is_given_once_unless_its_values_add_up),
          cmocka_unit_test(errors_say_what_would_be_right),
          cmocka_unit_test(letters_go_together_and_a_choice_may_stand_alone),
          cmocka_unit_test(unknown_options_get_a_suggestion),
          cmocka_unit_test(help_lists_every_option),
          cmocka_unit_test(help_leaves_out_what_is_unlisted),
          cmocka_unit_test(a_short_help_has_a_line_for_what_people_use),
          cmocka_unit_test(options_need_and_exclude_others),
          cmocka_unit_test(help_names_what_an_option_needs))
