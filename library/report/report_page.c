/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the page of a report: one file of HTML with its style and its pictures inside, without
 * scripts, and with nothing to load; names that are URLs are links. It follows the reader's choice
 * of light or dark, fits a phone, prints, and needs no mouse: pictures have titles, and every
 * picture but the map of hosts has its numbers in a table below it or in the text. The page is made
 * in memory, because its size does not depend on the graph. --charts writes the pictures of this
 * page into files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/base/clock.h"
#include "formats/stream/output.h"
#include "library/report/chart.h"
#include "library/report/page.h"
#include "millrace/version.h"

static const char style[] =
    ":root{color-scheme:light dark;--paper:#fff;--ink:#1c2024;--soft:#5b6470;--line:#d9dee3;"
    "--box:#f5f7f9;--c0:#1f6feb;--c1:#c2410c;--c2:#15803d;--c3:#7c3aed}\n"
    "@media(prefers-color-scheme:dark){:root{--paper:#14181c;--ink:#e6e9ec;--soft:#9aa5b1;"
    "--line:#343b43;--box:#1d2329;--c0:#6cb0ff;--c1:#ff9d6b;--c2:#5fd08a;--c3:#b79cff}}\n"
    "body{margin:0 auto;padding:1rem;max-width:52rem;background:var(--paper);color:var(--ink);"
    "font:16px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.5rem;overflow-wrap:anywhere}h2{font-size:1.15rem;margin-top:2.2rem;"
    "overflow-wrap:anywhere}h3{font-size:1rem}\n"
    "p,ul{max-width:44rem}.soft{color:var(--soft)}\n"
    "dl.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.6rem}\n"
    "dl.facts div{background:var(--box);border:1px solid var(--line);border-radius:.4rem;"
    "padding:.5rem .7rem}dt{color:var(--soft);font-size:.85rem}dd{margin:0;font-size:1.15rem;"
    "overflow-wrap:anywhere}\n"
    "svg{display:block;max-width:100%;height:auto;font:13px system-ui,sans-serif}"
    "svg text{fill:var(--ink)}.grid{stroke:var(--line)}.s0{stroke:var(--c0)}.s1{stroke:var(--c1)}"
    ".s2{stroke:var(--c2)}.s3{stroke:var(--c3)}.d0,.cell{fill:var(--c0)}.d1{fill:var(--c1)}"
    ".d2{fill:var(--c2)}.d3{fill:var(--c3)}\n"
    "code{overflow-wrap:anywhere}a{color:inherit;text-decoration-color:var(--soft)}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.92rem}\n"
    "th,td{padding:.3rem .6rem;border-bottom:1px solid var(--line);text-align:right;"
    "white-space:nowrap}th{color:var(--soft);font-weight:600;vertical-align:bottom}\n"
    "td.name,th.name{text-align:left;white-space:normal;overflow-wrap:anywhere;min-width:12rem}\n"
    "@media(max-width:34rem){svg{font-size:18px}svg.map{font-size:13px}th,td{padding:.3rem .35rem}"
    "th{white-space:normal}td.name,th.name{min-width:6.5rem}table{font-size:.85rem}}\n"
    ".bar{height:.7rem;background:var(--c0);min-width:1px;print-color-adjust:exact}\n"
    "@media print{:root{--paper:#fff;--ink:#000;--soft:#333;--line:#bbb;--box:#fff;--c0:#1f6feb;"
    "--c1:#c2410c;--c2:#15803d;--c3:#7c3aed}body{font-size:11pt;padding:0}svg{max-width:32rem}"
    "svg.map{max-width:22rem}svg,table,dl,p{break-inside:avoid}h2,h3,p{break-after:avoid}}\n";

/* The command line, as a shell takes it, and when it ran. */
static void write_stamp(FILE *out, const struct mr_store_report_options *options, double seconds)
{
    const time_t now = time(NULL);
    struct tm day;
    char date[32] = "";

    (void)strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", gmtime_r(&now, &day));
    (void)fprintf(out, " %s UTC, in %.3g s:<br><code>", date, seconds);
    for (size_t i = 0; i < options->n_command; i++) {
        const char *word = options->command[i], *rest = word;
        const bool plain = *word != '\0' && strpbrk(word, " \t\n\"'\\`$&|;<>()*?[]{}~#!^") == NULL;
        (void)fputs(i > 0 ? " " : "", out);
        (void)fputs(plain ? "" : "&#39;", out);
        while (*rest != '\0') {
            const size_t bytes = strcspn(rest, "'");
            mr_html_text(out, rest, bytes);
            rest += bytes;
            if (*rest == '\'') {
                (void)fputs("&#39;\\&#39;&#39;", out);
                rest++;
            }
        }
        (void)fputs(plain ? "" : "&#39;", out);
    }
    (void)fputs("</code>", out);
}

static enum mr_status write_page(FILE *out, const struct mr_report *report, struct mr_error *err)
{
    const char *store = mr_store_path(report->store);
    enum mr_status status = MR_OK;

    (void)fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>",
                out);
    mr_html_text(out, store, strlen(store));
    (void)fputs(" - Millrace</title>\n<style>\n", out);
    (void)fputs(style, out);
    (void)fputs("</style>\n</head>\n<body>\n<main>\n<h1>", out);
    mr_page_text(out, store);
    (void)fputs("</h1>\n", out);
    mr_page_write_facts(out, report);
    mr_page_write_scores(out, report);
    if (report->n_hosts > 0) {
        status = mr_page_write_hosts(out, report, err);
    }
    mr_page_write_degrees(out, report);
    mr_page_write_map(out, report);
    mr_page_write_bow_tie(out, report);
    if (status == MR_OK) {
        status = mr_page_write_spam(out, report, err);
    }
    if (status == MR_OK && report->n_hosts > 0) {
        status = mr_page_write_farms(out, report, err);
    }
    (void)fprintf(out,
                  "</main>\n<footer class=\"soft\"><p>Made by millrace %s from the store %016llx.",
                  MR_VERSION, (unsigned long long)mr_store_get_info(report->store)->store_id);
    if (report->options->command != NULL) {
        write_stamp(out, report->options, mr_now() - report->began);
    }
    (void)fputs("</p></footer>\n</body>\n</html>\n", out);
    return status;
}

const char *const mr_report_charts[] = {"/degrees.svg", "/links.svg",       "/hosts.svg",
                                        "/scores.svg",  "/convergence.svg", NULL};

/* Writes each picture of the page into a file, which its id names. */
static enum mr_status write_charts(const struct mr_context *context,
                                   const struct mr_store_report_options *options, const char *page,
                                   struct mr_error *err)
{
    static const char begin[] = "<svg id=\"", end[] = "</svg>\n";
    const char *directory = options->charts;
    enum mr_status status = MR_OK;

    while (status == MR_OK && (page = strstr(page, begin)) != NULL) {
        const char *name = page + sizeof begin - 1, *stop = strstr(page, end) + sizeof end - 1;
        char *path = NULL;
        status =
            asprintf(&path, "%s/%.*s.svg", directory, (int)strcspn(name, "\""), name) < 0
                ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for file names")
                : mr_output_file(context, path, options->force, page, (size_t)(stop - page), err);
        free(path);
        page = stop;
    }
    return status;
}

enum mr_status mr_report_write(const struct mr_context *context, const struct mr_report *report,
                               const char *path, struct mr_error *err)
{
    const struct mr_store_report_options *options = report->options;
    char *page = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&page, &bytes);

    if (out == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the report");
    }
    errno = 0;
    enum mr_status status = write_page(out, report, err);
    /* fprintf takes memory for numbers. Without it, it writes less, and the stream has no error. */
    const bool failed = ferror(out) != 0 || errno == ENOMEM;
    if ((fclose(out) != 0 || failed || page == NULL) && status == MR_OK) {
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the report");
    }
    if (status == MR_OK) {
        status = options->charts != NULL ? write_charts(context, options, page, err) : MR_OK;
        status = status == MR_OK ? mr_output_file(context, path, options->force, page, bytes, err)
                                 : status;
    }
    free(page);
    return status;
}
