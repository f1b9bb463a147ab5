/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the page of a report: one file of HTML with its style and its pictures inside, without
 * scripts and without a reference to anything outside. It follows the reader's choice of light or
 * dark, fits a phone, prints, and needs no mouse: pictures have titles, and every picture has its
 * numbers in a table below it or in the text. The page is made in memory, because its size does not
 * depend on the graph. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/chart.h"
#include "cli/report/report.h"
#include "formats/stream/output.h"
#include "millrace/version.h"

static const char style[] =
    ":root{color-scheme:light dark;--paper:#fff;--ink:#1c2024;--soft:#5b6470;--line:#d9dee3;"
    "--box:#f5f7f9;--c0:#1f6feb;--c1:#c2410c;--c2:#15803d;--c3:#7c3aed}\n"
    "@media(prefers-color-scheme:dark){:root{--paper:#14181c;--ink:#e6e9ec;--soft:#9aa5b1;"
    "--line:#343b43;--box:#1d2329;--c0:#6cb0ff;--c1:#ff9d6b;--c2:#5fd08a;--c3:#b79cff}}\n"
    "@media print{:root{--paper:#fff;--ink:#000;--soft:#333;--line:#bbb;--box:#fff;--c0:#1f6feb}"
    "svg,table,dl{break-inside:avoid}h2,h3,p{break-after:avoid}}\n"
    "body{margin:0 auto;padding:1rem;max-width:58rem;background:var(--paper);color:var(--ink);"
    "font:16px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.5rem;overflow-wrap:anywhere}h2{font-size:1.15rem;margin-top:2.2rem}\n"
    "p{max-width:44rem}.soft{color:var(--soft)}\n"
    "dl.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.6rem}\n"
    "dl.facts div{background:var(--box);border:1px solid var(--line);border-radius:.4rem;"
    "padding:.5rem .7rem}dt{color:var(--soft);font-size:.85rem}dd{margin:0;font-size:1.15rem;"
    "overflow-wrap:anywhere}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.92rem}\n"
    "th,td{padding:.3rem .6rem;border-bottom:1px solid var(--line);text-align:right;"
    "white-space:nowrap}th{color:var(--soft);font-weight:600}\n"
    "td.name,th.name{text-align:left;white-space:normal;overflow-wrap:anywhere;min-width:12rem}\n"
    "@media(max-width:34rem){svg{font-size:18px}svg.map{font-size:13px}th,td{padding:.3rem .35rem}"
    "th{white-space:normal}td.name,th.name{min-width:6.5rem}table{font-size:.85rem}}\n"
    "svg.map{max-width:30rem}.bar{height:.7rem;background:var(--c0);min-width:1px;"
    "print-color-adjust:exact}\n"
    ".two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));"
    "gap:1.5rem}\n";

static void text(FILE *out, const char *string)
{
    mr_html_text(out, string, strlen(string));
}

static void count_fact(FILE *out, const char *label, uint64_t count)
{
    char number[32];
    (void)fprintf(out, "<div><dt>%s</dt><dd>%s</dd></div>\n", label, mr_count_text(count, number));
}

static double share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

/* ---- The graph ---- */

static void write_facts(FILE *out, const struct mr_report *report)
{
    const struct mr_store_info *info = mr_store_get_info(report->graph.store);
    char bytes[32];

    (void)fputs("<dl class=\"facts\">\n", out);
    count_fact(out, "pages", info->n_vertices);
    count_fact(out, "links", info->n_edges);
    (void)fprintf(out, "<div><dt>pages without links</dt><dd>%.1f%%</dd></div>\n",
                  share(info->n_dangling, info->n_vertices));
    if (report->n_hosts > 0) {
        count_fact(out, "hosts", report->n_hosts);
        (void)fprintf(out, "<div><dt>links inside a host</dt><dd>%.1f%%</dd></div>\n",
                      share(report->inside_hosts, info->n_edges));
    }
    count_fact(out, "links of a page to itself", info->n_self_loops);
    count_fact(out, "most links to a page", info->max_in_degree);
    count_fact(out, "most links on a page", info->max_out_degree);
    (void)fprintf(out, "<div><dt>links on disk</dt><dd>%s</dd></div>\n",
                  mr_size_text(info->links_bytes, bytes));
    (void)fprintf(out, "<div><dt>bits per link</dt><dd>%.2f</dd></div>\n</dl>\n",
                  info->n_edges > 0 ? 8.0 * (double)info->links_bytes / (double)info->n_edges : 0);
}

/* The share of values that are at least the least of each bin that has one. */
static size_t cumulate(const struct mr_distribution *distribution, double scale, double *x,
                       double *y)
{
    uint64_t rest = distribution->n;
    size_t n = 0;

    for (unsigned bin = 0; bin < MR_REPORT_BINS; bin++) {
        if (distribution->counts[bin] > 0) {
            x[n] = mr_report_bin_least(bin) * scale;
            y[n++] = (double)rest / (double)distribution->n;
            rest -= distribution->counts[bin];
        }
    }
    return n;
}

/* The least x that at most this share of values is above; for the numbers below a picture. */
static double value_at(const double *x, const double *y, size_t n, double wanted)
{
    size_t i = 0;
    while (i + 1 < n && y[i + 1] >= wanted) {
        i++;
    }
    return n > 0 ? x[i] : 0.0;
}

static void write_degrees(FILE *out, const struct mr_report *report)
{
    double x[2][MR_REPORT_BINS], y[2][MR_REPORT_BINS];
    const size_t n_in = cumulate(&report->in, 0x1p32, x[0], y[0]);
    const size_t n_out = cumulate(&report->out, 0x1p32, x[1], y[1]);
    const struct mr_series series[] = {{"links to a page", x[0], y[0], n_in},
                                       {"links on a page", x[1], y[1], n_out}};

    (void)fputs("<section><h2>How many links pages have</h2>\n"
                "<p>The share of pages with at least so many links, among pages with links. A "
                "straight line is a power law, as web graphs have it.</p>\n",
                out);
    mr_chart_lines(out, &(struct mr_chart){"Share of pages by number of links, both axes "
                                           "logarithmic",
                                           "links", "share of pages", true, true, series, 2});
    (void)fputs("<div class=\"wide\"><table><tr><th class=\"name\">pages</th><th>links to "
                "them</th><th>links on them</th></tr>\n",
                out);
    static const double shares[] = {0.5, 0.1, 0.01, 0.001};
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
        (void)fprintf(out,
                      "<tr><td class=\"name\">the best-linked %g%% have at least</td><td>%.0f</td>"
                      "<td>%.0f</td></tr>\n",
                      100.0 * shares[i], value_at(x[0], y[0], n_in, shares[i]),
                      value_at(x[1], y[1], n_out, shares[i]));
    }
    (void)fputs("</table></div></section>\n", out);
}

static void write_map(FILE *out, const struct mr_report *report)
{
    const uint64_t n_edges = mr_store_get_info(report->graph.store)->n_edges;

    (void)fprintf(
        out,
        "<section><h2>Where links go</h2>\n<p>Rows are pages that are linked to, columns "
        "pages with links, both in the order of the store, %d parts each. Cells "
        "of full colour have most links. %.1f%% of the links stay in one cell of the diagonal: the "
        "nearer links are to it, the smaller the store and the faster a ranking.</p>\n",
        MR_REPORT_MAP, share(report->near_links, n_edges));
    mr_chart_map(out, "Map of links: rows of targets, columns of sources", "source", "target",
                 report->map, MR_REPORT_MAP);
    (void)fputs("</section>\n", out);
}

static void write_bow_tie(FILE *out, const struct mr_report *report)
{
    static const char *const names[] = {"core: the largest set of pages that all reach each other",
                                        "pages that reach the core", "pages that the core reaches",
                                        "other pages connected with them",
                                        "pages without a connection"};
    const struct mr_components *components = &report->components;
    char number[32];

    if (!report->has_components) {
        return;
    }
    (void)fputs("<section><h2>How the graph hangs together</h2>\n<div class=\"wide\"><table><tr>"
                "<th class=\"name\">part of the bow-tie</th><th>pages</th><th>share</th>"
                "<th class=\"name\"></th></tr>\n",
                out);
    for (int i = 0; i < MR_BOW_TIE_PARTS; i++) {
        const double percent = share(components->bow_tie[i], report->n_vertices);
        (void)fprintf(out,
                      "<tr><td class=\"name\">%s</td><td>%s</td><td>%.1f%%</td><td class=\"name\">"
                      "<div class=\"bar\" style=\"width:%.1f%%\"></div></td></tr>\n",
                      names[i], mr_count_text(components->bow_tie[i], number), percent, percent);
    }
    (void)fprintf(out, "</table></div>\n<p>%s strong components, ",
                  mr_count_text(components->strong_figures.n_components, number));
    (void)fprintf(out, "%s weak ones.</p></section>\n",
                  mr_count_text(components->weak_figures.n_components, number));
}

/* ---- Scores ---- */

static double meta_real(const struct mr_report_scores *scores, const char *key)
{
    const json_t *value = json_object_get(scores->meta, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *algorithm(const struct mr_report_scores *scores)
{
    const char *name = json_string_value(json_object_get(scores->meta, "algorithm"));
    return name != NULL ? name : "scores";
}

static void write_distribution(FILE *out, const struct mr_report *report)
{
    double x[MR_REPORT_MAX_SCORES][MR_REPORT_BINS], y[MR_REPORT_MAX_SCORES][MR_REPORT_BINS];
    struct mr_series series[MR_REPORT_MAX_SCORES];

    for (unsigned i = 0; i < report->n_scores; i++) {
        series[i] = (struct mr_series){
            report->scores[i].path, x[i], y[i],
            cumulate(&report->scores[i].distribution, (double)report->n_vertices, x[i], y[i])};
    }
    (void)fputs("<section><h2>How scores are distributed</h2>\n<p>The share of pages with at least "
                "so much score. 1 is the score of an average page where the scores add up to "
                "1.</p>\n",
                out);
    mr_chart_lines(out, &(struct mr_chart){"Share of pages by score, both axes logarithmic",
                                           "score, times the number of pages", "share of pages",
                                           true, true, series, report->n_scores});
    (void)fputs("</section>\n", out);
}

static void write_top(FILE *out, const struct mr_report_scores *scores)
{
    (void)fputs("<h3>Best pages</h3>\n<div class=\"wide\"><table><tr><th class=\"name\">page</th>"
                "<th>score</th><th>links in</th><th>links out</th></tr>\n",
                out);
    for (uint64_t i = 0; i < scores->n_top; i++) {
        const struct mr_report_page *page = &scores->top[i];
        (void)fputs("<tr><td class=\"name\">", out);
        text(out, page->name);
        (void)fprintf(out, "</td><td>%.6g</td><td>%u</td><td>%u</td></tr>\n", page->score, page->in,
                      page->out);
    }
    (void)fputs("</table></div>\n", out);
}

static void write_levels(FILE *out, const struct mr_report_scores *scores)
{
    char number[32];

    if (scores->level_pages[0] == 0) {
        return;
    }
    (void)fputs("<h3>Levels for a crawler</h3>\n<p class=\"soft\">What <code>millrace "
                "precedence</code> gives without options.</p>\n<div class=\"wide\"><table><tr>"
                "<th>level</th><th>pages</th><th>least score</th><th>best score</th></tr>\n",
                out);
    for (int i = 0; i < MR_REPORT_LEVELS; i++) {
        if (scores->level_pages[i] > 0) {
            (void)fprintf(out, "<tr><td>%d</td><td>%s</td><td>%.4g</td><td>%.4g</td></tr>\n", i + 1,
                          mr_count_text(scores->level_pages[i], number), scores->level_least[i],
                          scores->level_most[i]);
        }
    }
    (void)fputs("</table></div>\n", out);
}

/* The certificate, the time, and what bound it. */
static void write_certificate(FILE *out, const struct mr_report_scores *scores)
{
    const double bound = meta_real(scores, "error_bound"), seconds = meta_real(scores, "seconds");
    const double waited = meta_real(scores, "wait_seconds"),
                 in_passes = meta_real(scores, "pass_seconds");
    const double read = meta_real(scores, "bytes_read");
    char bytes[32];

    if (scores->meta == NULL) {
        (void)fputs("<p class=\"soft\">There is no .meta.json beside the file, so nothing is known "
                    "about how the scores were made.</p>\n",
                    out);
        return;
    }
    if (isfinite(bound)) {
        (void)fprintf(out,
                      "<p>Proven: the errors of all scores add up to at most <strong>%.2g</strong> "
                      "(wanted: %.2g). Residual %.2g, rounding %.2g, damping %g.</p>\n",
                      bound, meta_real(scores, "tolerance"), meta_real(scores, "residual"),
                      meta_real(scores, "rounding_bound"), meta_real(scores, "damping"));
    }
    if (isfinite(seconds)) {
        (void)fprintf(out, "<p>It took %.3g s and %.0f passes over the links on %.0f threads",
                      seconds, meta_real(scores, "passes"), meta_real(scores, "threads"));
        if (read > 0.0) {
            (void)fprintf(out, ", and read %s from disk", mr_size_text((uint64_t)read, bytes));
        } else if (read == 0.0) {
            (void)fputs("; all links stayed in memory", out);
        }
        (void)fprintf(out, ". %s</p>\n",
                      !(in_passes > 0.0)         ? ""
                      : waited > 0.5 * in_passes ? "The disk bound it."
                      : in_passes > 0.5 * seconds
                          ? "Decoding and adding links bound it, not the disk."
                          : "Most of the time went outside the passes.");
    }
}

/* The file of `pagerank --log`: bound after each pass. */
static void write_convergence(FILE *out, const struct mr_report *report)
{
    double pass[4096], bound[4096];
    size_t n = 0;
    char line[512];
    FILE *file = report->passes != NULL ? fopen(report->passes, "re") : NULL;

    while (file != NULL && n < 4096 && fgets(line, sizeof line, file) != NULL) {
        n += sscanf(line, "%lf %lf", &pass[n], &bound[n]) == 2;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    if (n == 0) {
        return;
    }
    const struct mr_series series = {"bound", pass, bound, n};
    (void)fputs("<section><h2>Convergence</h2>\n", out);
    mr_chart_lines(out, &(struct mr_chart){"Error bound after each pass, logarithmic", "pass",
                                           "bound on the error", false, true, &series, 1});
    (void)fputs("</section>\n", out);
}

static void write_scores(FILE *out, const struct mr_report *report)
{
    for (unsigned i = 0; i < report->n_scores; i++) {
        const struct mr_report_scores *scores = &report->scores[i];
        (void)fputs("<section><h2>", out);
        text(out, algorithm(scores));
        (void)fputs(": ", out);
        text(out, scores->path);
        (void)fputs("</h2>\n", out);
        write_certificate(out, scores);
        write_top(out, scores);
        write_levels(out, scores);
        (void)fputs("</section>\n", out);
    }
    if (report->n_scores > 0) {
        write_distribution(out, report);
    }
    write_convergence(out, report);
}

/* ---- Hosts ---- */

typedef double (*host_value)(const struct mr_report_host *host);

static double by_score(const struct mr_report_host *host)
{
    return host->score;
}

static double by_pages(const struct mr_report_host *host)
{
    return (double)host->pages;
}

/* Hosts that get at least nine of ten links from one other host, and a hundred of them at least. */
static double by_one_giver(const struct mr_report_host *host)
{
    return host->from_candidate >= 100 && 10 * host->from_candidate >= 9 * host->links_in
               ? (double)host->from_candidate
               : 0.0;
}

/* Fills `best` with the hosts of the largest values above 0; returns their number. */
static unsigned best_hosts(const struct mr_report *report, host_value value,
                           uint32_t best[MR_REPORT_TOP])
{
    unsigned n = 0;

    for (uint32_t host = 0; host < report->n_hosts; host++) {
        const double own = value(&report->hosts[host]);
        unsigned at = n;
        while (at > 0 && own > value(&report->hosts[best[at - 1]])) {
            at--;
        }
        if (own > 0.0 && at < MR_REPORT_TOP) {
            n += n < MR_REPORT_TOP;
            memmove(&best[at + 1], &best[at], (n - 1 - at) * sizeof best[0]);
            best[at] = host;
        }
    }
    return n;
}

static enum mr_status write_host_name(FILE *out, const struct mr_report *report, uint32_t host,
                                      struct mr_error *err)
{
    char *name = NULL;
    const enum mr_status status = mr_report_host_name(report, host, &name, err);

    if (status == MR_OK) {
        (void)fputs("<td class=\"name\">", out);
        text(out, name);
        (void)fputs("</td>", out);
    }
    free(name);
    return status;
}

static enum mr_status write_best_hosts(FILE *out, const struct mr_report *report,
                                       struct mr_error *err)
{
    uint32_t best[MR_REPORT_TOP + 1];
    const unsigned n = best_hosts(report, report->n_scores > 0 ? by_score : by_pages, best);
    enum mr_status status = MR_OK;
    char number[32];

    (void)fprintf(
        out,
        "<section><h2>Hosts</h2>\n<p>The hosts with most %s.</p>\n<div class=\"wide\">"
        "<table><tr><th class=\"name\">host</th>%s<th>pages</th><th>links from others</th>"
        "<th>links to others</th></tr>\n",
        report->n_scores > 0 ? "score of their pages together" : "pages",
        report->n_scores > 0 ? "<th>score</th>" : "");
    for (unsigned i = 0; i < n && status == MR_OK; i++) {
        const struct mr_report_host *host = &report->hosts[best[i]];
        (void)fputs("<tr>", out);
        status = write_host_name(out, report, best[i], err);
        if (report->n_scores > 0) {
            (void)fprintf(out, "<td>%.4g</td>", host->score);
        }
        (void)fprintf(out, "<td>%s</td>", mr_count_text(host->pages, number));
        (void)fprintf(out, "<td>%s</td>", mr_count_text(host->links_in, number));
        (void)fprintf(out, "<td>%s</td></tr>\n", mr_count_text(host->links_out, number));
    }
    (void)fputs("</table></div></section>\n", out);
    return status;
}

static enum mr_status write_suspicious(FILE *out, const struct mr_report *report,
                                       struct mr_error *err)
{
    uint32_t best[MR_REPORT_TOP + 1];
    const unsigned n = best_hosts(report, by_one_giver, best);
    enum mr_status status = MR_OK;
    char number[32];

    (void)fputs("<section><h2>Hosts that one other host links to</h2>\n<p>Hosts with at least 100 "
                "links from other hosts, nine of ten of them from the same one. Link farms look "
                "like this, and so do sites that moved or that belong together. <code>millrace "
                "trustrank --spam-mass</code> tells more.</p>\n",
                out);
    if (n == 0) {
        (void)fputs("<p>There is none.</p></section>\n", out);
        return MR_OK;
    }
    (void)fputs("<div class=\"wide\"><table><tr><th class=\"name\">host</th><th "
                "class=\"name\">most links come "
                "from</th><th>links from others</th><th>share of one</th></tr>\n",
                out);
    for (unsigned i = 0; i < n && status == MR_OK; i++) {
        const struct mr_report_host *host = &report->hosts[best[i]];
        (void)fputs("<tr>", out);
        status = write_host_name(out, report, best[i], err);
        if (status == MR_OK) {
            status = write_host_name(out, report, host->candidate, err);
        }
        (void)fprintf(out, "<td>%s</td><td>%.0f%%</td></tr>\n",
                      mr_count_text(host->links_in, number),
                      share(host->from_candidate, host->links_in));
    }
    (void)fputs("</table></div></section>\n", out);
    return status;
}

/* ---- The page ---- */

static enum mr_status write_page(FILE *out, const struct mr_report *report, const char *store,
                                 struct mr_error *err)
{
    enum mr_status status = MR_OK;

    (void)fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>",
                out);
    text(out, store);
    (void)fputs(" - Millrace</title>\n<style>\n", out);
    mr_chart_style(out);
    (void)fputs(style, out);
    (void)fputs("</style>\n</head>\n<body>\n<main>\n<h1>", out);
    text(out, store);
    (void)fputs("</h1>\n", out);
    write_facts(out, report);
    write_scores(out, report);
    if (report->n_hosts > 0) {
        status = write_best_hosts(out, report, err);
    }
    write_degrees(out, report);
    write_map(out, report);
    write_bow_tie(out, report);
    if (status == MR_OK && report->n_hosts > 0) {
        status = write_suspicious(out, report, err);
    }
    (void)fprintf(out,
                  "</main>\n<footer class=\"soft\"><p>Made by millrace %s in %.3g s from the store "
                  "%016llx.</p></footer>\n</body>\n</html>\n",
                  MR_VERSION, report->seconds,
                  (unsigned long long)mr_store_get_info(report->graph.store)->store_id);
    return status;
}

enum mr_status mr_report_write(struct mr_session *session, const struct mr_report *report,
                               const char *store, const char *path, struct mr_error *err)
{
    char *page = NULL;
    size_t bytes = 0;
    struct mr_output *output = NULL;
    FILE *out = open_memstream(&page, &bytes);

    if (out == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the report");
    }
    enum mr_status status = write_page(out, report, store, err);
    const bool failed = ferror(out) != 0;
    if ((fclose(out) != 0 || failed || page == NULL) && status == MR_OK) {
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the report");
    }
    if (status == MR_OK) {
        status = mr_output_open(&session->context, path, session->flags.force, &output, err);
    }
    if (status == MR_OK) {
        status = mr_output_write(output, page, bytes, err);
        if (status == MR_OK) {
            status = mr_output_commit(output, err);
        } else {
            mr_output_abandon(output);
        }
    }
    free(page);
    return status;
}
