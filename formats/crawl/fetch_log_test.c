/* SPDX-License-Identifier: Apache-2.0 */
/* Logs of crawlers: which pages were fetched, and when. The times are those of `date -u +%s`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/crawl/fetch_log.h"
#include "tests/support/test_streams.h"

struct fixture {
    struct test_context test;
    char told[1024];
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    *state = f;
    return test_context_make(&f->test, 64u << 20);
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    test_context_remove(&f->test);
    free(f);
    return 0;
}

static enum mr_status tell(void *data, const struct mr_row *fetch, struct mr_error *err)
{
    struct fixture *f = data;
    const size_t used = strlen(f->told);
    (void)err;
    (void)snprintf(f->told + used, sizeof f->told - used, "%llu %.*s %.0f %.0f\n",
                   (unsigned long long)fetch->line, (int)fetch->name_bytes, fetch->name,
                   fetch->values[0], fetch->values[1]);
    return MR_OK;
}

static enum mr_status read_text(struct fixture *f, const char *text, enum mr_fetch_log kind)
{
    struct mr_input *input = NULL;

    f->told[0] = '\0';
    assert_int_equal(kind, mr_fetch_log_look(text, strlen(text)));
    const char *path = test_context_text(&f->test, "log", text);
    assert_int_equal(MR_OK, mr_input_open(&f->test.context, path, &input, NULL));
    const enum mr_status status = mr_fetch_log_read(&f->test.context, input, kind,
                                                    MR_FETCH_WANTS_TIMES, tell, f, &f->test.err);
    mr_input_close(input);
    return status;
}

static void every_line_of_a_crawl_log_is_a_page_that_is_done(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(
        MR_OK,
        read_text(
            f,
            "2011-06-23T17:12:08.802Z   200       1299 http://a.com/robots.txt LP http://a.com/ "
            "text/plain #014 20110623171208574+225 sha1:X - -\n"
            "2011-06-23T17:12:12.234Z   404         10 http://a.com/x L http://a.com/ text/html "
            "#016 20110623171211849+377 sha1:Y - -\n"
            "2011-06-23T17:12:13.000Z -9998          - http://a.com/y L http://a.com/ unknown "
            "#016 - - - -\n",
            MR_FETCH_LOG_HERITRIX));
    assert_string_equal(f->told, "1 http://a.com/robots.txt 1308849128 0\n"
                                 "2 http://a.com/x 1308849132 0\n"
                                 "3 http://a.com/y 1308849133 0\n");
    assert_int_equal(MR_ERROR_INPUT,
                     read_text(f,
                               "2011-06-23T17:12:08.802Z 200 1 http://a.com/ - - text/html\nx y\n",
                               MR_FETCH_LOG_HERITRIX));
    assert_non_null(strstr(test_context_error(&f->test), "log:2: \"x y\": no line of a crawl.log"));
}

static void crawldb_dumps_have_the_time_of_the_next_fetch(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(MR_OK, read_text(f,
                                      "http://a.com/\tVersion: 7\n"
                                      "Status: 2 (db_fetched)\n"
                                      "Fetch time: Sat Jan 31 12:00:00 CET 2026\n"
                                      "Modified time: Thu Jan 01 00:00:00 UTC 1970\n"
                                      "Retries since fetch: 0\n"
                                      "Retry interval: 2592000 seconds (30 days)\n"
                                      "Score: 1.0\nSignature: x\nMetadata: \n \t_pst_=success(1)\n"
                                      "\n"
                                      "http://b.com/\tVersion: 7\n"
                                      "Status: 1 (db_unfetched)\n"
                                      "Fetch time: Thu Jan 01 00:00:00 UTC 2026\n"
                                      "Retry interval: 0 seconds (0 days)\n"
                                      "\n"
                                      "http://c.com/\tVersion: 7\n"
                                      "Status: 3 (db_gone)\n"
                                      "Fetch time: Fri Jan 02 00:00:00 GMT 2026\n"
                                      "Retry interval: 86400 seconds (1 days)\n",
                                      MR_FETCH_LOG_CRAWLDB));
    assert_string_equal(f->told, "1 http://a.com/ 1767265200 2592000\n"
                                 "17 http://c.com/ 1767225600 86400\n");
    assert_int_equal(MR_ERROR_INPUT, read_text(f,
                                               "http://a.com/\tVersion: 7\nStatus: 2 (db_fetched)\n"
                                               "Fetch time: Sat Jan 31 12:00:00 CST 2026\n",
                                               MR_FETCH_LOG_CRAWLDB));
    assert_non_null(strstr(test_context_error(&f->test), "TZ=UTC"));
    assert_int_equal(MR_ERROR_INPUT,
                     read_text(f, "http://a.com/\tVersion: 7\nScore: 1\n", MR_FETCH_LOG_CRAWLDB));
}

static void indexes_and_tables(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(MR_OK,
                     read_text(f,
                               "com,a)/ 20260102000000 {\"url\": \"http://A.com/\", \"status\": "
                               "\"200\"}\n",
                               MR_FETCH_LOG_CDXJ));
    assert_string_equal(f->told, "1 http://A.com/ 1767312000 0\n");
    assert_int_equal(MR_OK,
                     read_text(f,
                               "url,status,nextfetchdate,metadata,host\n"
                               "http://a.com/,FETCHED,2026-03-01T00:00:00Z,\"lastProcessedDate="
                               "2026-01-02T00:00:00.123Z\",a.com\n"
                               "\"http://a.com/x,y\",DISCOVERED,2026-01-01T00:00:00Z,,a.com\n"
                               "http://b.com/,FETCH_ERROR,2026-03-01T00:00:00Z,,b.com\n",
                               MR_FETCH_LOG_TABLE));
    assert_string_equal(f->told, "2 http://a.com/ 1767312000 0\n4 http://b.com/ -1 0\n");
    assert_int_equal(
        MR_OK,
        read_text(f,
                  "Url,Status code,Status name,Fetch Time,Modified Time,Retries since "
                  "fetch,Retry interval seconds,Retry interval days,Score,Signature,Metadata\n"
                  "\"http://a.com/\",2,\"db_fetched\",Sat Jan 03 00:00:00 UTC 2026,Thu Jan 01 "
                  "00:00:00 UTC 1970,0,86400.0,1.0,1.0,\"x\",\"\"\n"
                  "\"http://b.com/\",1,\"db_unfetched\",Sat Jan 03 00:00:00 UTC 2026,Thu Jan "
                  "01 00:00:00 UTC 1970,0,86400.0,1.0,1.0,\"x\",\"\"\n",
                  MR_FETCH_LOG_TABLE));
    assert_string_equal(f->told, "2 http://a.com/ 1767312000 86400\n");
}

/* What crawlers and indexes write: line, URL, time and interval of each fetched page, by hand. */
static void what_is_fetched_in_many_files(void **state)
{
    static const struct {
        enum mr_fetch_log kind;
        const char *text, *told; /* NULL: refused */
    } cases[] = {
        /* readdb -dump -format json of Nutch */
        {MR_FETCH_LOG_JSON,
         "{\"url\":\"http://a/"
         "\",\"statusCode\":2,\"statusName\":\"db_fetched\",\"fetchTime\":\"Sat "
         "Jan 03 00:00:00 UTC 2026\",\"retryIntervalSeconds\":86400}\n"
         "{\"url\":\"http://b/\",\"statusCode\":1,\"statusName\":\"db_unfetched\"}\n"
         "{\"url\":\"http://c/\",\"statusCode\":3,\"statusName\":\"db_gone\",\"fetchTime\":\"Sat "
         "Jan "
         "03 00:00:00 UTC 2026\"}\n",
         "1 http://a/ 1767312000 86400\n3 http://c/ -1 0\n"},
        /* browsertrix */
        {MR_FETCH_LOG_JSON,
         "{\"format\":\"json-pages-1.0\",\"id\":\"pages\",\"title\":\"All Pages\"}\n"
         "{\"id\":\"1\",\"url\":\"http://a/"
         "\",\"ts\":\"2026-01-02T00:00:00.000Z\",\"status\":200}\n",
         "2 http://a/ 1767312000 0\n"},
        /* StormCrawler's index, and a bulk file */
        {MR_FETCH_LOG_JSON,
         "{\"_id\":\"1\",\"_source\":{\"url\":\"http://a/\",\"status\":\"FETCHED\",\"metadata\":{"
         "\"lastProcessedDate\":[\"2026-01-02T00:00:00Z\"]}}}\n"
         "{\"_id\":\"2\",\"_source\":{\"url\":\"http://b/\",\"status\":\"DISCOVERED\"}}\n"
         "{\"_id\":\"3\",\"_source\":{\"url\":\"http://c/\",\"status\":\"FETCH_ERROR\"}}\n",
         "1 http://a/ 1767312000 0\n3 http://c/ -1 0\n"},
        {MR_FETCH_LOG_JSON,
         "{\"index\":{\"_id\":\"1\"}}\n{\"url\":\"http://a/\",\"status\":\"ERROR\"}\n",
         "2 http://a/ -1 0\n"},
        /* Scrapy's items, as lines of an ItemLoader and as an array on several lines */
        {MR_FETCH_LOG_JSON, "{\"url\":[\"http://a/\"]}\n{\"url\":[\"http://b/\"]}\n",
         "1 http://a/ -1 0\n2 http://b/ -1 0\n"},
        {MR_FETCH_LOG_JSON,
         "[\n {\n  \"url\": \"http://a/\",\n  \"crawl_time\": 1767312000.5\n },\n {\n  "
         "\"url\": \"http://b/\"\n }\n]\n",
         "2 http://a/ 1767312000 0\n6 http://b/ -1 0\n"},
        /* an index server, advertools, flags */
        {MR_FETCH_LOG_JSON,
         "{\"urlkey\":\"a)/\",\"timestamp\":\"20260102000000\",\"url\":\"http://a/"
         "\",\"status\":\"-\"}",
         "1 http://a/ 1767312000 0\n"},
        {MR_FETCH_LOG_JSON,
         "{\"url\":\"http://a/\",\"status\":404,\"crawl_time\":\"2026-01-02 00:00:00\"}",
         "1 http://a/ 1767312000 0\n"},
        {MR_FETCH_LOG_JSON,
         "{\"url\":\"http://a/\",\"crawled\":false}\n{\"url\":\"http://b/\",\"crawled\":true}",
         "2 http://b/ -1 0\n"},
        {MR_FETCH_LOG_JSON, "{\"url\":\"http://a/\",\"status\":\"MAYBE\"}", NULL},
        {MR_FETCH_LOG_TABLE, "url,status\nhttp://a/,2026-01-02\n", NULL},
        {MR_FETCH_LOG_TABLE, "url,status\nhttp://a/,02.01.2026\n", NULL},
        /* Flags: pages without a yes wait. */
        {MR_FETCH_LOG_TABLE, "url,is_fetched\nhttp://a/,True\nhttp://b/,False\nhttp://c/,\n",
         "2 http://a/ -1 0\n"},
        {MR_FETCH_LOG_TABLE, "url,crawled\nhttp://a/,0\nhttp://b/,1\n", "3 http://b/ -1 0\n"},
        {MR_FETCH_LOG_TABLE, "url,fetched\nhttp://a/,0.0\nhttp://b/,1.0\nhttp://c/,2026-01-02\n",
         "3 http://b/ -1 0\n4 http://c/ 1767312000 0\n"},
        {MR_FETCH_LOG_TABLE, "url,fetched\nhttp://a/,perhaps\n", NULL},
        {MR_FETCH_LOG_TABLE, "url,visited,status\nhttp://a/,no,200\nhttp://b/,yes,200\n",
         "3 http://b/ -1 0\n"},
        {MR_FETCH_LOG_JSON,
         "{\"url\":\"http://a/\",\"fetched\":0}\n{\"url\":\"http://b/\",\"isCrawled\":false}\n"
         "{\"url\":\"http://c/\",\"visited\":\"no\"}\n{\"url\":\"http://d/\",\"done\":1}\n"
         "{\"url\":\"http://f/\",\"status\":false}\n",
         "4 http://d/ -1 0\n"},
        {MR_FETCH_LOG_JSON, "{\"url\":\"http://a/\",\"status\":{\"code\":503}}", NULL},
        {MR_FETCH_LOG_TABLE, "url,status\nhttp://a/,5xx\n", NULL},
        /* The page's own spelling: a graph has http://a/b%20c */
        {MR_FETCH_LOG_JSON, "{\"url\":\"http://a/b c\"}", "1 http://a/b c -1 0\n"},
        {MR_FETCH_LOG_TABLE, "url,status\nhttp://a/b c,200\n", "2 http://a/b c -1 0\n"},
        {MR_FETCH_LOG_JSON, "{\"link\":\"http://a/\"}", NULL},
        {MR_FETCH_LOG_JSON, "{\"url\":\"http://a/\"}\n{\"url\":\n", NULL},
        /* CDX of 11, 9, 7 and other columns, two of them one after the other */
        {MR_FETCH_LOG_CDX,
         " CDX N b a m s k r M S V g\na)/ 20260102000000 http://a/ text/html 200 X - - 9 0 x.gz\n",
         "2 http://a/ 1767312000 0\n"},
        {MR_FETCH_LOG_CDX, "a)/ 20260102000000 http://a/ text/html 200 X - - 9 0 x.gz\n",
         "1 http://a/ 1767312000 0\n"},
        {MR_FETCH_LOG_CDX,
         " CDX N b a m s k r V g\na)/ 20260102000000 http://a/ text/html 200 X - 0 x.gz\n",
         "2 http://a/ 1767312000 0\n"},
        {MR_FETCH_LOG_CDX, "a)/ 20260102000000 http://a/ text/html 200 X - 0 x.gz\n",
         "1 http://a/ 1767312000 0\n"},
        {MR_FETCH_LOG_CDX, "a)/ 20260102000000 http://a/ text/html 200 X 9\n",
         "1 http://a/ 1767312000 0\n"},
        {MR_FETCH_LOG_CDX,
         " CDX a b s\nhttp://a/ 20260102000000 200\n CDX b a\n20260102000000 http://b/\n",
         "2 http://a/ 1767312000 0\n4 http://b/ 1767312000 0\n"},
        {MR_FETCH_LOG_CDX, "a)/ 20260102000000 http://a/ t 200 X 9\nx y z\n", NULL},
        /* CDXJ with headers, and that of OpenWayback */
        {MR_FETCH_LOG_CDXJ, "!OpenWayback-CDXJ 1.0\na)/ 20260102000000 {\"url\":\"http://a/\"}\n",
         "2 http://a/ 1767312000 0\n"},
        {MR_FETCH_LOG_CDXJ,
         "!meta {\"x\":1}\n!context []\na)/ 20260102000000123 {\"url\":\"http://a/\"}\n",
         "3 http://a/ 1767312000 0\n"},
        {MR_FETCH_LOG_CDXJ,
         "(a,)/> 2026-01-02T00:00:00Z response {\"uri\":\"http://a/\",\"hsc\":200}\n",
         "1 http://a/ 1767312000 0\n"},
        /* crawl.log of 2007 */
        {MR_FETCH_LOG_HERITRIX,
         "20260102000000593   200  3112 http://a/ - - text/html #001 - - - -\n",
         "1 http://a/ 1767312000 0\n"},
        /* frontier.recover of Heritrix */
        {MR_FETCH_LOG_JOURNAL,
         "T 20260102000000\nF+ http://a/ \nFe http://a/\nFs http://a/\nF+ http://b/ L http://a/\n"
         "F+ http://c/ L http://a/\nFd http://b/\nFr http://c/\nF+ http://d/ L http://a/\n"
         "Ff http://d/\n",
         "4 http://a/ -1 0\n7 http://b/ -1 0\n10 http://d/ -1 0\n"},
        {MR_FETCH_LOG_JOURNAL, "F+ http://a/ \nhttp://b/\n", NULL},
        /* page_db_dump info of Aduana, of three versions */
        {MR_FETCH_LOG_ADUANA,
         "0123456789abcdef 188 http://a/ 1000000000.0 1767312000.0 0 12 1.000e+00\n"
         "1123456789abcdef 189 http://b/ 0.0 0.0 0 0 5.000e-01\n",
         "1 http://a/ 1767312000 0\n"},
        {MR_FETCH_LOG_ADUANA,
         "0123456789abcdef http://a/ 1767312000.0 1767312000.0 0 1 0 1.000e+00\n"
         "1123456789abcdef http://b/ 0.0 0.0 0 0 1 5.000e-01\n",
         "1 http://a/ 1767312000 0\n"},
        {MR_FETCH_LOG_ADUANA,
         "0123456789abcdef 0 http://a/ 1000000000.0 1767312000.0 0 12 0 1.000e+00\n"
         "1123456789abcdef 1 http://b/ 0.0 0.0 0 0 1 5.000e-01\n",
         "1 http://a/ 1767312000 0\n"},
        /* states of a table */
        {MR_FETCH_LOG_TABLE,
         "URL;Status\nhttp://a/;db_redir_perm\nhttp://b/;\nhttp://c/;queued\nhttp://d/;404 Not "
         "Found\nhttp://e/;not_crawled\n",
         "2 http://a/ -1 0\n5 http://d/ -1 0\n"},
        {MR_FETCH_LOG_TABLE, "url,status\nhttp://a/,MAYBE\n", NULL},
        /* brozzler's pages; requests of Crawlee, as its queue has them and by themselves */
        {MR_FETCH_LOG_JSON,
         "{\"url\":\"http://a/\",\"brozzle_count\":1}\n{\"url\":\"http://b/"
         "\",\"brozzle_count\":0}\n"
         "{\"url\":\"http://c/\",\"brozzle_count\":12}\n",
         "1 http://a/ -1 0\n3 http://c/ -1 0\n"},
        {MR_FETCH_LOG_JSON,
         "{\"url\":\"http://a/\",\"orderNo\":null,\"json\":\"{}\"}\n{\"url\":\"http://b/"
         "\",\"orderNo\":1795827566012}\n{\"url\":\"http://c/\",\"orderNo\":-1795827566012}\n",
         "1 http://a/ -1 0\n"},
        {MR_FETCH_LOG_JSON,
         "{\"url\":\"http://a/\",\"orderNo\":1,\"handledAt\":\"2026-01-02T00:00:00.000Z\"}\n"
         "{\"url\":\"http://b/\",\"handledAt\":null}\n{\"url\":\"http://c/\",\"handled_at\":\"\"}\n"
         "{\"url\":\"http://d/\",\"handled_at\":\"2026-01-02T00:00:00Z\"}\n",
         "1 http://a/ 1767312000 0\n4 http://d/ 1767312000 0\n"},
        {MR_FETCH_LOG_JSON, "{\"url\":\"http://a/\",\"orderNo\":1,\"handledAt\":null}\n", ""},
        {MR_FETCH_LOG_JSON, "{\"url\":\"http://a/\",\"brozzle_count\":\"some\"}\n", NULL},
        {MR_FETCH_LOG_TABLE, "url,handledAt\nhttp://a/,2026-01-02T00:00:00Z\nhttp://b/,\n",
         "2 http://a/ 1767312000 0\n"},
        /* URLFrontier's dumps: done, handed out and due later, new, without a date of creation */
        {MR_FETCH_LOG_JSON,
         "{\"known\":{\"info\":{\"url\":\"http://a/\"}},\"creationDate\":\"1795877786\"}\n"
         "{\"known\":{\"info\":{\"url\":\"http://b/\"},\"refetchableFromDate\":\"1795964186\"},"
         "\"creationDate\":\"1795877786\"}\n"
         "{\"known\":{\"info\":{\"url\":\"http://c/\"},\"refetchableFromDate\":\"1795877787\"},"
         "\"creationDate\":\"1795877786\"}\n"
         "{\"known\":{\"info\":{\"url\":\"http://d/\"},\"refetchableFromDate\":\"17\"},"
         "\"creationDate\":\"1795877786\"}\n"
         "{\"known\":{\"info\":{\"url\":\"http://e/\"},\"refetchableFromDate\":\"1795964186\"}}\n"
         "{\"discovered\":{\"info\":{\"url\":\"http://f/\"}}}\n",
         "1 http://a/ -1 0\n2 http://b/ -1 0\n"},
        {MR_FETCH_LOG_JSON, "{\"known\":{\"info\":{\"key\":\"a\"}}}\n", NULL},
        {MR_FETCH_LOG_LISTED, "http://a/;0\nhttp://b/x;y;1795877786\nhttp://c/;0;0\nhttp://d/;10\n",
         "1 http://a/ -1 0\n3 http://c/;0 -1 0\n"},
        {MR_FETCH_LOG_LISTED, "http://a/;0\nhttp://b/;2026-01-02T00:00\n", NULL},
        {MR_FETCH_LOG_LISTED, "http://a/;0\nhttp://b/\n", NULL},
        {MR_FETCH_LOG_LISTED, "http://a/;7\nhttp://b/;200\n", ""},
        /* answers of OpenSearch and Solr */
        {MR_FETCH_LOG_JSON,
         "{\"hits\":{\"hits\":[{\"_source\":{\"url\":\"http://a/\",\"status\":\"FETCHED\"}},\n  "
         "{\"_source\":{\"url\":\"http://b/\",\"status\":\"DISCOVERED\"}}]}}\n",
         "1 http://a/ -1 0\n"},
        {MR_FETCH_LOG_JSON,
         "{\"response\":{\"docs\":[{\"url\":[\"http://a/\"],\"status\":\"FETCHED\"}]}}\n",
         "1 http://a/ -1 0\n"},
        {MR_FETCH_LOG_JSON, "{\"hits\":{\"hits\":[7]}}\n", NULL},
        /* LinkChecker; Frontera's metadata with its errors */
        {MR_FETCH_LOG_TABLE,
         "# created by LinkChecker\nurlname;parentname;result;valid;url\na;;200 OK;True;http://a/\n"
         "b;http://a/;filtered;True;http://b/\nc;http://a/;404 Not Found;False;http://c/\n"
         "d;http://a/;ConnectTimeout: x;False;http://d/\n# Stopped checking\n",
         "3 http://a/ -1 0\n5 http://c/ -1 0\n6 http://d/ -1 0\n"},
        {MR_FETCH_LOG_TABLE,
         "url,status,fetched_at\nhttp://a/,200,2026-01-02 00:00:00.000000\n"
         "http://b/,DNSLookupError,2026-01-02 00:00:00.000000\n"
         "http://c/,IgnoreRequest,2026-01-02 00:00:00.000000\nhttp://d/,,\n",
         "2 http://a/ 1767312000 0\n3 http://b/ -1 0\n4 http://c/ 1767312000 0\n"},
        /* Screaming Frog with a title line, an index column of pandas, a quoted line end, blanks in
         * words, a column of URLs only */
        {MR_FETCH_LOG_TABLE,
         "\"Internal - All\"\n\"Address\",\"Status Code\",\"Status\"\n\"http://a/\",\"404\",\"Not "
         "Found\"\n",
         "3 http://a/ -1 0\n"},
        {MR_FETCH_LOG_TABLE, ",url,status\n0,http://a/,FETCHED\n1,http://b/,DISCOVERED\n",
         "2 http://a/ -1 0\n"},
        {MR_FETCH_LOG_TABLE,
         "title,url,status\n\"a\nb\",http://a/,FETCHED\nc,http://b/,DISCOVERED\n",
         "2 http://a/ -1 0\n"},
        {MR_FETCH_LOG_TABLE, "Page URL|Last Crawled\nhttp://a/|2026-01-02\nhttp://b/|\n",
         "2 http://a/ 1767312000 0\n3 http://b/ -1 0\n"},
        {MR_FETCH_LOG_TABLE, "url;Titel\nhttp://a/;x\nhttp://b/;y z\n",
         "2 http://a/ -1 0\n3 http://b/ -1 0\n"},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const enum mr_status status = read_text(f, cases[i].text, cases[i].kind);
        if (status != MR_OK && cases[i].told != NULL) {
            fail_msg("%s: %s", cases[i].text, test_context_error(&f->test));
        }
        assert_int_equal(status, cases[i].told != NULL ? MR_OK : MR_ERROR_INPUT);
        assert_string_equal(f->told, cases[i].told != NULL ? cases[i].told : f->told);
        mr_error_clear(&f->test.err);
    }
}

static enum mr_status tell_state(void *data, const struct mr_row *fetch, struct mr_error *err)
{
    static const char *const states[MR_FETCH_STATES] = {"done",      "gone",   "waits",
                                                        "no server", "failed", "again"};
    struct fixture *f = data;
    const size_t used = strlen(f->told);
    (void)err;
    (void)snprintf(f->told + used, sizeof f->told - used, "%llu %s %u\n",
                   (unsigned long long)fetch->line, states[fetch->state], fetch->tries);
    return MR_OK;
}

/* Line, state and tries of each page that does not wait for its first fetch, by hand. */
static void states_of_many_files(void **state)
{
#define LOG(code) "20260102000000   " code "  3112 http://a/ - - text/html #001 - - - -\n"
#define DATUM(state, tries)                                                                        \
    "http://a/\tVersion: 7\nStatus: " state " (x)\nFetch time: Sat Jan 31 12:00:00 CET 2026\n"     \
    "Retries since fetch: " tries "\n\n"
    static const struct {
        enum mr_fetch_log kind;
        const char *text, *told;
    } cases[] = {
        {MR_FETCH_LOG_HERITRIX,
         LOG("200") LOG("404") LOG("410") LOG("-404") LOG("403") LOG("-9998") LOG("-8"),
         "1 done 1\n2 gone 1\n3 gone 1\n4 gone 1\n5 done 1\n6 done 1\n7 done 1\n"},
        {MR_FETCH_LOG_HERITRIX, LOG("-1") LOG("-2") LOG("-5") LOG("-6") LOG("-61") LOG("0"),
         "1 no server 1\n2 no server 1\n3 no server 1\n4 no server 1\n5 no server 1\n6 done 1\n"},
        {MR_FETCH_LOG_HERITRIX, LOG("500") LOG("503") LOG("599") LOG("429") LOG("408"),
         "1 failed 1\n2 failed 1\n3 failed 1\n4 failed 1\n5 failed 1\n"},
        {MR_FETCH_LOG_CRAWLDB,
         DATUM("1", "0") DATUM("1", "2") DATUM("2", "1") DATUM("3", "0") DATUM("5", "0"),
         "6 again 2\n11 done 1\n16 gone 0\n21 done 0\n"},
        {MR_FETCH_LOG_TABLE,
         "url,status,metadata\nhttp://a/,FETCHED,\nhttp://a/,FETCH_ERROR,fetch.error.count=3\n"
         "http://a/,ERROR,\nhttp://a/,DISCOVERED,\nhttp://a/,404,\nhttp://a/,503 Busy,\n"
         "http://a/,timeout,\nhttp://a/,-3,\nhttp://a/,0,\nhttp://a/,503.0,\nhttp://a/,-,\n",
         "2 done 1\n3 again 3\n4 gone 1\n6 gone 1\n7 failed 1\n8 no server 1\n9 no server 1\n"
         "10 no server 1\n11 failed 1\n12 done 1\n"},
        {MR_FETCH_LOG_HERITRIX, "\xef\xbb\xbf" LOG("200"), "1 done 1\n"},
        {MR_FETCH_LOG_JSON,
         "{\"url\":\"http://a/\",\"status\":\"FETCH_ERROR\",\"metadata\":{\"fetch.error.count\":"
         "[\"2\"]}}\n{\"url\":\"http://a/\",\"status\":502}\n"
         "{\"url\":\"http://a/\",\"statusCode\":1,\"statusName\":\"db_unfetched\","
         "\"retriesSinceFetch\":4}\n",
         "1 again 2\n2 failed 1\n3 again 4\n"},
        {MR_FETCH_LOG_CDX,
         "a)/ 20260102000000 http://a/ text/html 404 X 9\n"
         "a)/ 20260102000000 http://a/ warc/revisit - X 9\n"
         "a)/ 20260102000000 http://a/ text/html 503 X 9\n",
         "1 gone 1\n2 done 1\n3 failed 1\n"},
        {MR_FETCH_LOG_CDXJ,
         "a)/ 20260102000000 {\"url\":\"http://a/\",\"status\":\"404\"}\n"
         "a)/ 20260102000000 {\"url\":\"http://a/\",\"status\":\"-\"}\n"
         "a)/ 20260102000000 {\"uri\":\"http://a/\",\"hsc\":500}\n",
         "1 gone 1\n2 done 1\n3 failed 1\n"},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct mr_input *input = NULL;
        f->told[0] = '\0';
        assert_int_equal(cases[i].kind, mr_fetch_log_look(cases[i].text, strlen(cases[i].text)));
        const char *path = test_context_text(&f->test, "log", cases[i].text);
        assert_int_equal(MR_OK, mr_input_open(&f->test.context, path, &input, NULL));
        assert_int_equal(MR_OK, mr_fetch_log_read(&f->test.context, input, cases[i].kind,
                                                  MR_FETCH_WANTS_FETCHED, tell_state, f, NULL));
        mr_input_close(input);
        assert_string_equal(f->told, cases[i].told);
    }
}

static void lists_are_no_logs(void **state)
{
    static const char *const texts[] = {"http://a/;200\nhttp://b/;404\n",
                                        "",
                                        "http://a.com/\n",
                                        "http://a.com/\t1767312000\n",
                                        "http://a.com/ 20260102000000\n",
                                        "a b {\n"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(MR_FETCH_LOG_NONE, mr_fetch_log_look(texts[i], strlen(texts[i])));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_line_of_a_crawl_log_is_a_page_that_is_done, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(crawldb_dumps_have_the_time_of_the_next_fetch, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(indexes_and_tables, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_fetched_in_many_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(states_of_many_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lists_are_no_logs, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
