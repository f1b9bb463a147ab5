/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of URLs: prints their help, and opens the names of a store with the profile that the
 * store was built with. A store records its profile, so that commands find a page by any of its
 * spellings without a flag. The rules themselves are in formats/url/canonical.h. */
#include "cli/program/profile.h"

void mr_profile_help(FILE *out)
{
    static const char *const titles[MR_CANONICAL_PROFILES] = {
        "no other rules than the browsers' (the default)",
        "the default rules of the crawler, in its order",
        "the rules of the Wayback Machine: example.com/path?query",
        "CDX keys of the surt package: com,example)/path?query",
    };

    mr_help_wrap("A profile says which spellings of a URL are one page. Every profile spells the "
                 "scheme, the host and the port of a URL as browsers do, and all but none also the "
                 "slashes and dot segments of its path. Its rules turn every "
                 "spelling of a page into one name. The store keeps the spellings, and precedence "
                 "files have a line for each; with none it has only that of the browsers. "
                 "--rule switches single rules on (+) or off (-): "
                 "--profile heritrix --rule -www,+extra-slashes.",
                 0, 0, out);
    for (int p = 0; p < MR_CANONICAL_PROFILES; p++) {
        const struct mr_canonical_rule *rules = mr_canonical_rules((enum mr_canonical_profile)p);
        (void)fprintf(out, "\n--profile %s: %s\n",
                      mr_canonical_profile_name((enum mr_canonical_profile)p), titles[p]);
        for (; rules->name != NULL; rules++) {
            const int column =
                fprintf(out, "  %c%-17s", rules->is_default ? '+' : '-', rules->name);
            mr_help_wrap(rules->help, 20, column, out);
        }
    }
}

enum mr_status mr_profile_open_names(struct mr_session *session, struct mr_store *store,
                                     struct mr_canonical *canonical, struct mr_names **names,
                                     struct mr_error *err)
{
    (void)mr_canonical_of(mr_store_get_info(store)->name_key_number, canonical);
    return mr_store_open_names(&session->context, store, names, err);
}
