/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces host_libraries.c in a build without crawls (-DMILLRACE_CRAWL=OFF), which ranks
 * numbered graphs and needs neither libidn2 nor libpsl. mr_names_check refuses names of pages
 * before anything asks for their hosts. */
#include "formats/url/canonical_internal.h"
#include "formats/url/host.h"

enum mr_status mr_names_check(struct mr_error *err)
{
    return mr_error_set(err, MR_ERROR_USAGE,
                        "the pages have names, and this build of Millrace is for numbered graphs; "
                        "build it with -DMILLRACE_CRAWL=ON");
}

void mr_text_idna(struct mr_text *host)
{
    (void)host;
}

bool mr_domains_are_known(void)
{
    return false;
}

const char *mr_domain_of_host(const char *host)
{
    return host;
}

const char *mr_icann_domain_of_host(const char *host)
{
    return host;
}

enum mr_status mr_host_groups_error(struct mr_error *err)
{
    return mr_names_check(err);
}
