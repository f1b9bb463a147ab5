/* Canonical names of URLs: what tells two spellings of one page from two pages.
 *
 * A profile is what one tool does, as a list of rules in that tool's order, each of which can be
 * switched:
 *
 *     none      nothing: the name is the URL as given
 *     heritrix  the default rules of Heritrix's canonicalization policy
 *     wayback   the url-client of the Wayback Machine ("example.com/path?query")
 *     surt      CDX keys, as the surt package makes them ("com,example)/path?query")
 *
 * Sources: the documentation and the published tests of Heritrix 3 (RulesCanonicalizationPolicy),
 * OpenWayback (AggressiveUrlCanonicalizer) and internetarchive/surt, and for it the Google Safe
 * Browsing canonicalization. Where a profile differs from its tool, canonical_*.c says so.
 *
 * A profile works on bytes: a name may hold any. Lowercase is ASCII's. No state, no locale. */
#ifndef MR_FORMATS_URL_CANONICAL_H
#define MR_FORMATS_URL_CANONICAL_H

#include <stdbool.h>

#include "engine/names/names.h"

enum mr_canonical_profile {
    MR_CANONICAL_NONE,
    MR_CANONICAL_HERITRIX,
    MR_CANONICAL_WAYBACK,
    MR_CANONICAL_SURT
};
#define MR_CANONICAL_PROFILES 4

struct mr_canonical {
    enum mr_canonical_profile profile;
    uint32_t rules; /* bit i: rule i of the profile is on */
    bool reversed_hosts; /* NONE only: names are hosts, "org.example.www" */
};

/* A rule of a profile; the list ends with a NULL name. */
struct mr_canonical_rule {
    const char *name;
    const char *help; /* what it does, one line */
    bool is_default;
};

/* Names and rules, for parsing and for help. `profile` < MR_CANONICAL_PROFILES. */
const char *mr_canonical_profile_name(enum mr_canonical_profile profile);
const struct mr_canonical_rule *mr_canonical_rules(enum mr_canonical_profile profile);

/* The profile called `name`, its default rules on. USAGE naming those there are. */
enum mr_status mr_canonical_parse(const char *name, struct mr_canonical *out,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Switch rules: "-www,+extra-slashes"; a name without sign switches on. USAGE for a rule that the
 * profile does not have, naming those it has. */
enum mr_status mr_canonical_switch(struct mr_canonical *canonical, const char *text,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* The canonical name of `name[name_bytes]`, 1..MR_NAME_MAX_BYTES bytes, to `out[MR_NAME_MAX_BYTES]`;
 * returns its length, 1..MR_NAME_MAX_BYTES. A name whose canonical one would be empty, longer, or
 * hold a line feed is its own. This is an mr_name_canonical: `data` is a struct mr_canonical.
 * Thread-safe. About 0.2-0.5 us; hosts with bytes above 127 take libidn2 some us more. */
size_t mr_canonical_name(const void *data, const char *name, size_t name_bytes, char *out);

/* What a store records: the number of the key function, the profile, and which rules are not as by
 * default. `of` is false for a number of no known profile or key function. */
uint32_t mr_canonical_number(const struct mr_canonical *canonical);
bool mr_canonical_of(uint32_t number, struct mr_canonical *canonical);

#endif
