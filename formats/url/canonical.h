/* SPDX-License-Identifier: Apache-2.0 */
/* Canonical names of URLs: the different spellings of one page get one name.
 *
 * A profile imitates one tool. A profile is a list of rules, in that tool's order; each rule can be
 * switched on and off:
 *
 *     none      nothing beyond what every profile does, and no fragments; without its rules names
 *               stay as they are
 *     heritrix  the default rules of Heritrix's canonicalization policy
 *     wayback   the url-client of the Wayback Machine ("example.com/path?query")
 *     surt      CDX keys, as the surt package makes them ("com,example)/path?query")
 *
 * Every profile first spells scheme, host, port, slashes and dot segments of an http, https or ftp
 * URL as browsers do (web_url.c), unless a rule that does a part of this is off.
 *
 * Sources: the documentation and the published tests of Heritrix 3 (RulesCanonicalizationPolicy),
 * OpenWayback (AggressiveUrlCanonicalizer) and internetarchive/surt; for the last one also the
 * Google Safe Browsing canonicalization. Where a profile differs from its tool, canonical_*.c says
 * so.
 *
 * A profile works on bytes: a name may hold any bytes. Only ASCII letters have a lower case. The
 * functions hold no state and use no locale. */
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
    const char *help; /* what the rule does, one line */
    bool is_default;
};

/* Names and rules of a profile, for parsing and for help. `profile` < MR_CANONICAL_PROFILES. */
const char *mr_canonical_profile_name(enum mr_canonical_profile profile);
const struct mr_canonical_rule *mr_canonical_rules(enum mr_canonical_profile profile);

/* Find the profile called `name` and switch its default rules on. Error: USAGE for an unknown name;
 * the message lists the names. */
enum mr_status mr_canonical_parse(const char *name, struct mr_canonical *out,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Switch rules: "-www,+extra-slashes". A name without a sign switches its rule on. Error: USAGE for
 * a rule that the profile does not have; the message lists the rules it has. */
enum mr_status mr_canonical_switch(struct mr_canonical *canonical, const char *text,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Write the canonical name of `name[name_bytes]`, 1..MR_NAME_MAX_BYTES bytes, to
 * `out[MR_NAME_MAX_BYTES]`. Returns its length, 1..MR_NAME_MAX_BYTES. Where the canonical name
 * would be empty, too long or hold a line feed, the result is `name` itself. This function is an
 * mr_name_canonical: `data` is a struct mr_canonical. Thread-safe. Takes about 0.2-0.5 us; for a
 * host with bytes above 127, libidn2 takes some us more. */
size_t mr_canonical_name(const void *data, const char *name, size_t name_bytes, char *out);

/* The number that a store records: the key function, the profile, and the rules that differ from
 * the default. `of` is the inverse; it returns false when the number has an unknown profile or key
 * function. */
uint32_t mr_canonical_number(const struct mr_canonical *canonical);
bool mr_canonical_of(uint32_t number, struct mr_canonical *canonical);

#endif
