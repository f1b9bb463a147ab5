/* SPDX-License-Identifier: Apache-2.0 */
/* The section of a report about spam mass: which pages and hosts have much PageRank that does not
 * come from trusted pages. report_spam.c has the figures. */
#include "library/report/page.h"

static void write_intro(FILE *out, const struct mr_report *report)
{
    const struct mr_report_spam *spam = &report->spam;
    char number[32];

    (void)fputs("<section><h2>Spam mass</h2>\n<p>The part of the PageRank of a page that does not "
                "come from trusted pages, by <code>",
                out);
    mr_page_path(out, spam->trust->path);
    if (spam->n_trusted == 1) {
        (void)fputs("</code>. The one trusted page stands", out);
    } else {
        (void)fprintf(out, "</code>. The %s trusted pages stand",
                      mr_count_text(spam->n_trusted, number));
    }
    (void)fprintf(out, " for %.3g%% of all pages. ", 100.0 * spam->good_share);
    (void)fprintf(out,
                  "Spam has much PageRank and a share of spam mass near 1. So do honest pages that "
                  "are far from the trusted ones.</p>\n");
    if (spam->good_share < 0.1) {
        (void)fputs(
            "<p class=\"soft\">With so few trusted pages nearly all PageRank counts as spam "
            "mass. <code>--good-share 0.85</code> takes the trusted pages as a sample of "
            "the good ones.</p>\n",
            out);
    }
}

static void write_classes(FILE *out, const struct mr_report *report)
{
    static const char *const names[MR_REPORT_SPAM_CLASSES] = {"below 50%", "50% to 90%",
                                                              "90% to 98%", "98% and more"};
    const struct mr_report_spam *spam = &report->spam;
    uint64_t pages = 0;

    for (int i = 0; i < MR_REPORT_SPAM_CLASSES; i++) {
        pages += spam->pages[i];
    }
    (void)fprintf(out,
                  "<h3>Pages with at least %d times the average PageRank</h3>\n<div class=\"wide\">"
                  "<table><tr><th class=\"name\">share of spam mass</th><th>pages</th>"
                  "<th>PageRank</th><th class=\"name\"></th></tr>\n",
                  MR_REPORT_SPAM_TIMES);
    for (int i = 0; i < MR_REPORT_SPAM_CLASSES; i++) {
        (void)fprintf(out, "<tr><td class=\"name\">%s</td>", names[i]);
        mr_page_count(out, spam->pages[i]);
        (void)fprintf(out, "<td>%.3g</td>", spam->scores[i]);
        mr_page_bar(out, mr_page_share(spam->pages[i], pages));
        (void)fputs("</tr>\n", out);
    }
    (void)fputs("</table></div>\n", out);
}

static void write_pages(FILE *out, const struct mr_report *report)
{
    const struct mr_report_spam *spam = &report->spam;

    if (spam->n_top == 0) {
        return;
    }
    (void)fputs("<h3>Pages with 98% of spam mass and more, best first</h3>\n<div class=\"wide\">"
                "<table><tr><th class=\"name\">page</th><th>PageRank</th><th>spam mass</th>"
                "<th>links in</th></tr>\n",
                out);
    for (uint64_t i = 0; i < spam->n_top; i++) {
        const struct mr_report_page *page = &spam->top[i];
        (void)fputs("<tr><td class=\"name\">", out);
        mr_page_url(out, "", page->name);
        (void)fprintf(out, "</td><td>%.4g</td><td>%.2f%%</td>", page->score,
                      100.0 * mr_report_spam_at(report, page->vertex).share);
        mr_page_count(out, page->in);
        (void)fputs("</tr>\n", out);
    }
    (void)fputs("</table></div>\n", out);
}

static double by_spam(const struct mr_report_host *host)
{
    return host->spam;
}

static enum mr_status write_hosts(FILE *out, const struct mr_report *report, struct mr_error *err)
{
    uint32_t best[MR_REPORT_TOP + 1];
    const unsigned n = mr_report_best_hosts(report, by_spam, best);
    enum mr_status status = MR_OK;

    if (n == 0) {
        return MR_OK;
    }
    (void)fputs("<h3>Hosts with most spam mass</h3>\n<div class=\"wide\"><table><tr>"
                "<th class=\"name\">host</th><th>spam mass</th><th>share of its PageRank</th>"
                "<th>pages</th></tr>\n",
                out);
    for (unsigned i = 0; i < n && status == MR_OK; i++) {
        const struct mr_report_host *host = &report->hosts[best[i]];
        (void)fputs("<tr>", out);
        status = mr_page_host_name(out, report, best[i], err);
        (void)fprintf(out, "<td>%.4g</td><td>%.2f%%</td>", host->spam,
                      100.0 * host->spam / host->pagerank);
        mr_page_count(out, host->pages);
        (void)fputs("</tr>\n", out);
    }
    (void)fputs("</table></div>\n", out);
    return status;
}

enum mr_status mr_page_write_spam(FILE *out, const struct mr_report *report, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    if (report->spam.trust == NULL) {
        return MR_OK;
    }
    write_intro(out, report);
    write_classes(out, report);
    write_pages(out, report);
    if (report->n_hosts > 0) {
        status = write_hosts(out, report, err);
    }
    (void)fputs("</section>\n", out);
    return status;
}
