/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of score files: columns, headers, bad lines, names that come twice. */
#include "formats/score/score_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/base/hash_set.h"
#include "tests/support/test_streams.h"

/* Returns "a=1 b=2", or the error. */
static const char *read_column(struct test_context *test, const char *text, const char *column)
{
    static char rows[4096];
    struct mr_input *input = NULL;
    struct mr_score_reader *reader = NULL;
    struct mr_row row;
    bool is_end = false;
    size_t used = 0;
    const char *path = test_context_text(test, "scores.tsv", text);

    rows[0] = '\0';
    assert_int_equal(mr_input_open(&test->context, path, &input, NULL), MR_OK);
    enum mr_status status =
        mr_score_reader_open(&test->context, input, column, 0, &reader, &test->err);
    while (status == MR_OK && !is_end) {
        status = mr_score_reader_next(reader, &row, &is_end, &test->err);
        if (status == MR_OK && !is_end) {
            used += (size_t)snprintf(rows + used, sizeof rows - used, "%s%.*s=%g",
                                     used > 0 ? " " : "", (int)row.name_bytes,
                                     row.name != NULL ? row.name : "", row.values[0]);
        }
    }
    mr_score_reader_close(reader);
    mr_input_close(input);
    if (status != MR_OK) {
        assert_int_equal(status, MR_ERROR_INPUT);
        return test_context_error(test);
    }
    return rows;
}

/* The rows that mr_score_reader_rest took: their number, and a sum that depends on their order. */
struct taken {
    uint64_t n, sum;
};

static enum mr_status take(void *data, const struct mr_row *row, struct mr_error *err)
{
    struct taken *taken = data;

    (void)err;
    taken->n++;
    taken->sum = taken->sum * 31 + XXH3_64bits(row->name, row->name_bytes) + row->line +
                 (uint64_t)row->values[0];
    return MR_OK;
}

/* Reads a file by `threads`, and returns its error or "". */
static const char *read_rest(struct test_context *test, const char *path, unsigned threads,
                             struct taken *taken)
{
    struct mr_input *input = NULL;
    struct mr_score_reader *reader = NULL;

    *taken = (struct taken){0};
    test->err = (struct mr_error){.status = MR_OK};
    test->context.threads = threads;
    assert_int_equal(mr_input_open(&test->context, path, &input, NULL), MR_OK);
    enum mr_status status =
        mr_score_reader_open(&test->context, input, NULL, 0, &reader, &test->err);
    if (status == MR_OK) {
        status = mr_score_reader_rest(reader, take, taken, &test->err);
    }
    mr_score_reader_close(reader);
    mr_input_close(input);
    return status == MR_OK ? "" : test_context_error(test);
}

/* Many chunks, with names that have codes, and blank bytes where chunks may end. */
static void all_threads_take_the_same_rows_and_find_the_same_error(void **state)
{
    enum { N = 60000 };
    struct test_context *test = *state;
    char *text = malloc(N * 64 + 64);
    char error[512];

    for (unsigned bad = 0; bad < 3; bad++) {
        size_t used = 0;
        for (unsigned i = 0; i < N; i++) {
            const bool is_bad =
                (bad == 1 && i >= 40000 && i % 1000 == 7) || (bad == 2 && i == N - 1);
            used +=
                (size_t)sprintf(text + used, "%s%u%s\t%s\n", i % 97 == 0 ? "a\\x09b" : "page", i,
                                i % 50 == 0 ? " with a longer name" : "", is_bad ? "x" : "2");
        }
        const char *path = test_context_text(test, "many.tsv", text);
        struct taken one, other;
        (void)snprintf(error, sizeof error, "%s", read_rest(test, path, 1, &one));
        for (unsigned threads = 2; threads <= 5; threads++) {
            assert_string_equal(read_rest(test, path, threads, &other), error);
            assert_int_equal(other.n, one.n);
            assert_int_equal(other.sum, one.sum);
        }
        assert_int_equal(one.n, bad == 0 ? N : bad == 1 ? 40007 : N - 1);
        assert_string_equal(error, bad == 0 ? ""
                                   : bad == 1
                                       ? "many.tsv:40008: \"page40007\\x09x\": the score is no "
                                         "number; lines are NAME<TAB>SCORE, the score a finite "
                                         "number"
                                       : "many.tsv:60000: \"page59999\\x09x\": the score is "
                                         "no number; lines are NAME<TAB>SCORE, the score a "
                                         "finite number");
    }
    free(text);
}

static void columns_are_chosen_by_number_name_or_default(void **state)
{
    const char *hits = "name\thub\tauthority\nx\t1\t2\ny\t3\t4\r\n";
    const char *bare = "x\t1\t2\ny z\t3\t4";
    assert_string_equal(read_column(*state, hits, NULL), "x=2 y=4");
    assert_string_equal(read_column(*state, hits, "hub"), "x=1 y=3");
    assert_string_equal(read_column(*state, hits, "1"), "x=1 y=3");
    assert_string_equal(read_column(*state, bare, NULL), "x=2 y z=4");
    assert_string_equal(read_column(*state, bare, "1"), "x=1 y z=3");
    assert_string_equal(read_column(*state, "", NULL), "");
    assert_string_equal(read_column(*state, "", "hub"), "");
    assert_string_equal(read_column(*state, bare, "hub"),
                        "scores.tsv:1: no header to name a column \"hub\"; give its number, 1..2");
    assert_string_equal(read_column(*state, hits, "rank"),
                        "scores.tsv:1: no column \"rank\"; choose one of \"hub\", \"authority\"");
    assert_string_equal(read_column(*state, bare, "3"),
                        "scores.tsv:1: no score column 3; the line has 2, choose 1..2");
    assert_string_equal(read_column(*state, bare, "0"),
                        "scores.tsv:1: no score column 0; the line has 2, choose 1..2");
}

static void ranks_of_common_crawl_name_hosts_in_a_column_of_their_own(void **state)
{
    const char *ranks = "#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev\t#n_hosts\n"
                        "1\t3.5E7\t2\t0.25\tcom.a\t17\n2\t2.5E7\t1\t0.5\torg.b\t1\n";
    assert_string_equal(read_column(*state, ranks, NULL), "com.a=0.25 org.b=0.5");
    assert_string_equal(read_column(*state, ranks, "harmonicc_val"), "com.a=3.5e+07 org.b=2.5e+07");
    assert_string_equal(read_column(*state, ranks, "#pr_pos"), "com.a=2 org.b=1");
    assert_string_equal(read_column(*state, ranks, "4"), "com.a=0.25 org.b=0.5");
    assert_string_equal(read_column(*state, ranks, "5"), "com.a=17 org.b=1");
    assert_string_equal(read_column(*state, ranks, "6"),
                        "scores.tsv:1: no score column 6; the line has 5, choose 1..5");
    assert_string_equal(read_column(*state, ranks, "host_rev"),
                        "scores.tsv:1: no column \"host_rev\"; choose one of \"#harmonicc_pos\", "
                        "\"#harmonicc_val\", \"#pr_pos\", \"#pr_val\", \"#n_hosts\"");
    assert_string_equal(read_column(*state, "#pr_pos\t#pr_val\t#host_rev\n1\t0.25\tcom.a\n", NULL),
                        "com.a=0.25");
    assert_string_equal(read_column(*state, "#pr_pos\t#pr_val\t#host_rev\n1\t0.25\n", NULL),
                        "scores.tsv:2: \"1\\x090.25\": too few columns; lines are NAME<TAB>SCORE, "
                        "the score a finite number");
}

static void a_list_of_links_is_no_file_of_scores(void **state)
{
    const char *const end = " has a score already; a file may name a page once, a list of links is "
                            "no file of scores";
    char expected[200];
    (void)snprintf(expected, sizeof expected, "scores.tsv:3: \"1\"%s", end);
    assert_string_equal(read_column(*state, "1\t2\n2\t3\n1\t3\n", NULL), expected);
    (void)snprintf(expected, sizeof expected, "scores.tsv:2: \"1\"%s", end);
    assert_string_equal(read_column(*state, "1\t2\t0.5\n1\t3\t0.5\n", NULL), expected);
    assert_string_equal(read_column(*state, "1\t2\n2\t2\n3\t2\n", NULL), "1=2 2=2 3=2");
}

static void a_header_is_told_from_a_page(void **state)
{
    assert_string_equal(read_column(*state, "#name\tscore\na\t1\n", NULL), "a=1");
    assert_string_equal(read_column(*state, "#name\tscore\na\t1\n", "score"), "a=1");
    assert_string_equal(read_column(*state, "#name\t7\nname\t1\n", NULL), "#name=7 name=1");
    assert_string_equal(read_column(*state, "name\t7\n", NULL), "name=7");
    assert_string_equal(read_column(*state, "a\tx\n", NULL),
                        "scores.tsv:1: \"a\\x09x\": the score is no number; lines are "
                        "NAME<TAB>SCORE, the score a finite number");
}

static void tables_of_other_programs_are_scores(void **state)
{
    static const struct {
        const char *text, *column, *rows;
    } cases[] = {
        {"node,pagerank\na,0.5\nb,0.25\n", NULL, "a=0.5 b=0.25"},
        {",node,pagerank\n0,a,0.5\n1,b,0.25\n", NULL, "a=0.5 b=0.25"}, /* pandas */
        {"Id;Label;PageRank\na;A;0,5\nb;B;0,25\n", NULL, "a=0.5 b=0.25"}, /* Gephi */
        {"Id,Label,timeset,pageranks,degree\na,A,,0.5,7\nb,B,,0.25,8\n", NULL, "a=0.5 b=0.25"},
        {"Id,Label,timeset,pageranks,degree\na,A,,0.5,7\nb,B,,0.25,8\n", "degree", "a=7 b=8"},
        {"\"\" \"url\" \"x\"\n\"1\" \"http://a/\" 0.5\n\"2\" \"http://b/\" 0.25\n", NULL,
         "http://a/=0.5 http://b/=0.25"}, /* R */
        {"a 0.5\nb 0.25\n", NULL, "a=0.5 b=0.25"},
        {"a   0.5\nb  0.25\n", NULL, "a=0.5 b=0.25"},
        {"vertex score\na 0.5\nb 0.25\n", NULL, "a=0.5 b=0.25"},
        {"a\t0,5\nb\t0,25\n", NULL, "a=0.5 b=0.25"},
        {"a;0,5\nb;0,25\n", NULL, "a=0.5 b=0.25"},
        {"\"a\"\t0.5\n\"b \"\"c\"\"\"\t0.25\n", NULL, "a=0.5 b \"c\"=0.25"},
        {"\"a\t0.5\nb\t0.25\n", NULL, "\"a=0.5 b=0.25"}, /* quotes of a name of our own */
        {"id,url,rank,title\n1,http://a/,0.5,A\n2,http://b/,0.25,B\n", NULL,
         "http://a/=0.5 http://b/=0.25"},
        {"#a,0.5\n\"#b,\",0.25\n", NULL, "#a=0.5 #b,=0.25"},
        {"URL\tPage Rank\r\nhttp://a/\t0.5\r\n", NULL, "http://a/=0.5"},
        {"[{\"url\":\"a\",\"pagerank\":0.5},{\"url\":\"b\",\"pagerank\":0.25}]", NULL,
         "a=0.5 b=0.25"},
        {"[\n {\n  \"node\": 7,\n  \"x\": 0.5\n }\n]\n", "x", "7=0.5"},
        {"{\"name\":\"a\",\"x\":1,\"y\":2}\n{\"y\":4,\"name\":\"b\",\"x\":3}\n", "x", "a=1 b=3"},
        {"{\"name\":\"a\",\"x\":1,\"y\":2}\n{\"name\":\"b\",\"y\":3}\n", "x",
         "scores.tsv:2: no number \"x\" among its values"},
        {"(a,b,0.5)\n(b,0.25)\n(7,1)\n", NULL, "a,b=0.5 b=0.25 7=1"}, /* GraphX */
        {"(7,a,b,0.5)\n(8,b,0.25)\n", NULL, "a,b=0.5 b=0.25"},
        {"(a,0.5)\n(7,(1.5,b))\n", NULL,
         "scores.tsv:2: \"(7,(1.5,b))\": the score is no "
         "number; lines are NAME<TAB>SCORE, the score a "
         "finite number"},
        {"(a,0.5)\n()\n", NULL,
         "scores.tsv:2: \"()\": too few columns; lines are NAME<TAB>SCORE, the score a finite "
         "number"},
        {"7,a.org,0.5\n8,\"b,c\",0.25\n", NULL, "a.org=0.5 b,c=0.25"}, /* GraphFrames */
        {"id,name,pagerank\n7,a.org,0.5\n", NULL, "a.org=0.5"},
        {"7\t8\tcore\n8\t9\tin\n", "1", "7=8 8=9"}, /* components */
        {"7,8,0.5\n8,9,0.25\n", NULL, "7=0.5 8=0.25"},
        {"0.5\n0.25\n", NULL, "=0.5 =0.25"}, /* no names */
        {"[0.5,\n0.25]", NULL, "=0.5 =0.25"},
        {"0.5\n0.25\n-", NULL, "scores.tsv: number 3 is no finite score"},
        {"name,pagerank,degree\na,0.5,7\n", NULL, "a=0.5"},
        {",pagerank\n7,0.5\n8,0.25\n", NULL, "7=0.5 8=0.25"}, /* a Series, by its index */
        {",pagerank,degree\na,0.5,7\n", NULL, "a=0.5"},
        {",degree,pagerank\n0,7,0.5\n", NULL,
         "scores.tsv:1: no column is called a page; write page above the one that has them, in "
         "place of \"\""},
        {"score,degree\n0.5,7\n", NULL,
         "scores.tsv:1: no column is called a page; write page above the one that has them, in "
         "place of \"score\""},
        {"rank,url,centrality\n1,http://a/,0.5\n", NULL,
         "scores.tsv:1: none of its columns of numbers is called a score: \"rank\", "
         "\"centrality\"; --column NAME says which one is, or keep only that one in the file"},
        {"name,x,y\na,0.4,\nb,0.2,2\n", NULL,
         "scores.tsv:1: none of its columns of numbers is called a score: \"x\", \"y\"; --column "
         "NAME says which one is, or keep only that one in the file"},
        {"{\"name\":\"Home\",\"score\":0.5,\"url\":\"http://h/a\"}\n", NULL, "http://h/a=0.5"},
        {"name\tdegree\tkatz\na\t7\t0.5\n", NULL,
         "scores.tsv:1: none of its columns of numbers is called a score: \"degree\", \"katz\"; "
         "--column NAME says which one is, or keep only that one in the file"},
        {"{\"name\":\"a\",\"pagerank\":0.5,\"degree\":7}\n", NULL, "a=0.5"},
        {"{\"name\":\"a\",\"katz\":0.5,\"degree\":7}\n", NULL,
         "scores.tsv:1: none of its columns of numbers is called a score: \"katz\", \"degree\"; "
         "--column NAME says which one is, or keep only that one in the file"},
        {"node,pagerank\na,0.5\n", "weight",
         "scores.tsv:1: no column \"weight\"; choose one of \"pagerank\""},
        {"# made today\n\na\t0.5\n\n# more\nb\t0.25\n", NULL, "a=0.5 b=0.25"},
        {"page;wert\na;0.5\npage;wert\nb;0.25\n", NULL, "a=0.5 b=0.25"}, /* cat part-* */
        {"a\t0.5\nb\t\nc\tNULL\nd\t0.25\n", NULL, "a=0.5 d=0.25"}, /* no score */
        {"{\"name\":\"a\",\"score\":null}\n{\"name\":\"b\",\"score\":\"0.5\"}\n", NULL, "b=0.5"},
        {"{\"title\":\"a\",\"score\":0.5}\n", NULL, "a=0.5"},
        {"{\"a\":0.5,\"b\":0.25}\n", NULL,
         "scores.tsv:1: an object of names and scores; jq -r 'to_entries[] | [.key, .value] | "
         "@tsv' "
         "FILE makes lines of it"},
        {"a\t50%\nb\t25 %\n", NULL, "a=0.5 b=0.25"},
        {"a,\"0,5\"\nb,\"0,25\"\n", NULL, "a=0.5 b=0.25"},
        {"name,score\na,0,5\n", NULL,
         "scores.tsv:2: \"a,0,5\": more columns than the first line; quotes hold commas; lines are "
         "NAME<TAB>SCORE, the score a finite number"},
        {",0\na,0.5\nb,0.25\n", NULL, "a=0.5 b=0.25"}, /* a Series without a name */
        {"\"\",\"x\"\n\"a\",0.5\n", NULL, "a=0.5"}, /* R */
        {"score,title\n0.5,a\n", NULL, "a=0.5"},
        {"rank,artist,plays\n1,a,7\n2,b,5\n", "plays", "a=7 b=5"},
        {"0.5\ta\n0.25\tb\n", NULL, "a=0.5 b=0.25"},
        {"0.5\t7\n0.25\t8\n", NULL, "7=0.5 8=0.25"},
        {"7.0 0.5\n8.0 0.25\n", NULL, "7=0.5 8=0.25"}, /* numpy.savetxt */
        {"# pagerank\n0.5\n0.25\n", NULL, "=0.5 =0.25"},
        {"score\n0.5\n0.25\n", NULL, "=0.5 =0.25"},
        {"a\t0.5\t1\nb\t0.25\t2\nc\t0.125\t3\n", NULL, "a=0.5 b=0.25 c=0.125"}, /* a rank */
        {"a\t0.5\t4\nb\t0.25\t9\nc\t0.125\t7\n", NULL,
         "scores.tsv:1: no header says which column has the score: \"0.5\", \"4\"; --column K, "
         "from "
         "1 to 2, says which of these it is"},
        {"1,7,0.5\n2,8,0.25\n3,9,0.5\n", NULL,
         "scores.tsv:1: no header says whether the first column has pages or counts the rows; cut "
         "-d',' -f2- drops one that counts them, and a first line page,n,score says that it has "
         "pages"},
        {"page,n,score\n1,7,0.5\n2,8,0.25\n3,9,0.5\n", NULL, "1=0.5 2=0.25 3=0.5"},
        {"url,rank\na,2\nb,1\n", NULL,
         "scores.tsv: has each number from 1 to 2 once: places or ids, and no scores, of which the "
         "largest is best; give a score, such as 1 / place, or --column to take these numbers as "
         "scores"},
        {"url,rank\na,2\nb,1\n", "rank", "a=2 b=1"},
        {"a\t3\nb\t1\nc\t2\n", NULL, "a=3 b=1 c=2"},
        {"0\n9\n1\n8\n2\n7\n3\n6\n4\n5\n", NULL,
         "scores.tsv: has each number from 0 to 9 once: places or ids, and no scores, of which the "
         "largest is best; give a score, such as 1 / place, or --column to take these numbers as "
         "scores"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(read_column(*state, cases[i].text, cases[i].column), cases[i].rows);
    }
}

/* A batch of ppr has any number of vectors. */
static void columns_beyond_those_of_a_table(void **state)
{
    static const struct {
        const char *begin, *field, *end;
    } forms[] = {
        {"a", "\t%d", "\n"}, {"#a", "\t%d", "\n"}, {"{\"name\":\"a\"", ",\"k%d\":%d", "}\n"}};
    char text[8192];

    for (int f = 0; f < 3; f++) {
        size_t used = (size_t)snprintf(text, sizeof text, "%s", forms[f].begin);
        for (int i = 1; i <= 300; i++) {
            used += (size_t)snprintf(text + used, sizeof text - used, forms[f].field, i, i);
        }
        (void)snprintf(text + used, sizeof text - used, "%s", forms[f].end);
        const char *rows = read_column(*state, text, f == 2 ? "k300" : NULL);
        assert_string_equal(rows + (f == 1), "a=300");
        rows = read_column(*state, text, "200");
        assert_string_equal(rows + (f == 1), "a=200");
    }
    assert_string_equal(read_column(*state, text, "k250"), "a=250");
}

static void bad_rows_are_errors_with_their_line(void **state)
{
    const char *const end = "lines are NAME<TAB>SCORE, the score a finite number";
    static const char *const rows[][2] = {
        {"a\t1\nb\n", "scores.tsv:2: \"b\": too few columns; "},
        {"a\t1\n\t1\n", "scores.tsv:2: \"\\x091\": the name is empty; "},
        {"a\t1\nb\tnan\n", "scores.tsv:2: \"b\\x09nan\": the score is no number; "},
        {"a\t1\nb\t-inf\n", "scores.tsv:2: \"b\\x09-inf\": the score is no number; "},
        {"a\t1\nb\t1e999\n", "scores.tsv:2: \"b\\x091e999\": the score is no number; "},
        {"a\t1\nb\t0x10\n", "scores.tsv:2: \"b\\x090x10\": the score is no number; "},
        {"a\t1\nb\t1 \n", "scores.tsv:2: \"b\\x091 \": the score is no number; "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char expected[256];
        (void)snprintf(expected, sizeof expected, "%s%s", rows[i][1], end);
        assert_string_equal(read_column(*state, rows[i][0], NULL), expected);
    }
    assert_string_equal(read_column(*state, "a\n", NULL),
                        "scores.tsv:1: no tab, so no score; lines are NAME<TAB>SCORE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_threads_take_the_same_rows_and_find_the_same_error,
                                        test_context_set_up, test_context_tear_down),
        cmocka_unit_test_setup_teardown(columns_are_chosen_by_number_name_or_default,
                                        test_context_set_up, test_context_tear_down),
        cmocka_unit_test_setup_teardown(ranks_of_common_crawl_name_hosts_in_a_column_of_their_own,
                                        test_context_set_up, test_context_tear_down),
        cmocka_unit_test_setup_teardown(a_list_of_links_is_no_file_of_scores, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(a_header_is_told_from_a_page, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(tables_of_other_programs_are_scores, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(columns_beyond_those_of_a_table, test_context_set_up,
                                        test_context_tear_down),
        cmocka_unit_test_setup_teardown(bad_rows_are_errors_with_their_line, test_context_set_up,
                                        test_context_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
