/* SPDX-License-Identifier: Apache-2.0 */
/* What the sections of a report's page are made of: escaped text, cells of tables, the curve of a
 * distribution. */
#include <string.h>

#include "formats/stream/name_text.h"
#include "library/report/chart.h"
#include "library/report/page.h"

void mr_page_text(FILE *out, const char *string)
{
    for (const char *at = string; *at != '\0';) {
        const size_t word = strcspn(at, "/."), bytes = word + (at[word] != '\0');
        mr_html_text(out, at, bytes);
        at += bytes;
        if (*at != '/' && *at != '\0') {
            (void)fputs("<wbr>", out);
        }
    }
}

void mr_page_url(FILE *out, const char *scheme, const char *string)
{
    const char *url = *scheme != '\0' ? scheme : string;
    const char *const end = string + strlen(string);
    size_t bytes = 0;
    const bool is_link = (strncmp(url, "http://", 7) == 0 || strncmp(url, "https://", 8) == 0) &&
                         mr_name_find_odd(string, end, MR_NAME_UTF8, &bytes) == end;

    if (is_link) {
        (void)fputs("<a rel=\"noreferrer\" href=\"", out);
        mr_html_text(out, scheme, strlen(scheme));
        mr_html_text(out, string, strlen(string));
        (void)fputs("\">", out);
    }
    mr_page_text(out, string);
    (void)fputs(is_link ? "</a>" : "", out);
}

void mr_page_count(FILE *out, uint64_t count)
{
    char number[32];
    (void)fprintf(out, "<td>%s</td>", mr_count_text(count, number));
}

void mr_page_bar(FILE *out, double percent)
{
    (void)fputs("<td class=\"name\">", out);
    if (percent > 0.0) {
        (void)fprintf(out, "<div class=\"bar\" style=\"width:%.1f%%\"></div>", percent);
    }
    (void)fputs("</td>", out);
}

double mr_page_share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

const char *mr_page_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

void mr_page_path(FILE *out, const char *path)
{
    const char *name = mr_page_file_name(path);
    mr_html_text(out, name, strlen(name));
}

size_t mr_page_cumulate(const struct mr_distribution *distribution, double scale, double *x,
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
