/* `millrace help profiles`, and the names of a store with the profile that they are of. */
#include "cli/program/profile.h"

void mr_profile_help(FILE *out)
{
    static const char *const titles[MR_CANONICAL_PROFILES] = {
        "every spelling is a page (the default)",
        "the default rules of the crawler, in its order",
        "the url-client of the Wayback Machine: example.com/path?query",
        "CDX keys, as of the surt package: com,example)/path?query",
    };

    mr_help_wrap("Profiles say which spellings of a URL are one page. A page is called by what "
                 "the rules make of its spellings; the spellings are kept, and precedence files "
                 "have a line for each. --rule switches rules of the profile: --profile heritrix "
                 "--rule -www,+extra-slashes.",
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
    (void)mr_canonical_of(mr_store_info(store)->name_key_number, canonical);
    return mr_store_open_names(&session->context, store, names, err);
}
