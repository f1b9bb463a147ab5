/* SPDX-License-Identifier: Apache-2.0 */
/* The list of canonicalisation profiles: their names, their rules, and the function that applies
 * one. The readers of formats/ call mr_canonical_name for each name that has a profile. The
 * profiles themselves stand in canonical_heritrix.c and canonical_surt.c; this file keeps them
 * behind one table, so that options, help and the numbers in a store come from the same place. */
#include "formats/url/canonical.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/url/canonical_internal.h"
#include "formats/url/surt.h"

static const struct mr_canonical_rule none_rules[] = {
    {"host", "spell scheme, host and port as browsers do", true},
    {"dot-segments", "turn a backslash into a slash and /a/../b into /b", true},
    {"fragment", "remove #...", true},
    {0}};

static const struct mr_canonical_rule heritrix_rules[] = {
    {"lowercase", "turn capital letters into small ones", true},
    {"userinfo", "remove user:password@ from http, https and ftp URLs", true},
    {"www", "remove www. and www2., where more than a slash follows the host", true},
    {"session-ids", "remove jsessionid, phpsessid, sid and aspsessionid with their values", true},
    {"cfid", "remove cfid and cftoken with their values", true},
    {"query", "remove a trailing ?, & or ?&; turn ?&x into ?x", true},
    {"extra-slashes", "turn a//b into a/b (not a default of Heritrix)", false},
    {0}};

static const struct mr_canonical_rule wayback_rules[] = {
    {"lowercase", "turn capital letters into small ones", true},
    {"userinfo", "remove user:password@", true},
    {"www", "remove www. and www2.", true},
    {"session-ids", "remove jsessionid, phpsessid, sid and aspsessionid with their values", true},
    {"path-session-ids", "remove /(S(...))/ before a name in .aspx", true},
    {"cfid", "remove cfid and cftoken with their values", true},
    {"query", "remove a trailing ?, & or ?&; turn ?&x into ?x", true},
    {"default-port", "remove :80 from http URLs and :443 from https URLs", true},
    {"fragment", "remove #...", true},
    {"idn", "turn a host with non-ASCII letters into xn--...", true},
    {"unescape", "turn %21 in a path into !", true},
    {"dot-segments", "turn /a/../b into /b", true},
    {"plus", "turn %20 in a path into +", true},
    {"slashes", "turn a//b in a path into a/b", true},
    {"scheme", "remove http://", true},
    {0}};

static const struct mr_canonical_rule surt_rules[] = {
    {"fragment", "remove #...", true},
    {"unescape", "decode %XX until none is left, then encode what must be encoded", true},
    {"idn", "turn a host with non-ASCII letters into xn--...", true},
    {"host-dots", "turn the host a..b. into a.b", true},
    {"ip", "turn a numeric host into 1.2.3.4", true},
    {"dot-segments", "turn /a/../b into /b and a//b into a/b", true},
    {"www", "remove www. and www2.", true},
    {"userinfo", "remove user:password@", true},
    {"default-port", "remove :80 from http URLs and :443 from https URLs", true},
    {"lowercase", "turn capital letters in path and query into small ones", true},
    {"path-session-ids", "remove /(S(...))/ before a name in .aspx", true},
    {"trailing-slash", "turn /a/ into /a", true},
    {"session-ids", "remove jsessionid, phpsessid, sid, aspsessionid and cfid with their values",
     true},
    {"sort-query", "turn b=1&a=2 into a=2&b=1", true},
    {"empty-query", "remove a trailing ?", true},
    {"scheme", "remove http://", true},
    {"reverse", "turn www.example.com into com,example,www)", true},
    {0}};

static const struct {
    const char *name;
    const struct mr_canonical_rule *rules;
    uint32_t key; /* number of the key function that orders the profile's names */
    uint32_t browser_rules; /* browsers do these: if one is off, names stay as they are given */
} profiles[MR_CANONICAL_PROFILES] = {
    [MR_CANONICAL_NONE] = {"none", none_rules, MR_NAME_KEY_SURT, 1U << MR_NONE_HOST},
    [MR_CANONICAL_HERITRIX] = {"heritrix", heritrix_rules, MR_NAME_KEY_SURT, 0},
    [MR_CANONICAL_WAYBACK] = {"wayback", wayback_rules, MR_NAME_KEY_BARE,
                              1U << MR_WAYBACK_DEFAULT_PORT | 1U << MR_WAYBACK_IDN |
                                  1U << MR_WAYBACK_DOT_SEGMENTS},
    [MR_CANONICAL_SURT] = {"surt", surt_rules, MR_NAME_KEY_SURT,
                           1U << MR_SURT_IDN | 1U << MR_SURT_IP | 1U << MR_SURT_DOT_SEGMENTS |
                               1U << MR_SURT_DEFAULT_PORT},
};

const char *mr_canonical_profile_name(enum mr_canonical_profile profile)
{
    return profiles[profile].name;
}

const struct mr_canonical_rule *mr_canonical_rules(enum mr_canonical_profile profile)
{
    return profiles[profile].rules;
}

static uint32_t default_rules(enum mr_canonical_profile profile)
{
    uint32_t rules = 0;

    for (unsigned i = 0; profiles[profile].rules[i].name != NULL; i++) {
        rules |= (uint32_t)profiles[profile].rules[i].is_default << i;
    }
    return rules;
}

enum mr_status mr_canonical_parse(const char *name, struct mr_canonical *out, struct mr_error *err)
{
    for (unsigned i = 0; i < MR_CANONICAL_PROFILES; i++) {
        if (strcmp(name, profiles[i].name) == 0) {
            *out = (struct mr_canonical){.profile = (enum mr_canonical_profile)i,
                                         .rules = default_rules((enum mr_canonical_profile)i)};
            return MR_OK;
        }
    }
    return mr_error_set(err, MR_ERROR_USAGE, "must be none, heritrix, wayback or surt");
}

static enum mr_status no_such_rule(const struct mr_canonical *canonical, const char *rule,
                                   size_t bytes, struct mr_error *err)
{
    const struct mr_canonical_rule *rules = profiles[canonical->profile].rules;
    char names[512] = "";
    size_t used = 0;

    for (unsigned i = 0; rules[i].name != NULL && used < sizeof names; i++) {
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
                                 rules[i].name);
    }
    return mr_error_set(err, MR_ERROR_USAGE, "no rule \"%.*s\" in profile %s; there %s %s",
                        (int)bytes, rule, profiles[canonical->profile].name,
                        names[0] != '\0' ? "are" : "is", names[0] != '\0' ? names : "none");
}

enum mr_status mr_canonical_switch(struct mr_canonical *canonical, const char *text,
                                   struct mr_error *err)
{
    const struct mr_canonical_rule *rules = profiles[canonical->profile].rules;

    for (;;) {
        bool off = *text == '-';
        text += *text == '-' || *text == '+';
        size_t bytes = strcspn(text, ",");
        unsigned i = 0;
        while (rules[i].name != NULL &&
               (strlen(rules[i].name) != bytes || memcmp(rules[i].name, text, bytes) != 0)) {
            i++;
        }
        if (rules[i].name == NULL) {
            return no_such_rule(canonical, text, bytes, err);
        }
        canonical->rules = off ? canonical->rules & ~(1u << i) : canonical->rules | 1u << i;
        if (text[bytes] == '\0') {
            return MR_OK;
        }
        text += bytes + 1;
    }
}

/* Bytes of one text. An escape makes three bytes of one. The text and its workspaces share this
 * room. */
#define TEXT_ROOM ((size_t)8 * (MR_NAME_MAX_BYTES + 64))

static enum mr_web_spelling spelling_of(const struct mr_canonical *canonical)
{
    return canonical->profile == MR_CANONICAL_NONE &&
                   (canonical->rules >> MR_NONE_DOT_SEGMENTS & 1) == 0
               ? MR_WEB_HOST
               : MR_WEB_SEGMENTS;
}

/* The bytes before the fragment of a URL of http, https or ftp; all bytes if it stays. */
static size_t bytes_before_fragment(const struct mr_canonical *canonical, const char *url,
                                    size_t bytes)
{
    static const char *const schemes[] = {"http://", "https://", "ftp://"};
    const char *fragment;

    if (canonical->profile != MR_CANONICAL_NONE ||
        (canonical->rules >> MR_NONE_FRAGMENT & 1) == 0 ||
        (fragment = memchr(url, '#', bytes)) == NULL) {
        return bytes;
    }
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        const size_t n = strlen(schemes[i]);
        if ((size_t)(fragment - url) > n && memcmp(url, schemes[i], n) == 0) {
            return (size_t)(fragment - url);
        }
    }
    return bytes;
}

/* Set `url` to the name as browsers spell it, or to the name itself. `part` is a workspace. Returns
 * true where that is another spelling. */
static bool set_url(const struct mr_canonical *canonical, const char *name, size_t name_bytes,
                    struct mr_text *url, struct mr_text *part)
{
    const uint32_t needed = profiles[canonical->profile].browser_rules;
    const enum mr_web_spelling spelling = spelling_of(canonical);
    struct mr_web_url web = {.text = *url};

    if ((canonical->rules & needed) == needed &&
        mr_web_url_may_change(name, name_bytes, spelling)) {
        mr_text_set(part, name, name_bytes);
        if (mr_web_url_parse(part, NULL, spelling, &web)) {
            *url = web.text;
            return true;
        }
    }
    mr_text_set(url, name, name_bytes);
    return false;
}

size_t mr_canonical_name(const void *data, const char *name, size_t name_bytes, char *out)
{
    const struct mr_canonical *canonical = data;
    struct mr_text url = {0}, part = {0};
    /* Nearly all names are short: a few pages of stack are enough for them. */
    char small[2][8192], *large = NULL;
    size_t room = sizeof small[0];
    bool changed = false;

    assert(name_bytes >= 1 && name_bytes <= MR_NAME_MAX_BYTES);
    if (canonical->profile != MR_CANONICAL_NONE ||
        mr_web_url_may_change(name, name_bytes, spelling_of(canonical))) {
        if (name_bytes > sizeof small[0] / 16) {
            room = TEXT_ROOM;
            large = malloc(2 * room);
        }
        if (large != NULL || name_bytes <= sizeof small[0] / 16) {
            url = (struct mr_text){.data = large != NULL ? large : small[0], .room = room};
            part = (struct mr_text){.data = large != NULL ? large + room : small[1], .room = room};
            changed = set_url(canonical, name, name_bytes, &url, &part);
            switch (canonical->profile) {
            case MR_CANONICAL_NONE:
                break;
            case MR_CANONICAL_HERITRIX:
                changed = mr_canonical_heritrix(canonical->rules, &url);
                break;
            case MR_CANONICAL_WAYBACK:
                changed = mr_canonical_wayback(canonical->rules, &url, &part);
                break;
            case MR_CANONICAL_SURT:
                changed = mr_canonical_surt(canonical->rules, &url, &part);
                break;
            }
        }
    }
    if (changed && !url.overflowed && url.bytes >= 1 && url.bytes <= MR_NAME_MAX_BYTES &&
        memchr(url.data, '\n', url.bytes) == NULL) {
        memcpy(out, url.data, url.bytes);
        name_bytes = url.bytes;
    } else {
        memcpy(out, name, name_bytes);
    }
    free(large);
    return bytes_before_fragment(canonical, out, name_bytes);
}

/* Bits 0-7: key function. Bits 8-10: profile. Bits 11-30: rules that differ from the default. Bit
 * 31: each name is followed by its other spellings (engine/names/names.h). */
enum { PROFILE_SHIFT = 8, RULES_SHIFT = 11 };

uint32_t mr_canonical_number(const struct mr_canonical *canonical)
{
    uint32_t number =
        canonical->reversed_hosts ? MR_NAME_KEY_HOST : profiles[canonical->profile].key;

    if (!canonical->reversed_hosts) {
        number |= (uint32_t)canonical->profile << PROFILE_SHIFT;
        number |= (canonical->rules ^ default_rules(canonical->profile)) << RULES_SHIFT;
    }
    if (canonical->profile != MR_CANONICAL_NONE) {
        number |= MR_NAME_SPELLINGS;
    }
    return number;
}

bool mr_canonical_of(uint32_t number, struct mr_canonical *canonical)
{
    uint32_t profile = number >> PROFILE_SHIFT & 7;
    uint32_t flipped = (number & ~MR_NAME_SPELLINGS) >> RULES_SHIFT;

    if (number == MR_NAME_KEY_HOST) {
        *canonical = (struct mr_canonical){.reversed_hosts = true};
        return true;
    }
    canonical->reversed_hosts = false;
    if (profile >= MR_CANONICAL_PROFILES || (number & 0xff) != profiles[profile].key) {
        return false;
    }
    unsigned n_rules = 0;
    while (profiles[profile].rules[n_rules].name != NULL) {
        n_rules++;
    }
    if (flipped >> n_rules != 0) {
        return false;
    }
    canonical->profile = (enum mr_canonical_profile)profile;
    canonical->rules = default_rules(canonical->profile) ^ flipped;
    return mr_canonical_number(canonical) == number;
}
