/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the figures of a report as JSON, which the script of page.html shows. Rows of tables are
 * arrays, whose columns the script names. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/base/clock.h"
#include "engine/base/count_text.h"
#include "formats/stream/name_text.h"
#include "library/report/report.h"
#include "millrace/version.h"

enum { FARM_LINKS = 100, FARM_PERCENT = 90 };

/* ---- Values ---- */

static void write_plain(FILE *json, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (strchr("\"\\<", text[i]) != NULL || (unsigned char)text[i] < 0x20) {
            (void)fprintf(json, "\\u%04x", text[i]);
        } else {
            (void)fputc(text[i], json);
        }
    }
}

void mr_page_json_text(FILE *json, const char *text, size_t bytes)
{
    const char *const end = text + bytes;

    (void)fputc('"', json);
    while (text < end) {
        char codes[3 * MR_NAME_CODE_BYTES];
        size_t odd_bytes = 0;
        const char *odd = mr_name_find_odd(text, end, MR_NAME_UTF8, &odd_bytes);
        write_plain(json, text, (size_t)(odd - text));
        if (odd < end) {
            write_plain(json, codes, mr_name_codes(odd, odd_bytes, MR_NAME_UTF8, codes));
        }
        text = odd + odd_bytes;
    }
    (void)fputc('"', json);
}

/* A number; null where it is not finite. */
static void write_real(FILE *json, double value)
{
    if (isfinite(value)) {
        (void)fprintf(json, "%.17g", value);
    } else {
        (void)fputs("null", json);
    }
}

/* A member of an object with a comma before it. */
static void member_text(FILE *json, const char *key, const char *text)
{
    (void)fprintf(json, ",\n\"%s\":", key);
    mr_page_json_text(json, text, strlen(text));
}

static void member_count(FILE *json, const char *key, uint64_t count)
{
    (void)fprintf(json, ",\"%s\":%llu", key, (unsigned long long)count);
}

static void member_real(FILE *json, const char *key, double value)
{
    (void)fprintf(json, ",\"%s\":", key);
    write_real(json, value);
}

/* A value of a row behind the first. */
static void value_count(FILE *json, uint64_t count)
{
    (void)fprintf(json, ",%llu", (unsigned long long)count);
}

static void value_real(FILE *json, double value)
{
    (void)fputc(',', json);
    write_real(json, value);
}

/* [name, scheme] of a host. */
static enum mr_status write_host(FILE *json, const struct mr_report *report, uint32_t host,
                                 struct mr_error *err)
{
    char *name = NULL;
    const char *scheme;
    const enum mr_status status = mr_report_host_name(report, host, &name, &scheme, err);

    if (status == MR_OK) {
        (void)fputc('[', json);
        mr_page_json_text(json, name, strlen(name));
        (void)fprintf(json, ",\"%s\"]", scheme);
    }
    free(name);
    return status;
}

/* ---- The graph ---- */

static void write_facts(FILE *json, const struct mr_report *report)
{
    const struct mr_store_info *info = mr_store_get_info(report->store);
    char bytes[32];

    (void)fprintf(json, ",\n\"facts\":{\"links_on_disk\":\"%s\"",
                  mr_size_text(info->links_bytes, bytes));
    member_count(json, "pages", info->n_vertices);
    member_count(json, "links", info->n_edges);
    member_count(json, "pages_without_links", info->n_dangling);
    member_count(json, "hosts", report->n_hosts);
    member_count(json, "links_inside_hosts", report->inside_hosts);
    member_count(json, "self_links", info->n_self_loops);
    member_count(json, "most_links_in", info->max_in_degree);
    member_count(json, "most_links_out", info->max_out_degree);
    member_count(json, "links_bytes", info->links_bytes);
    member_count(json, "near_links", report->near_links);
    (void)fputc('}', json);
}

/* The least degree that at most this share of pages is above. */
static double degree_at(const struct mr_distribution *distribution, double wanted)
{
    double x[MR_REPORT_BINS], y[MR_REPORT_BINS];
    const size_t n = mr_report_cumulate(distribution, MR_REPORT_DEGREE_SCALE, x, y);
    size_t i = 0;

    while (i + 1 < n && y[i + 1] >= wanted) {
        i++;
    }
    return n > 0 ? x[i] : 0.0;
}

static void write_degrees(FILE *json, const struct mr_report *report)
{
    static const double percents[] = {50, 10, 1, 0.1};

    for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
        (void)fprintf(json, "%s[%g,%.0f,%.0f]", i > 0 ? "," : ",\n\"degrees\":[", percents[i],
                      degree_at(&report->in, percents[i] / 100),
                      degree_at(&report->out, percents[i] / 100));
    }
    (void)fputc(']', json);
}

static void write_components(FILE *json, const struct mr_components *components)
{
    for (int i = 0; i < MR_BOW_TIE_PARTS; i++) {
        (void)fprintf(json, "%s%llu", i > 0 ? "," : ",\n\"bow_tie\":[",
                      (unsigned long long)components->bow_tie[i]);
    }
    (void)fputc(']', json);
    member_count(json, "strong", components->strong_figures.n_components);
    member_count(json, "weak", components->weak_figures.n_components);
}

/* ---- Scores ---- */

/* What is proven of the sum of the errors of each vector; NAN: nothing. */
static double worst_bound(const json_t *meta, const json_t *vectors)
{
    const bool normalised = !json_is_false(json_object_get(meta, "normalised"));
    double worst = mr_meta_error_bound(meta);

    for (size_t i = 0; i < json_array_size(vectors); i++) {
        const json_t *vector = json_array_get(vectors, i);
        const double own = mr_report_real(vector, "error_bound");
        /* Dividing scores by their sum, which has the same error, doubles the bound. */
        const double bound = normalised ? own : 2.0 * own / mr_report_real(vector, "score_sum");
        worst = i == 0 ? bound : bound >= worst || isnan(bound) ? bound : worst;
        if (isnan(worst)) {
            return NAN;
        }
    }
    return worst;
}

static void write_meta(FILE *json, const struct mr_report_scores *scores)
{
    static const char *const reals[] = {
        "damping",      "tolerance",    "residual", "rounding_bound", "seconds",
        "pass_seconds", "wait_seconds", "passes",   "bytes_read",     "threads"};
    const json_t *vectors = json_object_get(scores->meta, "vectors");
    const double bound = worst_bound(scores->meta, vectors);
    char text[32];

    (void)fputs(",\"meta\":{\"known\":true", json);
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) {
        member_real(json, reals[i], mr_report_real(scores->meta, reals[i]));
    }
    (void)fputc('}', json);
    member_text(
        json, "bytes_read",
        mr_size_text((uint64_t)fmax(0.0, mr_report_real(scores->meta, "bytes_read")), text));
    if (isfinite(bound)) {
        member_text(json, "bound", mr_bound_text(bound, text));
    }
    member_count(json, "vectors", json_array_size(vectors));
}

/* [[name, score]...] of the best pages that link to it. */
static enum mr_status write_linkers(FILE *json, const struct mr_report *report,
                                    const struct mr_report_page *page, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    (void)fputs(",[", json);
    for (unsigned i = 0; i < page->n_linkers && status == MR_OK; i++) {
        const char *name = NULL;
        size_t bytes = 0;
        status = mr_names_get(report->names, page->linkers[i], &name, &bytes, err);
        if (status == MR_OK) {
            (void)fputs(i > 0 ? ",[" : "[", json);
            mr_page_json_text(json, name, bytes);
            value_real(json, report->scores[0].values[page->linkers[i]]);
            (void)fputc(']', json);
        }
    }
    (void)fputc(']', json);
    return status;
}

/* [name, score, links in, links out, [its score in each file], its linkers] */
static enum mr_status write_page(FILE *json, const struct mr_report *report,
                                 const struct mr_report_page *page, struct mr_error *err)
{
    (void)fputs("\n[", json);
    mr_page_json_text(json, page->name, strlen(page->name));
    value_real(json, page->score);
    value_count(json, page->in);
    value_count(json, page->out);
    for (unsigned i = 0; i < report->n_scores; i++) {
        (void)fputs(i > 0 ? "," : ",[", json);
        write_real(json, report->scores[i].values[page->vertex]);
    }
    (void)fputc(']', json);
    const enum mr_status status = write_linkers(json, report, page, err);
    (void)fputc(']', json);
    return status;
}

static void write_levels(FILE *json, const struct mr_report_scores *scores)
{
    const char *before = "";

    (void)fputs(",\n\"levels\":[", json);
    for (unsigned i = 0; i < MR_REPORT_LEVELS && scores->level_pages[0] > 0; i++) {
        if (scores->level_pages[i] > 0) {
            (void)fprintf(json, "%s[%u", before, i + 1);
            value_count(json, scores->level_pages[i]);
            value_real(json, scores->level_least[i]);
            value_real(json, scores->level_most[i]);
            (void)fputc(']', json);
            before = ",";
        }
    }
    (void)fputc(']', json);
}

static enum mr_status write_scores(FILE *json, const struct mr_report *report,
                                   const struct mr_report_scores *scores, struct mr_error *err)
{
    const char *algorithm = json_string_value(json_object_get(scores->meta, "algorithm"));
    enum mr_status status = MR_OK;

    (void)fputs("{\"file\":", json);
    mr_page_json_text(json, scores->path, strlen(scores->path));
    member_text(json, "algorithm", algorithm != NULL ? algorithm : "scores");
    if (scores->meta != NULL) {
        write_meta(json, scores);
    }
    write_levels(json, scores);
    (void)fputs(",\n\"top\":[", json);
    for (uint64_t i = 0; i < scores->n_top && status == MR_OK; i++) {
        (void)fputs(i > 0 ? "," : "", json);
        status = write_page(json, report, &scores->top[i], err);
    }
    (void)fputs("]}", json);
    return status;
}

/* ---- Why the best pages have their scores ---- */

static void write_share(FILE *json, const char *before, const char *name, size_t bytes,
                        const struct mr_why_share *share)
{
    (void)fputs(before, json);
    mr_page_json_text(json, name, bytes);
    (void)fprintf(
        json, ",%.9g,%llu]", share->share,
        (unsigned long long)(share->out_degree > 0 ? share->out_degree : share->n_vertices));
}

static enum mr_status write_why(FILE *json, const struct mr_report *report,
                                const struct mr_why *why, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    (void)fprintf(json, "[%.9g,%.9g,%.9g,[", why->teleport.share, why->dangling.share,
                  why->links.share);
    for (uint64_t i = 0; i < why->n_listed && status == MR_OK; i++) {
        const char *name = NULL;
        size_t bytes = 0;
        status = mr_names_get(report->names, why->vertices[i].vertex, &name, &bytes, err);
        if (status == MR_OK) {
            write_share(json, i > 0 ? ",[" : "[", name, bytes, &why->vertices[i]);
        }
    }
    (void)fprintf(json, "],%.9g,%llu,[", why->others.share,
                  (unsigned long long)why->others.n_vertices);
    for (uint64_t i = 0; i < why->n_hosts; i++) {
        const char *host = why->hosts[i].host;
        write_share(json, i > 0 ? ",[" : "[", host, strlen(host), &why->hosts[i]);
    }
    (void)fputs("]]", json);
    return status;
}

/* {bound, pages: [[teleport, dangling, links, [[page, share, links out]...], others, number of
 * others, [[host, share, pages]...]]...]} */
static enum mr_status write_whys(FILE *json, const struct mr_report *report, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    (void)fprintf(json, ",\n\"why\":{\"bound\":%.9g,\"pages\":[", report->why_bound);
    for (size_t i = 0; i < report->n_whys && status == MR_OK; i++) {
        (void)fputs(i > 0 ? ",\n" : "\n", json);
        status = write_why(json, report, &report->whys[i], err);
    }
    (void)fputs("]}", json);
    return status;
}

/* [file, pages, tau, rho, best in common, best, L1] */
static void write_compared(FILE *json, const struct mr_report *report)
{
    (void)fputs(",\n\"compared\":[", json);
    for (unsigned i = 1; i < report->n_scores; i++) {
        const struct mr_report_scores *scores = &report->scores[i];
        const struct mr_compare_figures *compared = &scores->compared;
        (void)fputs(i > 1 ? ",[" : "[", json);
        mr_page_json_text(json, scores->path, strlen(scores->path));
        value_count(json, compared->n_compared);
        value_real(json, compared->kendall_tau);
        value_real(json, compared->spearman_rho);
        value_count(json, compared->top_common);
        value_count(json, compared->top);
        value_real(json, compared->l1);
        (void)fputc(']', json);
    }
    (void)fputc(']', json);
}

/* For each kind of change [how many there are, [[name, before, after, rank before, rank after]]].
 */
static void write_change_lists(FILE *json, const struct mr_change_list *lists)
{
    for (unsigned kind = 0; kind < MR_CHANGE_KINDS; kind++) {
        (void)fprintf(json, "%s[%llu,[", kind > 0 ? "," : "", (unsigned long long)lists[kind].n);
        for (uint64_t i = 0; i < lists[kind].n_rows; i++) {
            const struct mr_change *change = &lists[kind].rows[i];
            (void)fputs(i > 0 ? ",\n[" : "\n[", json);
            mr_page_json_text(json, change->name, change->name_bytes);
            value_real(json, change->before.score);
            value_real(json, change->after.score);
            value_count(json, change->before.rank);
            value_count(json, change->after.rank);
            (void)fputc(']', json);
        }
        (void)fputs("]]", json);
    }
}

static void write_changes(FILE *json, const struct mr_report *report)
{
    const struct mr_changes *changes = &report->changes;
    char bound[32];

    (void)fputs(",\n\"changes\":{\"since\":", json);
    mr_page_json_text(json, report->options->since, strlen(report->options->since));
    member_text(json, "bound", mr_bound_text(changes->bound_before + changes->bound_after, bound));
    (void)fputs(",\n\"page\":[", json);
    write_change_lists(json, changes->lists[0]);
    (void)fputs("],\n\"host\":[", json);
    write_change_lists(json, changes->lists[1]);
    (void)fputs("]}", json);
}

/* ---- Hosts ---- */

/* A row about a host, behind its name. */
typedef enum mr_status (*write_row)(FILE *json, const struct mr_report *report,
                                    const struct mr_report_host *host, struct mr_error *err);

static enum mr_status write_hosts(FILE *json, const struct mr_report *report, const uint32_t *best,
                                  unsigned n, write_row row, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (unsigned i = 0; i < n && status == MR_OK; i++) {
        (void)fputs(i > 0 ? ",\n[" : "\n[", json);
        status = write_host(json, report, best[i], err);
        status = status == MR_OK ? row(json, report, &report->hosts[best[i]], err) : status;
        (void)fputc(']', json);
    }
    (void)fputc(']', json);
    return status;
}

static enum mr_status host_row(FILE *json, const struct mr_report *report,
                               const struct mr_report_host *host, struct mr_error *err)
{
    (void)report;
    (void)err;
    value_real(json, host->score);
    value_count(json, host->pages);
    value_count(json, host->links_in);
    value_count(json, host->links_out);
    return MR_OK;
}

/* The fewest givers that give nine of ten links; 0 where all of them together give less. */
static unsigned farm_givers(const struct mr_report_host *host, uint64_t *links)
{
    uint64_t sum = 0;
    unsigned n = 0;

    while (n < MR_REPORT_GIVERS && 100 * sum < FARM_PERCENT * host->links_in) {
        sum += host->givers[n++].links;
    }
    *links = sum;
    return sum >= FARM_LINKS && 100 * sum >= FARM_PERCENT * host->links_in ? n : 0;
}

static double by_few_givers(const struct mr_report_host *host)
{
    uint64_t links = 0;
    return farm_givers(host, &links) > 0 ? (double)links : 0.0;
}

static enum mr_status farm_row(FILE *json, const struct mr_report *report,
                               const struct mr_report_host *farm, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    uint64_t links = 0;
    const unsigned n = farm_givers(farm, &links);

    (void)fputs(",[", json);
    for (unsigned i = 0; i < n && status == MR_OK; i++) {
        (void)fputs(i > 0 ? "," : "", json);
        status = write_host(json, report, farm->givers[i].host, err);
    }
    (void)fputc(']', json);
    value_count(json, farm->links_in);
    value_real(json, 100.0 * (double)links / (double)farm->links_in);
    return status;
}

static enum mr_status write_all_hosts(FILE *json, const struct mr_report *report,
                                      struct mr_error *err)
{
    uint32_t best[MR_REPORT_TOP + 1];
    const unsigned n = mr_report_best_hosts(report, by_few_givers, best);

    (void)fputs(",\n\"hosts\":[", json);
    const enum mr_status status =
        write_hosts(json, report, report->best_hosts, report->n_best_hosts, host_row, err);
    if (status != MR_OK) {
        return status;
    }
    (void)fprintf(json, ",\n\"farms\":{\"links\":%d,\"percent\":%d,\"givers\":%d,\"rows\":[",
                  FARM_LINKS, FARM_PERCENT, MR_REPORT_GIVERS);
    return write_hosts(json, report, best, n, farm_row, err);
}

/* ---- Spam mass ---- */

static double by_spam(const struct mr_report_host *host)
{
    return host->spam;
}

static enum mr_status spam_row(FILE *json, const struct mr_report *report,
                               const struct mr_report_host *host, struct mr_error *err)
{
    (void)report;
    (void)err;
    value_real(json, host->spam);
    value_real(json, host->spam / host->pagerank);
    value_count(json, host->pages);
    return MR_OK;
}

static enum mr_status write_spam(FILE *json, const struct mr_report *report, struct mr_error *err)
{
    static const char *const names[MR_REPORT_SPAM_CLASSES] = {"below 50%", "50% to 90%",
                                                              "90% to 98%", "98% and more"};
    const struct mr_report_spam *spam = &report->spam;
    uint32_t best[MR_REPORT_TOP + 1];

    (void)fprintf(json, ",\n\"spam\":{\"times\":%d", MR_REPORT_SPAM_TIMES);
    member_text(json, "file", spam->trust->path);
    member_count(json, "trusted", spam->n_trusted);
    member_real(json, "good_share", spam->good_share);
    for (int i = 0; i < MR_REPORT_SPAM_CLASSES; i++) {
        (void)fprintf(json, "%s[\"%s\"", i > 0 ? "," : ",\n\"classes\":[", names[i]);
        value_count(json, spam->pages[i]);
        value_real(json, spam->scores[i]);
        (void)fputc(']', json);
    }
    (void)fputs("],\n\"pages\":[", json);
    for (uint64_t i = 0; i < spam->n_top; i++) {
        const struct mr_report_page *page = &spam->top[i];
        (void)fputs(i > 0 ? ",\n[" : "\n[", json);
        mr_page_json_text(json, page->name, strlen(page->name));
        value_real(json, page->score);
        value_real(json, mr_report_spam_at(report, page->vertex).share);
        value_count(json, page->in);
        (void)fputc(']', json);
    }
    (void)fputs("],\n\"hosts\":[", json);
    const enum mr_status status =
        write_hosts(json, report, best, mr_report_best_hosts(report, by_spam, best), spam_row, err);
    (void)fputc('}', json);
    return status;
}

/* ---- The page ---- */

/* When it was made, and the command line as a shell takes it. */
static void write_stamp(FILE *json, const struct mr_store_report_options *options, double seconds)
{
    const time_t now = time(NULL);
    struct tm day;
    char date[32] = "";

    (void)strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", gmtime_r(&now, &day));
    (void)fprintf(json, ",\n\"stamp\":{\"date\":\"%s\",\"seconds\":%.3g,\"command\":[", date,
                  seconds);
    for (size_t i = 0; i < options->n_command; i++) {
        (void)fputs(i > 0 ? "," : "", json);
        mr_page_json_text(json, options->command[i], strlen(options->command[i]));
    }
    (void)fputs("]}", json);
}

enum mr_status mr_page_write_figures(FILE *json, const struct mr_report *report, const char *charts,
                                     struct mr_error *err)
{
    const char *store = mr_store_path(report->store);
    enum mr_status status = MR_OK;

    (void)fprintf(json, "{\"version\":\"%s\",\"store_id\":\"%016llx\"", MR_VERSION,
                  (unsigned long long)mr_store_get_info(report->store)->store_id);
    member_text(json, "store", store);
    write_facts(json, report);
    write_degrees(json, report);
    if (report->has_components) {
        write_components(json, &report->components);
    }
    (void)fputs(",\n\"scores\":[", json);
    for (unsigned i = 0; i < report->n_scores && status == MR_OK; i++) {
        (void)fputs(i > 0 ? ",\n" : "\n", json);
        status = write_scores(json, report, &report->scores[i], err);
    }
    (void)fputc(']', json);
    if (status == MR_OK && report->n_whys > 0) {
        status = write_whys(json, report, err);
    }
    write_compared(json, report);
    if (report->options->since != NULL) {
        write_changes(json, report);
    }
    if (status == MR_OK && report->n_hosts > 0) {
        status = write_all_hosts(json, report, err);
        (void)fputc('}', json);
    }
    if (status == MR_OK && report->spam.trust != NULL) {
        status = write_spam(json, report, err);
    }
    if (report->options->command != NULL) {
        write_stamp(json, report->options, mr_now() - report->began);
    }
    (void)fprintf(json, ",\n\"charts\":{%s}}", charts);
    return status;
}
