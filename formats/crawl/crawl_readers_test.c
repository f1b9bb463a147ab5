/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of crawlers' files: the links they find, and their behaviour when the disk, the memory or
 * the file itself fails. The expected links were written by hand from the description of each
 * format. */
#include "formats/graph_format.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/io_fault.h"
#include "tests/support/test_streams.h"

enum { MAX_NAMES = 64, TEXT_BYTES = 4096 };

#define WARC_HEAD(type, length)                                                                    \
    "WARC/1.0\r\nWARC-Type: metadata\r\nWARC-Target-URI: http://a.org/d/p\r\n"                     \
    "Content-Type: " type "\r\nContent-Length: " length "\r\n\r\n"

static const struct sample {
    const char *format;
    bool is_detected; /* the content shows the format */
    const char *text;
    const char *links; /* "source target\n" in the order of the file */
    unsigned n_names;
} samples[] = {
    {"nutch", true,
     "http://t/\tInlinks:\n fromUrl: http://a/ anchor: fromUrl: x anchor: \n"
     " fromUrl: http://b/ anchor: \n\nhttp://a/\tInlinks:\n fromUrl: http://t/ anchor: z\n\n",
     "http://a/ http://t/\nhttp://b/ http://t/\nhttp://t/ http://a/\n", 3},
    {"nutch", true,
     "\nRecno:: 0\nURL:: http://a/\n\nCrawlParse::\nURL:: http://no/\nOutlinks: 1\n"
     "  outlink: toUrl: http://no/ anchor: \n\nParseData::\nTitle: Outlinks: 7\nOutlinks: 2\n"
     "  outlink: toUrl: http://b/ anchor: b\n  outlink: toUrl: http://c/ anchor: \n"
     "Content Metadata: \nOutlinks: 1\n\n\nRecno:: 1\nURL:: http://d/\n\nParseData::\nOutlinks: "
     "0\n",
     "http://a/ http://b/\nhttp://a/ http://c/\n", 4},
    {"nutch", true,
     "http://t/p\\q\tInlinks:\n fromUrl: http://b/r\\s anchor: x metadata: \n"
     " fromUrl: http://B/%2e/../x#y anchor: z metadata: a=b\n\n",
     "http://b/r\\s http://t/p\\q\nhttp://B/%2e/../x#y http://t/p\\q\n", 3},
    {"jsonl", true,
     "{\"url\": \"http://a.org/d/p\", \"links\": [\"x#f\", {\"url\": \"//b.org/\"}, "
     "\"mailto:a@b\", "
     "3]}\n{\"from\": \"http://b.org/\", \"to\": \"n\"}\n{\"source\": 17, \"target\": \"n\"}\n"
     "{\"uri\": \"http://e.org/\", \"title\": \"no links\"}\n",
     "http://a.org/d/p http://a.org/d/x\nhttp://a.org/d/p http://b.org/\nhttp://b.org/ n\n17 n\n",
     6},
    {"jsonl", true,
     "[\n{\"url\": \"http://a/\", \"links\": [\"http://b/\"]},\n"
     "{\"url\": \"http://b/\", \"outlinks\": null}\n]\n",
     "http://a/ http://b/\n", 2},
    {"heritrix-pagerank", true,
     "http://a/ 1.0 O:http://b/,http://c/x,y\nhttp://b/\t0.5\tO:\ndummy\t1.0\tO:\n",
     "http://a/ http://b/\nhttp://a/ http://c/x,y\n", 3},
    {"heritrix-pagerank", true, "1\t1.0\tO:2, 3\n2\t1.0\tO:1\n", "1 2\n1 3\n2 1\n", 3},
    {"adjacency", false, "http://a/\thttp://b/ http://c/\n# a comment\nhttp://d/\n",
     "http://a/ http://b/\nhttp://a/ http://c/\n", 4},
    {"crawl-log", true,
     "2020-01-01T00:00:00.000Z 200 10 http://s/ - - text/html #1 - - - -\n"
     "2020-01-01T00:00:01.000Z 1 10 dns:s P http://s/ text/dns #1 - - - -\n"
     "2020-01-01T00:00:02.000Z 200 10 http://s/a L http://s/ text/html #1 - - - -\n",
     "http://s/ http://s/a\n", 2},
    {"crawl-log", true,
     "\nT 2020-01-01T00:00:00.000Z\nF+ http://s/\nFe http://s/\n\nF+ http://s/a L http://s/\nFs "
     "http://s/\n"
     "F+ http://s/i.png LE http://s/a\nF+ dns:s P http://s/\nF+ http://s/b LLR http://s/a\nFd "
     "http://no/ L http://s/\n",
     "http://s/ http://s/a\nhttp://s/a http://s/b\n", 3},
    {"cdxj", true,
     "org,a)/x 20200101000000 {\"url\": \"http://a.org/x\", \"redirect\": \"y?z#f\"}\n"
     "org,a)/y 20200101000000 {\"url\": \"http://a.org/y\", \"status\": \"200\"}\n",
     "http://a.org/x http://a.org/y?z\n", 3},
    {"warc", true,
     WARC_HEAD("application/warc-fields", "68") "outlink: ../a L a/@href\r\n"
                                                "outlink: http://b.org/ R Location:\r\n"
                                                "via\r\n\r\n\r\n",
     "http://a.org/d/p http://a.org/a\nhttp://a.org/d/p http://b.org/\n", 3},
    {"arc", true,
     "filedesc://x.arc 0.0.0.0 20110804181044 text/plain 2\n1\n\nhttp://x/a b 192.0.2.1 "
     "20110804181142  72\nHTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=http://t/>"
     "<a href=c>\n",
     "http://x/a%20b http://t/\nhttp://x/a%20b http://x/c\n", 3},
    {"wat", true,
     WARC_HEAD(
         "application/json",
         "252") "{\"Envelope\":{\"WARC-Header-Metadata\":{\"WARC-Target-URI\":\"http://a.org/d/"
                "p\"},\"Payload-Metadata\":{\"HTTP-Response-Metadata\":{\"HTML-Metadata\":{"
                "\"Links\":[{\"path\":\"A@/href\",\"url\":\"x\"},{\"path\":\"IMG@/"
                "src\",\"url\":\"i\"},{\"path\":\"FORM@/action\",\"url\":\"//b.org/"
                "\"}]}}}}}\r\n\r\n",
     "http://a.org/d/p http://a.org/d/x\nhttp://a.org/d/p http://b.org/\n", 3},
    {"commoncrawl", true, "0\tcom.example\t3\n1\tcom.example.www\t1\n2\torg.wiki\t2\n", "", 3},
    {"commoncrawl", true, "0\torg.only\n", "", 1},
};
enum { N_SAMPLES = sizeof samples / sizeof samples[0] };

/* ---- A sink that records links as text ---- */

struct links {
    char *names[MAX_NAMES];
    unsigned n_names;
    char text[TEXT_BYTES];
};

static enum mr_status take_name(void *data, const char *name, size_t bytes, uint64_t *id,
                                struct mr_error *err)
{
    struct links *links = data;
    (void)err;
    for (*id = 0; *id < links->n_names; ++*id) {
        if (strlen(links->names[*id]) == bytes && memcmp(links->names[*id], name, bytes) == 0) {
            return MR_OK;
        }
    }
    assert_true(links->n_names < MAX_NAMES);
    links->names[links->n_names++] = strndup(name, bytes);
    return MR_OK;
}

static enum mr_status take_edges(void *data, struct mr_edge *edges, const float *weights,
                                 size_t n_edges, struct mr_error *err)
{
    struct links *links = data;
    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_edges; i++) {
        size_t used = strlen(links->text);
        assert_true(edges[i].source < links->n_names && edges[i].target < links->n_names);
        (void)snprintf(links->text + used, TEXT_BYTES - used, "%s %s\n",
                       links->names[edges[i].source], links->names[edges[i].target]);
    }
    return MR_OK;
}

static void forget(struct links *links)
{
    for (unsigned i = 0; i < links->n_names; i++) {
        free(links->names[i]);
    }
    *links = (struct links){.n_names = 0};
}

/* ---- Reading ---- */

/* Add the links of `path` to `links`, and what was read to `summary`. */
static enum mr_status read_file(struct test_context *test, const char *format_name,
                                const char *path, enum mr_bad_lines bad_lines, struct links *links,
                                struct mr_edge_text_summary *summary)
{
    const struct mr_graph_format *format = mr_graph_format_find(format_name);
    const struct mr_edge_text_options text = {.bad_lines = bad_lines};
    const struct mr_graph_sink sink = {.data = links, .name = take_name, .edges = take_edges};
    struct mr_graph_head head = {0};
    struct mr_twin_ids twins = {0};
    struct mr_input *input = NULL;
    struct mr_graph_reader *reader = NULL;
    const char *data;
    size_t bytes;

    assert_non_null(format);
    enum mr_status status = mr_input_open(&test->context, path, &input, &test->err);
    if (status == MR_OK) {
        status = mr_input_peek(input, &data, &bytes, &test->err);
    }
    if (status == MR_OK) {
        const struct mr_graph_request request = {.context = &test->context,
                                                 .path = path,
                                                 .input = input,
                                                 .text = &text,
                                                 .summary = summary,
                                                 .twins = &twins};
        status = mr_graph_reader_open(format, &request, &head, &reader, &test->err);
    }
    if (status == MR_OK) {
        assert_int_equal(head.ids, MR_IDS_TEXT);
        status = mr_graph_reader_read(reader, &sink, &test->err);
    }
    mr_graph_reader_close(reader);
    mr_input_close(input);
    return status;
}

static enum mr_status read_bytes(struct test_context *test, const char *format, const char *text,
                                 size_t bytes, struct links *links)
{
    struct mr_edge_text_summary summary = {0};
    assert_non_null(test_context_file(test, "x", text, bytes));
    return read_file(test, format, test->path, MR_BAD_LINES_FAIL, links, &summary);
}

static void links_are_those_in_the_file(void **state)
{
    struct test_context *test = *state;
    struct links links = {.n_names = 0};
    for (size_t i = 0; i < N_SAMPLES; i++) {
        const struct sample *s = &samples[i];
        const struct mr_graph_probe probe = {
            .path = "x", .data = s->text, .bytes = strlen(s->text)};
        const struct mr_graph_format *detected = NULL;
        const bool is_found = mr_graph_format_detect(&probe, &detected, NULL) == MR_OK &&
                              strcmp(detected->name, s->format) == 0;
        assert_int_equal(is_found, s->is_detected);
        assert_int_equal(read_bytes(test, s->format, s->text, strlen(s->text), &links), MR_OK);
        assert_string_equal(links.text, s->links);
        assert_int_equal(links.n_names, s->n_names);
        forget(&links);
    }
}

/* What tools write; the links by hand. */
static void json_has_the_keys_of_many_tools(void **state)
{
    static const struct {
        const char *text, *links; /* NULL: refused */
    } cases[] = {
        /* Scrapy's ItemLoader */
        {"{\"url\":[\"http://a/\"],\"links\":[\"b\"]}", "http://a/ http://a/b\n"},
        /* advertools */
        {"{\"url\":\"http://a/\",\"links_url\":\"http://a/b@@http://a/c\"}",
         "http://a/ http://a/b\nhttp://a/ http://a/c\n"},
        /* Scrapy with FEED_EXPORT_INDENT, json.dump with indent=0, and all on one line */
        {"[\n {\n  \"url\": \"http://a/\",\n  \"links\": [\n   \"b\",\n   \"c\"\n  ]\n },\n {\n  "
         "\"url\": \"http://b/\",\n  \"links\": [\"x\"], \"t\": \"}]\\\"{\"\n }\n]\n",
         "http://a/ http://a/b\nhttp://a/ http://a/c\nhttp://b/ http://b/x\n"},
        {"[\n{\n\"url\":\"http://a/\",\n\"links\":[\n{\n\"url\":\"b\"\n}\n]\n}\n]",
         "http://a/ http://a/b\n"},
        {"[{\"url\":\"http://a/\",\"links\":[\"b\"]},{\"url\":\"http://b/\",\"links\":[\"c\"]}]",
         "http://a/ http://a/b\nhttp://b/ http://b/c\n"},
        /* Elasticsearch: bulk, and a dump of an index */
        {"{\"index\":{\"_id\":\"1\"}}\n{\"url\":\"http://a/\",\"outlinks\":[\"b\"]}\n"
         "{\"create\":{}}\n{\"url\":\"http://b/\",\"outlinks\":[\"c\"]}\n",
         "http://a/ http://a/b\nhttp://b/ http://b/c\n"},
        {"{\"_id\":\"1\",\"_source\":{\"url\":\"http://a/\",\"out_links\":[\"b\"]}}",
         "http://a/ http://a/b\n"},
        /* browsertrix; a crawl with Crawl4AI; Firecrawl; Katana; Apify; links to the page */
        {"{\"format\":\"json-pages-1.0\",\"id\":\"pages\"}\n{\"url\":\"http://a/"
         "\",\"links\":[\"b\"]}",
         "http://a/ http://a/b\n"},
        {"{\"url\":\"http://a/\",\"links\":{\"internal\":[{\"href\":\"b\"}],\"external\":[]}}",
         "http://a/ http://a/b\n"},
        {"{\"links\":[\"b\"],\"metadata\":{\"sourceURL\":\"http://a/\"}}",
         "http://a/ http://a/b\n"},
        {"{\"request\":{\"endpoint\":\"http://a/b\",\"source\":\"http://a/\"}}",
         "http://a/ http://a/b\n"},
        {"{\"url\":\"http://a/\",\"linkUrls\":[\"b\"],\"internal_links\":1}",
         "http://a/ http://a/b\n"},
        {"{\"url\":\"http://a/\",\"inLinks\":[\"http://b/\"]}", "http://b/ http://a/\n"},
        /* pairs: ArangoDB, Ahrefs, a report of backlinks, OpenCitations, lists */
        {"{\"_from\":\"p/1\",\"_to\":\"p/2\"}", "p/1 p/2\n"},
        {"{\"url_from\":\"http://a/\",\"url_to\":\"http://b/\"}", "http://a/ http://b/\n"},
        {"{\"source\":\"tool\",\"target\":\"b\",\"Source URL\":\"http://a/\",\"Target "
         "URL\":\"http://b/\"}",
         "http://a/ http://b/\n"},
        {"{\"citing\":\"10.1/a\",\"cited\":\"10.1/b\"}", "10.1/a 10.1/b\n"},
        {"{\"from\":[\"a\"],\"to\":[\"b\",3]}", "a b\na 3\n"},
        /* the page that it was found on; what is no URL is none */
        {"{\"url\":\"http://b/\",\"parent\":\"http://a/\"}", "http://a/ http://b/\n"},
        {"{\"url\":\"http://b/\",\"referer\":\"http://a/?x,y z\"}",
         "http://a/?x,y%20z http://b/\n"},
        {"{\"url\":\"http://b/\",\"parent_url\":\"HTTP://a\"}", "http://a/ http://b/\n"},
        {"{\"url\":\"http://b/\",\"referrerUrl\":\"http://a/#x\"}", "http://a/ http://b/\n"},
        {"{\"url\":\"http://b/\",\"Referrer\":\"http://a/\",\"links\":[\"c\"],\"inlinks\":[\"http:/"
         "/d/\"]}",
         "http://a/ http://b/\nhttp://b/ http://b/c\nhttp://d/ http://b/\n"},
        {"{\"url\":\"http://b/\",\"found_on\":\"https://a/\"}", "https://a/ http://b/\n"},
        {"{\"url\":\"http://b/\",\"parent\":null,\"referer\":\"\"}", ""},
        {"{\"url\":\"http://b/\",\"parent\":3,\"links\":[\"c\"]}", "http://b/ http://b/c\n"},
        {"{\"url\":\"http://b/\",\"parent\":\"Home\",\"referer\":\"android-app://x/\"}", ""},
        /* a failed fetch gives no links, but links lead to its page */
        {"{\"url\":\"http://a/\",\"status\":503,\"links\":[\"b\"],\"referer\":\"http://r/\"}",
         "http://r/ http://a/\n"},
        {"{\"url\":\"http://a/\",\"status\":404,\"links\":[\"b\"],\"inlinks\":[\"http://r/\"]}",
         "http://r/ http://a/\n"},
        {"{\"url\":\"http://a/\",\"status_code\":\"400\",\"links\":\"http://b/\"}", ""},
        {"{\"url\":\"http://a/\",\"httpStatusCode\":429,\"links\":{\"internal\":[\"b\"]}}", ""},
        {"{\"url\":\"http://a/\",\"status\":-1,\"links\":[\"b\"]}", ""},
        {"{\"url\":\"http://a/\",\"status\":\"timeout\",\"links\":[\"b\"]}", ""},
        {"{\"url\":\"http://a/\",\"status\":\"failed\",\"links\":[\"b\"]}", ""},
        {"{\"links\":[\"b\"],\"metadata\":{\"sourceURL\":\"http://a/\",\"statusCode\":410}}", ""},
        {"{\"url\":\"http://a/\",\"status\":399,\"links\":[\"b\"]}", "http://a/ http://a/b\n"},
        {"{\"url\":\"http://a/\",\"status\":\"200 OK\",\"links\":[\"b\"]}",
         "http://a/ http://a/b\n"},
        {"{\"url\":\"http://a/\",\"status\":\"active\",\"links\":[\"b\"]}",
         "http://a/ http://a/b\n"},
        {"{\"url\":\"http://a/\",\"status\":null,\"links\":[\"b\"]}", "http://a/ http://a/b\n"},
        /* one text: blanks divide links; commas may, and may also belong to one */
        {"{\"url\":\"http://a/\",\"links\":\"http://b/ http://c/\\nd,e\"}",
         "http://a/ http://b/\nhttp://a/ http://c/\nhttp://a/ http://a/d,e\n"},
        {"{\"url\":\"http://a/\",\"links\":\"http://b/?x=1;y=2|3,4\"}",
         "http://a/ http://b/?x=1;y=2|3,4\n"},
        {"{\"url\":\"http://a/\",\"links\":\"b,/@@c;/\"}",
         "http://a/ http://a/b,/\nhttp://a/ http://a/c;/\n"},
        {"{\"url\":\"http://a/\",\"links\":\"http://b/,http://c/\"}", NULL},
        {"{\"url\":\"http://a/\",\"links\":\"http://b/, http://c/\"}", NULL},
        {"{\"url\":\"http://a/\",\"outlinks\":\"http://b/;https://c/\"}", NULL},
        {"{\"url\":\"http://a/\",\"links\":\"/b,/c\"}", NULL},
        {"{\"url\":\"http://a/\",\"links\":\"http://b/|http://c/?d\"}", NULL},
        {"{\"url\":\"http://a/\",\"inlinks\":\"http://b/,\"}", NULL},
        /* What is not understood is refused. */
        {"{\"url\":\"http://a/\",\"links\":[{\"x\":\"b\"}]}", NULL},
        {"{\"url\":\"http://a/\",\"links\":{\"x\":\"b\"}}", NULL},
        {"{\"url\":[\"http://a/\",\"http://b/\"],\"links\":[\"c\"]}", NULL},
        {"{\"page\":\"http://a/\"}", NULL},
    };
    struct test_context *test = *state;
    struct links links = {.n_names = 0};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const enum mr_status status =
            read_bytes(test, "jsonl", cases[i].text, strlen(cases[i].text), &links);
        if (cases[i].links != NULL) {
            assert_int_equal(status, MR_OK);
            assert_string_equal(links.text, cases[i].links);
        } else {
            assert_int_equal(status, MR_ERROR_INPUT);
            mr_error_clear(&test->err);
        }
        forget(&links);
    }
}

/* Lines of a recovery journal; the page http://s/ of the first line links to http://s/a. */
static void lines_of_a_recovery_journal(void **state)
{
    static const struct {
        const char *line, *links; /* NULL: refused */
    } cases[] = {
        {"F+ http://b/ L http://a/", "http://a/ http://b/\n"},
        {"F+ http://b/ LLLL http://a/x?y", "http://a/x?y http://b/\n"},
        {"F+ http://b/ 50+LL http://a/", "http://a/ http://b/\n"},
        {"F+ http://b/ LR http://a/", "http://a/ http://b/\n"},
        {"F+ http://b/ http://a/", "http://a/ http://b/\n"}, /* a seed that was found, too */
        {"F+ http://b/  http://a/ ", "http://a/ http://b/\n"},
        {"F+ http://b/ - -", ""},
        {"F+ http://b/", ""},
        {"F+ http://b/  ", ""},
        {"F+ http://b/i E http://a/", ""},
        {"F+ http://b/i LER http://a/", ""},
        {"F+ http://b/js LX http://a/", ""},
        {"F+ http://b/robots.txt P http://a/", ""},
        {"F+ http://b/x.css L http://a/", ""},
        {"F+ dns:b P http://a/", ""},
        {"F+ http://b/ L dns:a", ""},
        {"Fs http://b/ L http://a/", ""},
        {"Ff http://b/ L http://a/", ""},
        {"Fd http://b/", ""},
        {"Fr http://b/", ""},
        {"Fe http://b/", ""},
        {"Fi http://b/", ""},
        {"E+ http://b/ L http://a/", ""},
        {"E java.io.IOException: http://b/ x", ""},
        {"T 2020-01-01T00:00:00.000Z", ""},
        {"F+", NULL},
        {"F+ ", NULL},
        {"F? http://b/ L http://a/", NULL},
        {"F+http://b/ L http://a/", NULL},
        {"http://b/ L http://a/", NULL},
    };
    struct test_context *test = *state;
    struct links links = {.n_names = 0};
    char text[512];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        (void)snprintf(text, sizeof text, "F+ http://s/ - -\nF+ http://s/a L http://s/\n%s\n",
                       cases[i].line);
        const enum mr_status status = read_bytes(test, "crawl-log", text, strlen(text), &links);
        assert_int_equal(status, cases[i].links != NULL ? MR_OK : MR_ERROR_INPUT);
        if (cases[i].links != NULL) {
            assert_string_equal(links.text + strlen("http://s/ http://s/a\n"), cases[i].links);
        }
        mr_error_clear(&test->err);
        forget(&links);
    }
    static const char *const alone[] = {"F+ http://a/\nF+ http://b/\n", "F+ http://a/ - -\n",
                                        "T now\nF+ http://a/ \nFs http://a/\n",
                                        "Fi http://a/\nFs http://a/ L http://b/\n", "F+ http://a/"};
    for (size_t i = 0; i < sizeof alone / sizeof alone[0]; i++) {
        assert_int_equal(read_bytes(test, "crawl-log", alone[i], strlen(alone[i]), &links),
                         MR_ERROR_INPUT);
        assert_non_null(strstr(test_context_error(test),
                               "x: no links in it: a recovery journal with "
                               "seeds alone"));
        mr_error_clear(&test->err);
        forget(&links);
    }
}

/* The advice of the message is run in tests/cli/crawl_inputs_test.sh. */
static void one_object_for_all_pages_is_refused(void **state)
{
    static const char urls[] = "url: .key, links: .value", names[] = "from: .key, to: .value";
    static const struct {
        const char *text, *advice;
    } cases[] = {
        {"{\"http://a/\":[\"http://b/\"],\"http://b/\":[]}", urls},
        {"{\"http://a/\":[]}", urls},
        {"[{\"http://a/\":[\"b\"]}]", urls},
        {"{\n \"a\": [\n  \"b\",\n  \"c\"\n ],\n \"b\": [\"c\"]\n}", names},
        {"{\"0\":[1,2],\"1\":[0]}", names},
        {"{\"Paris Hilton\":[\"Paris\"]}", names},
        {"{\"page\":\"http://a/\",\"x\":[\"http://b/\"]}", NULL},
        {"{\"http://a/\":{\"title\":\"x\"}}", NULL},
    };
    struct test_context *test = *state;
    struct links links = {.n_names = 0};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(read_bytes(test, "jsonl", cases[i].text, strlen(cases[i].text), &links),
                         MR_ERROR_INPUT);
        const char *message = test_context_error(test);
        assert_true(cases[i].advice == NULL ? strstr(message, "to_entries") == NULL
                                            : strstr(message, cases[i].advice) != NULL);
        mr_error_clear(&test->err);
        forget(&links);
    }
}

/* ---- Archives ---- */

/* Appends the line of an ARC record, up to its length, and a page that links to http://t/. */
static void add_arc(char *file, const char *head)
{
    static const char body[] =
        "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=http://t/>";
    const size_t used = strlen(file);
    (void)snprintf(file + used, TEXT_BYTES - used, "%s%zu\n%s\n", head, sizeof body - 1, body);
}

static void lines_of_arc_records(void **state)
{
    static const struct {
        const char *head, *page;
    } cases[] = {
        {"http://x/a b 192.0.2.1 20110804181142 text/html ", "http://x/a%20b"},
        {"http://x/a  b 192.0.2.1 20110804181142 text/html ", "http://x/a%20%20b"},
        {"http://x/?q=1.2 20110804181142 c 2001:db8::1 20110804181142 text/html ",
         "http://x/?q=1.2%2020110804181142%20c"},
        {"http://x/a b c d e f g 192.0.2.1 20110804181142  ", "http://x/a%20b%20c%20d%20e%20f%20g"},
        {"http://x/empty 192.0.2.1 20110804181142  ", "http://x/empty"},
        {"http://x/none 192.0.2.1 20110804181142 ", "http://x/none"},
        {"http://x/2 3 192.0.2.1 20110804181142 text/html 200 ABC - 99 x.arc.gz ",
         "http://x/2%203"},
        {"http://x/host unknown 20110804181142 text/html ", "http://x/host"},
        {"http://x/date 192.0.2.1 199610 text/html ", "http://x/date"},
        {"http://x/type 192.0.2.1 20110804181142 text/html; charset=utf-8 ", "http://x/type"},
    };
    struct test_context *test = *state;
    struct links links = {.n_names = 0};
    char file[TEXT_BYTES] = "filedesc://x.arc 0.0.0.0 20110804181044 text/plain 2\n1\n\n";
    char expected[TEXT_BYTES] = "";

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const size_t used = strlen(expected);
        add_arc(file, cases[i].head);
        (void)snprintf(expected + used, TEXT_BYTES - used, "%s http://t/\n", cases[i].page);
    }
    assert_int_equal(read_bytes(test, "arc", file, strlen(file), &links), MR_OK);
    assert_string_equal(links.text, expected);
    forget(&links);
}

/* Appends a record whose header says `less` bytes less than its body has. */
static void add_warc(char *file, const char *head, const char *body, size_t less, const char *end)
{
    const size_t used = strlen(file);
    (void)snprintf(file + used, TEXT_BYTES - used,
                   "WARC/1.0\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n%s\r\nContent-Length: "
                   "%zu\r\n\r\n%s%s",
                   head, strlen(body) - less, body, end);
}

#define RESPONSE(url)                                                                              \
    "WARC-Type: response\r\nContent-Type: application/http\r\nWARC-Target-URI: " url
#define METADATA(url, type) "WARC-Type: metadata\r\nContent-Type: " type "\r\nWARC-Target-URI: " url
#define PAGE(html)          "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" html

/* As tools write them that count characters and not bytes: the body goes on to the next record. */
static void records_longer_than_they_say(void **state)
{
    static const struct {
        const char *head, *body, *links;
    } cases[] = {
        {RESPONSE("http://a/"), PAGE("<p>\xc3\xbc\xc3\xb6<a href=http://t/x>"),
         "http://a/ http://t/x\n"},
        {RESPONSE("http://a/"), PAGE("\xc3\xa4 WARC/1.0 <a href=http://t/><a href=/WARC/1.0>"),
         "http://a/ http://t/\nhttp://a/ http://a/WARC/1.0\n"},
        {"WARC-Type: resource\r\nContent-Type: text/html\r\nWARC-Target-URI: http://a/",
         "<a href=http://t/>\xe2\x82\xac", "http://a/ http://t/\n"},
        {METADATA("http://a/", "application/warc-fields"),
         "outlink: http://t/ L a/@href\r\nx: \xc3\xbc", "http://a/ http://t/\n"},
        {METADATA("http://a/", "application/json"),
         "{\"Envelope\":{\"WARC-Header-Metadata\":{\"WARC-Target-URI\":\"http://a/"
         "\"},\"Payload-Metadata\":"
         "{\"HTTP-Response-Metadata\":{\"HTML-Metadata\":{\"Links\":[{\"path\":\"A@/"
         "href\",\"url\":\"http://"
         "t/\",\"text\":\"\xc3\xbc\"}]}}}}}",
         "http://a/ http://t/\n"},
    };
    static const char *const ends[] = {"\r\n\r\n", "\n\n", ""};
    struct test_context *test = *state;
    struct links links = {.n_names = 0};

    for (size_t i = 0; i < 3 * sizeof cases / sizeof cases[0]; i++) {
        for (size_t less = 0; less < 12; less++) {
            struct mr_edge_text_summary summary = {0};
            char file[TEXT_BYTES] = "", expected[TEXT_BYTES];
            add_warc(file, cases[i / 3].head, cases[i / 3].body, less, ends[i % 3]);
            add_warc(file, RESPONSE("http://b/"), PAGE("<a href=http://u/>"), 0, "\r\n\r\n");
            add_warc(file, cases[i / 3].head, cases[i / 3].body, less, ends[i % 3]);
            (void)snprintf(expected, sizeof expected, "%shttp://b/ http://u/\n%s",
                           cases[i / 3].links, cases[i / 3].links);
            assert_non_null(test_context_text(test, "x", file));
            assert_int_equal(
                read_file(test, "warc", test->path, MR_BAD_LINES_SKIP, &links, &summary), MR_OK);
            assert_string_equal(links.text, expected);
            assert_int_equal(summary.bad_lines, less > 0 ? 2 : 0);
            forget(&links);
            if (less > 0) {
                assert_int_equal(read_bytes(test, "warc", file, strlen(file), &links),
                                 MR_ERROR_INPUT);
                mr_error_clear(&test->err);
                forget(&links);
            }
        }
    }
}

/* A record that is whole does not take what a damaged record behind it has. */
static void damage_behind_a_record_is_not_part_of_it(void **state)
{
    struct test_context *test = *state;
    struct links links = {.n_names = 0};
    struct mr_edge_text_summary summary = {0};
    char file[TEXT_BYTES] = "";

    add_warc(file, RESPONSE("http://a/"), PAGE("<a href=http://t/>"), 0, "\r\n\r\n");
    const size_t at = strlen(file);
    add_warc(file, RESPONSE("http://b/"), PAGE("<a href=http://no/>"), 0, "\r\n\r\n");
    file[at] = 'X';
    add_warc(file, RESPONSE("http://c/"), PAGE("<a href=http://t/>"), 0, "\r\n\r\n");
    assert_non_null(test_context_text(test, "x", file));
    assert_int_equal(read_file(test, "warc", test->path, MR_BAD_LINES_SKIP, &links, &summary),
                     MR_OK);
    assert_string_equal(links.text, "http://a/ http://t/\nhttp://c/ http://t/\n");
    forget(&links);
}

#define REVISIT(url, rest)                                                                         \
    "WARC-Type: revisit\r\nContent-Type: application/http\r\nWARC-Target-URI: " url "\r\n" rest

static void revisits_of_other_urls_have_their_own_metadata(void **state)
{
    static const struct {
        const char *head, *body, *metadata, *links;
    } cases[] = {
        {REVISIT("http://h/b", "WARC-Refers-To-Target-URI: http://h/a"), PAGE(""),
         "outlink: /x L a/@href", "http://h/b http://h/x\n"},
        {REVISIT("http://h/b", "WARC-Refers-To-Target-URI: <http://h/a>"), PAGE(""),
         "outlink: http://y/ L a/@href\r\noutlink: i E img/@src", "http://h/b http://y/\n"},
        {REVISIT("http://h/b", "WARC-Refers-To-Target-URI: http://h/a"),
         "HTTP/1.1 302 Found\r\nLocation: /to\r\n\r\n", NULL, "http://h/b http://h/to\n"},
        {REVISIT("http://h/b", "WARC-Refers-To-Target-URI: http://h/a"),
         "HTTP/1.1 302 Found\r\nLocation: /to\r\n\r\n",
         "outlink: http://h/to R Location:\r\noutlink: http://h/body L a/@href",
         "http://h/b http://h/to\nhttp://h/b http://h/to\n"},
        {REVISIT("http://h/b", "WARC-Refers-To-Target-URI: http://h/a"), PAGE(""), NULL, ""},
        {REVISIT("http://h/a", "WARC-Refers-To-Target-URI: http://h/a"), PAGE(""),
         "outlink: /x L a/@href", ""},
        {REVISIT("http://h/a", "WARC-Refers-To-Target-URI: <http://h/a>"), PAGE(""), NULL, ""},
    };
    struct test_context *test = *state;
    struct links links = {.n_names = 0};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char file[TEXT_BYTES] = "";
        add_warc(file, cases[i].head, cases[i].body, 0, "\r\n\r\n");
        if (cases[i].metadata != NULL) {
            add_warc(file,
                     i < 5 ? METADATA("http://h/b", "application/warc-fields")
                           : METADATA("http://h/a", "application/warc-fields"),
                     cases[i].metadata, 0, "\r\n\r\n");
        }
        assert_int_equal(read_bytes(test, "warc", file, strlen(file), &links), MR_OK);
        assert_string_equal(links.text, cases[i].links);
        assert_true(links.n_names > 0); /* the page is a vertex */
        forget(&links);
    }
}

/* What Heritrix 3.13 makes of such links. A link that its outlinks lack has the name of browsers,
 * and so have the links of metadata of other crawlers. */
static void links_have_the_names_of_heritrix(void **state)
{
    static const struct {
        const char *url, *html, *metadata, *links;
    } cases[] = {
        {"http://h/", "<a href='/a[b]'><a href='/q?a=\"x'>",
         "fetchTimeMs: 2\r\noutlink: http://h/a%5Bb%5D L a/@href\r\n"
         "outlink: http://h/q?a=%22x L a/@href",
         "http://h/ http://h/a%5Bb%5D\nhttp://h/ http://h/q?a=%22x\n"},
        {"http://h/?a='b'", "<a href=\"?a='b'\"><a href='/b?'><a href=/c>",
         "outlink: http://h/?a='b' L a/@href\r\noutlink: http://h/b L a/@href",
         "http://h/?a='b' http://h/?a='b'\nhttp://h/?a='b' http://h/b\n"
         "http://h/?a='b' http://h/c\n"},
        {"http://h/", "<a href='http://0x7f.1/x'><a href='/%2e%2e/x'>",
         "outlink: http://0x7f.1/x L a/@href\r\noutlink: http://h/%2e%2e/x L a/@href",
         "http://h/ http://0x7f.1/x\nhttp://h/ http://h/%2e%2e/x\n"},
        {"http://h/", "<a href=/b?><a href=/b>",
         "outlink: http://h/b? L a/@href\r\noutlink: http://h/b L a/@href",
         "http://h/ http://h/b?\nhttp://h/ http://h/b\n"},
        {"http://h/", "<a href='//www.h./a.b'><a href='//www.h.:80/c'>",
         "outlink: http://www.h/a.b L a/@href\r\noutlink: http://www.h/c L a/@href",
         "http://h/ http://www.h/a.b\nhttp://h/ http://www.h/c\n"},
        {"http://h/?a='b'", "<a href='/a[b]'>", "x: y", "http://h/?a=%27b%27 http://h/a[b]\n"},
    };
    struct test_context *test = *state;
    struct links links = {.n_names = 0};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char file[TEXT_BYTES] = "", head[256], body[256];
        (void)snprintf(head, sizeof head, RESPONSE("%s"), cases[i].url);
        (void)snprintf(body, sizeof body, PAGE("%s"), cases[i].html);
        add_warc(file, head, body, 0, "\r\n\r\n");
        (void)snprintf(head, sizeof head, METADATA("%s", "application/warc-fields"), cases[i].url);
        add_warc(file, head, cases[i].metadata, 0, "\r\n\r\n");
        assert_int_equal(read_bytes(test, "warc", file, strlen(file), &links), MR_OK);
        assert_string_equal(links.text, cases[i].links);
        forget(&links);
    }
}

/* A file that is cut anywhere gives links of the whole file, in their order, and nothing else. The
 * last field of a text may be shorter; a reader of lines cannot know. */
static void a_cut_file_has_fewer_links(void **state)
{
    struct test_context *test = *state;
    struct links links = {.n_names = 0};
    for (size_t i = 0; i < N_SAMPLES; i++) {
        const struct sample *s = &samples[i];
        for (size_t bytes = 0; bytes < strlen(s->text); bytes++) {
            enum mr_status status = read_bytes(test, s->format, s->text, bytes, &links);
            assert_true(status == MR_OK || status == MR_ERROR_INPUT);
            const char *end = strrchr(links.text, ' ');
            assert_memory_equal(links.text, s->links, end == NULL ? 0 : end - links.text);
            if (status != MR_OK) {
                assert_true(test->err.location_kind != MR_ERROR_LOCATION_NONE ||
                            strstr(test->err.message, "no links in it") != NULL);
                mr_error_clear(&test->err);
            }
            forget(&links);
        }
    }
}

static void damage_is_an_error_or_other_links(void **state)
{
    struct test_context *test = *state;
    struct links links = {.n_names = 0};
    char text[1024];
    uint64_t seed = 1;
    for (size_t i = 0; i < N_SAMPLES; i++) {
        const struct sample *s = &samples[i];
        const size_t bytes = strlen(s->text);
        for (unsigned round = 0; round < 100; round++) {
            memcpy(text, s->text, bytes);
            for (unsigned k = 0; k <= round % 3; k++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                text[(seed >> 33) % bytes] = (char)(seed >> 20);
            }
            struct mr_edge_text_summary summary = {0};
            assert_non_null(test_context_file(test, "x", text, bytes));
            const enum mr_status status =
                read_file(test, s->format, test->path,
                          round % 2 == 0 ? MR_BAD_LINES_FAIL : MR_BAD_LINES_SKIP, &links, &summary);
            assert_true(status == MR_OK || status == MR_ERROR_INPUT);
            mr_error_clear(&test->err);
            forget(&links);
        }
    }
}

static void every_read_that_fails_is_reported(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_SAMPLES; i++) {
        const struct sample *s = &samples[i];
        enum mr_status status = MR_ERROR_RUNTIME;
        for (uint64_t at = 1; status != MR_OK; at++) {
            struct test_context test;
            struct links links = {.n_names = 0};
            const struct mr_fault_plan plan = {.kind = MR_FAULT_ERROR,
                                               .operations = MR_FAULT_ON_READ,
                                               .at = at,
                                               .error_number = EIO};
            assert_int_equal(test_context_make(&test, MR_MEMORY_FLOOR_BYTES), 0);
            assert_int_equal(
                mr_io_create_fault(test.context.io, &plan, &test.context.io, &test.err), MR_OK);
            status = read_bytes(&test, s->format, s->text, strlen(s->text), &links);
            if (status != MR_OK) {
                assert_int_equal(status, MR_ERROR_RUNTIME);
                assert_non_null(strstr(test_context_error(&test), "Input/output error"));
                assert_true(at < 10);
            } else {
                assert_true(at > 1); /* else the reader did not use the table */
                assert_string_equal(links.text, s->links);
            }
            forget(&links);
            test_context_remove(&test); /* this checks the budget for leaks */
        }
    }
}

static void memory_that_does_not_suffice_is_reported(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_SAMPLES; i++) {
        const struct sample *s = &samples[i];
        unsigned n_refused = 0;
        enum mr_status status = MR_ERROR_BUDGET;
        for (uint64_t limit = 0; status != MR_OK; limit += 64 << 10) {
            struct test_context test;
            struct links links = {.n_names = 0};
            assert_int_equal(test_context_make(&test, MR_MEMORY_FLOOR_BYTES), 0);
            const uint64_t taken = mr_memory_available(test.context.memory) - limit;
            assert_int_equal(mr_memory_charge(test.context.memory, "test", taken, NULL), MR_OK);
            status = read_bytes(&test, s->format, s->text, strlen(s->text), &links);
            if (status != MR_OK) {
                assert_int_equal(status, MR_ERROR_BUDGET);
                n_refused++;
                mr_error_clear(&test.err);
            } else {
                assert_string_equal(links.text, s->links);
            }
            forget(&links);
            mr_memory_discharge(test.context.memory, "test", taken);
            test_context_remove(&test);
        }
        assert_true(n_refused > 0);
    }
}

/* ---- Common Crawl: several files ---- */

struct part {
    const char *text;
    const char *error; /* NULL: none */
};

/* Read the parts one after the other, as a build does. */
static void read_parts(struct test_context *test, const struct part *parts, unsigned n_parts,
                       struct links *links)
{
    struct mr_edge_text_summary summary = {0};
    for (unsigned i = 0; i < n_parts; i++) {
        assert_non_null(test_context_text(test, "part", parts[i].text));
        enum mr_status status =
            read_file(test, "commoncrawl", test->path, MR_BAD_LINES_FAIL, links, &summary);
        if (parts[i].error != NULL) {
            assert_int_equal(status, MR_ERROR_INPUT);
            assert_string_equal(test_context_error(test), parts[i].error);
        } else {
            assert_int_equal(status, MR_OK);
        }
    }
}

static void common_crawl_comes_in_parts(void **state)
{
    struct test_context *test = *state;
    struct links links = {.n_names = 0};
    const struct part parts[] = {{"", NULL},
                                 {"0\tcom.example\n1\tcom.example.www\r\n", NULL},
                                 {"2\torg.wiki", NULL},
                                 {"0\t1\n0\t2\n", NULL},
                                 {"2\t0\t17\n", NULL}};
    read_parts(test, parts, 5, &links);
    assert_string_equal(links.text, "com.example com.example.www\ncom.example org.wiki\n"
                                    "org.wiki com.example\n");
    forget(&links);
}

static void common_crawl_says_what_is_wrong(void **state)
{
    struct test_context *test = *state;
    static const struct part cases[][2] = {
        {{"0\t1\n",
          "part:1: \"0\\x091\": an edge before any vertex; give the files of vertices first"}},
        {{"1\tcom.a\n",
          "part:1: \"1\\x09com.a\": vertex 0 is expected here; give all parts, in their order"}},
        {{"0\tcom.a\n2\tcom.c\n",
          "part:2: \"2\\x09com.c\": vertex 1 is expected here; give all parts, in their order"}},
        {{"0\tcom.a\n1\tcom.a\n",
          "part:2: \"1\\x09com.a\": the host occurs twice; --bad-lines skip makes one page of "
          "both, as it does in a file for --names"}},
        {{"0\tcom.a\n1\t\n", "part:2: \"1\\x09\": not a vertex, ID<TAB>REVERSED.HOST"}},
        {{"0\tcom.a b\n", "part:1: \"0\\x09com.a b\": the host is too long, or has blanks or "
                          "control characters in it"}},
        {{"0\tcom.a\n", NULL},
         {"0\t1\n", "part:1: \"0\\x091\": an id that no file of vertices has; "
                    "give all files of vertices first"}},
        {{"0\tcom.a\n", NULL}, {"0 0\n", "part:1: \"0 0\": not an edge, FROM-ID<TAB>TO-ID"}},
        {{"0\tcom.a\n", NULL},
         {"0\t18446744073709551616\n",
          "part:1: \"0\\x0918446744073709551616\": not an edge, FROM-ID<TAB>TO-ID"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct links links = {.n_names = 0};
        read_parts(test, cases[i], cases[i][1].text == NULL ? 1 : 2, &links);
        forget(&links);
    }
}

static int setup(void **state)
{
    struct test_context *test = malloc(sizeof *test);
    *state = test;
    return test == NULL ? 1 : test_context_make(test, UINT64_MAX);
}

static int teardown(void **state)
{
    test_context_remove(*state);
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_are_those_in_the_file),
        cmocka_unit_test(json_has_the_keys_of_many_tools),
        cmocka_unit_test(lines_of_a_recovery_journal),
        cmocka_unit_test(one_object_for_all_pages_is_refused),
        cmocka_unit_test(lines_of_arc_records),
        cmocka_unit_test(records_longer_than_they_say),
        cmocka_unit_test(damage_behind_a_record_is_not_part_of_it),
        cmocka_unit_test(revisits_of_other_urls_have_their_own_metadata),
        cmocka_unit_test(links_have_the_names_of_heritrix),
        cmocka_unit_test(a_cut_file_has_fewer_links),
        cmocka_unit_test(damage_is_an_error_or_other_links),
        cmocka_unit_test(every_read_that_fails_is_reported),
        cmocka_unit_test(memory_that_does_not_suffice_is_reported),
        cmocka_unit_test(common_crawl_comes_in_parts),
        cmocka_unit_test(common_crawl_says_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
