/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that need other libraries: libidn2 writes the labels of hosts in ASCII, and libpsl
 * knows the public suffixes. A build without crawls (-DMILLRACE_CRAWL=OFF) has
 * host_libraries_absent.c instead. */
#include <idn2.h>
#include <libpsl.h>
#include <stdlib.h>
#include <string.h>

#include "formats/url/canonical_internal.h"
#include "formats/url/host.h"

enum mr_status mr_names_check(struct mr_error *err)
{
    (void)err;
    return MR_OK;
}

void mr_text_idna(struct mr_text *host)
{
    bool is_ascii = true;
    char *copy = NULL, *ascii = NULL;

    for (size_t i = 0; i < host->bytes; i++) {
        is_ascii &= (unsigned char)host->data[i] < 128;
    }
    if (is_ascii || host->bytes > 1024 || memchr(host->data, '\0', host->bytes) != NULL) {
        return;
    }
    copy = strndup(host->data, host->bytes);
    const int code = copy == NULL
                         ? IDN2_MALLOC
                         : idn2_to_ascii_8z(copy, &ascii, IDN2_NONTRANSITIONAL | IDN2_NFC_INPUT);
    host->is_out_of_memory = code == IDN2_MALLOC;
    if (code == IDN2_OK) {
        mr_text_set(host, ascii, strlen(ascii));
    }
    if (ascii != NULL) {
        idn2_free(ascii);
    }
    free(copy);
}

bool mr_domains_are_known(void)
{
    return psl_builtin() != NULL;
}

/* An address, which libpsl would treat as a name, or a single label. */
static bool has_no_suffix(const char *host)
{
    const char *last = strrchr(host, '.');
    return host[0] == '[' || last == NULL || (last[1] >= '0' && last[1] <= '9');
}

const char *mr_domain_of_host(const char *host)
{
    const char *domain = has_no_suffix(host) ? NULL : psl_registrable_domain(psl_builtin(), host);
    return domain != NULL ? domain : host;
}

const char *mr_icann_domain_of_host(const char *host)
{
    const char *domain = host;

    if (has_no_suffix(host)) {
        return host;
    }
    for (const char *at = host; at != NULL; at = strchr(at, '.')) {
        at += at != host; /* behind the dot */
        if (psl_is_public_suffix2(psl_builtin(), at, PSL_TYPE_ICANN) != 0) {
            return domain;
        }
        domain = at;
    }
    return domain;
}

enum mr_status mr_host_groups_error(struct mr_error *err)
{
    return psl_builtin() == NULL
               ? mr_error_set(err, MR_ERROR_RUNTIME, "libpsl has no public suffix list")
               : mr_error_set(err, MR_ERROR_BUDGET, "out of memory for hosts");
}
