/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of a report about files of scores: the certificate, the time and what bound it, the
 * best pages, levels, distributions, convergence. */
#include <math.h>

#include "library/bound.h"
#include "library/report/chart.h"
#include "library/report/page.h"
#include "library/score_meta.h"

static double meta_real(const struct mr_report_scores *scores, const char *key)
{
    return mr_report_real(scores->meta, key);
}

static const char *algorithm(const struct mr_report_scores *scores)
{
    const char *name = json_string_value(json_object_get(scores->meta, "algorithm"));
    return name != NULL ? name : "scores";
}

static void write_distribution(FILE *out, const struct mr_report *report)
{
    double x[MR_REPORT_MAX_SCORES][MR_REPORT_BINS] = {{0}};
    double y[MR_REPORT_MAX_SCORES][MR_REPORT_BINS] = {{0}};
    struct mr_series series[MR_REPORT_MAX_SCORES];

    for (unsigned i = 0; i < report->n_scores; i++) {
        series[i] = (struct mr_series){mr_page_file_name(report->scores[i].path), x[i], y[i],
                                       mr_page_cumulate(&report->scores[i].distribution,
                                                        (double)report->n_vertices, x[i], y[i])};
    }
    (void)fputs("<section><h2>How scores are distributed</h2>\n<p>The share of pages with at least "
                "so much score. 1 is the score of an average page where the scores add up to "
                "1.</p>\n",
                out);
    mr_chart_lines(out,
                   &(struct mr_chart){"scores", "Share of pages by score, both axes logarithmic",
                                      "score, times the number of pages", "share of pages", true,
                                      true, series, report->n_scores, false});
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
        mr_page_url(out, "", page->name);
        (void)fprintf(out, "</td><td>%.6g</td>", page->score);
        mr_page_count(out, page->in);
        mr_page_count(out, page->out);
        (void)fputs("</tr>\n", out);
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

static void write_bound(FILE *out, const struct mr_report_scores *scores)
{
    const double bound = mr_meta_error_bound(scores->meta);
    const json_t *vectors = json_object_get(scores->meta, "vectors");
    const bool normalised = !json_is_false(json_object_get(scores->meta, "normalised"));
    double worst = 0.0;
    char bound_text[32];

    if (isfinite(bound)) {
        (void)fprintf(out,
                      "<p>Proven: the errors of all scores add up to at most <strong>%s</strong> "
                      "(wanted: %.2g). Residual %.2g, rounding %.2g, damping %g.</p>\n",
                      mr_bound_text(bound, bound_text), meta_real(scores, "tolerance"),
                      meta_real(scores, "residual"), meta_real(scores, "rounding_bound"),
                      meta_real(scores, "damping"));
        return;
    }
    for (size_t i = 0; i < json_array_size(vectors); i++) {
        const json_t *vector = json_array_get(vectors, i);
        const double own = mr_report_real(vector, "error_bound");
        /* Dividing scores by their sum, which has the same error, doubles the bound. */
        worst = fmax(worst, normalised ? own : 2.0 * own / mr_report_real(vector, "score_sum"));
    }
    if (json_array_size(vectors) > 0 && isfinite(worst)) {
        (void)fprintf(out,
                      "<p>Proven: the errors of all scores of a vector add up to at most "
                      "<strong>%s</strong>. Vectors: %zu, damping %g.</p>\n",
                      mr_bound_text(worst, bound_text), json_array_size(vectors),
                      meta_real(scores, "damping"));
    }
}

/* The time, and what bound it. */
static void write_time(FILE *out, const struct mr_report_scores *scores)
{
    const double seconds = meta_real(scores, "seconds"), read = meta_real(scores, "bytes_read");
    const double waited = meta_real(scores, "wait_seconds"),
                 in_passes = meta_real(scores, "pass_seconds");
    char bytes[32];

    if (!isfinite(seconds)) {
        return;
    }
    const double passes = meta_real(scores, "passes"), threads = meta_real(scores, "threads");
    (void)fprintf(out, "<p>It took %.3g s and %.0f pass%s over the links on %.0f thread%s", seconds,
                  passes, passes == 1.0 ? "" : "es", threads, threads == 1.0 ? "" : "s");
    if (read > 0.0) {
        (void)fprintf(out, ", and read %s from disk", mr_size_text((uint64_t)read, bytes));
    } else if (read == 0.0) {
        (void)fputs("; all links stayed in memory", out);
    }
    (void)fprintf(out, ". %s</p>\n",
                  !(in_passes > 0.0)          ? ""
                  : waited > 0.5 * in_passes  ? "The disk bound it."
                  : in_passes > 0.5 * seconds ? "Decoding and adding links bound it, not the disk."
                                              : "Most of the time went outside the passes.");
}

static void write_certificate(FILE *out, const struct mr_report_scores *scores)
{
    if (scores->meta == NULL) {
        (void)fputs("<p class=\"soft\">There is no .meta.json beside the file, so nothing is known "
                    "about how the scores were made.</p>\n",
                    out);
        return;
    }
    write_bound(out, scores);
    write_time(out, scores);
}

/* A cell with a coefficient of correlation, which may be undefined. */
static void write_coefficient(FILE *out, double value)
{
    if (isnan(value)) {
        (void)fputs("<td>-</td>", out);
    } else {
        (void)fprintf(out, "<td>%.6f</td>", value);
    }
}

static void write_compared(FILE *out, const struct mr_report *report)
{
    if (report->n_scores < 2) {
        return;
    }
    (void)fputs("<section><h2>How alike the scores are</h2>\n<p>Each file beside <code>", out);
    mr_page_path(out, report->scores[0].path);
    (void)fputs("</code>.</p>\n<div class=\"wide\"><table>"
                "<tr><th class=\"name\">file</th><th>pages</th><th>Kendall tau-b</th>"
                "<th>Spearman rho</th><th>best in common</th><th>L1</th></tr>\n",
                out);
    for (unsigned i = 1; i < report->n_scores; i++) {
        const struct mr_compare_figures *compared = &report->scores[i].compared;
        (void)fputs("<tr><td class=\"name\">", out);
        mr_page_path(out, report->scores[i].path);
        (void)fputs("</td>", out);
        mr_page_count(out, compared->n_compared);
        write_coefficient(out, compared->kendall_tau);
        write_coefficient(out, compared->spearman_rho);
        (void)fprintf(out, "<td>%llu of %llu</td>", (unsigned long long)compared->top_common,
                      (unsigned long long)compared->top);
        (void)fprintf(out, "<td>%.4g</td>", compared->l1);
        (void)fputs("</tr>\n", out);
    }
    (void)fputs("</table></div></section>\n", out);
}

/* The file of `pagerank --log`: bound after each pass. */
static void write_convergence(FILE *out, const struct mr_report *report)
{
    double pass[4096], bound[4096];
    size_t n = 0;
    char line[512];
    FILE *file = report->options->passes != NULL ? fopen(report->options->passes, "re") : NULL;

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
    mr_chart_lines(out,
                   &(struct mr_chart){"convergence", "Error bound after each pass, logarithmic",
                                      "pass", "bound on the error", false, true, &series, 1, true});
    (void)fputs("</section>\n", out);
}

void mr_page_write_scores(FILE *out, const struct mr_report *report)
{
    for (unsigned i = 0; i < report->n_scores; i++) {
        const struct mr_report_scores *scores = &report->scores[i];
        (void)fputs("<section><h2>", out);
        mr_page_text(out, algorithm(scores));
        (void)fputs(": ", out);
        mr_page_text(out, scores->path);
        (void)fputs("</h2>\n", out);
        write_certificate(out, scores);
        write_top(out, scores);
        write_levels(out, scores);
        (void)fputs("</section>\n", out);
    }
    if (report->n_scores > 0) {
        write_distribution(out, report);
    }
    write_compared(out, report);
    write_convergence(out, report);
}
