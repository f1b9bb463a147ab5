/* Profiles of URLs: parses --profile and --rule for commands that build stores, prints their
 * help, and opens the names of a store with the profile that the store was built with. The rules
 * themselves are in formats/url/canonical.h. A store records its profile, so that commands find
 * a page by any of its spellings without a flag. */
#include "cli/program/profile.h"

#include <string.h>

#include "formats/url/surt.h"

enum mr_status mr_profile_choose(const char *profile, const char *rules,
                                 struct mr_canonical *canonical, struct mr_error *err)
{
    struct mr_error reason = {0};

    if (rules != NULL && profile == NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--rule %s: needs a profile; say --profile as well", rules);
    }
    if (mr_canonical_parse(profile != NULL ? profile : "none", canonical, &reason) != MR_OK) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--profile %s: %s; 'millrace help profiles' explains them", profile,
                            reason.message);
    }
    if (rules != NULL && mr_canonical_switch(canonical, rules, &reason) != MR_OK) {
        return mr_error_set(err, MR_ERROR_USAGE, "--rule %s: %s", rules, reason.message);
    }
    return MR_OK;
}

void mr_profile_help(FILE *out)
{
    static const char *const titles[MR_CANONICAL_PROFILES] = {
        "every spelling is a page of its own (the default)",
        "the default rules of the crawler, in its order",
        "the rules of the Wayback Machine: example.com/path?query",
        "CDX keys of the surt package: com,example)/path?query",
    };

    mr_help_wrap("A profile says which spellings of a URL are one page. Its rules turn every "
                 "spelling of a page into one name. The store keeps the spellings, and precedence "
                 "files have a line for each. --rule switches single rules on (+) or off (-): "
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
    const uint32_t number = mr_store_info(store)->name_key_number;
    const bool known = mr_canonical_of(number, canonical);
    const mr_name_key key = known ? mr_name_key_of(number) : NULL;
    const enum mr_status status = mr_names_open(&session->context, store, key, names, err);

    if (status == MR_OK && known && canonical->profile != MR_CANONICAL_NONE) {
        mr_names_set_canonical(*names, mr_canonical_name, canonical);
    }
    return status;
}
