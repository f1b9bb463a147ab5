/* SPDX-License-Identifier: Apache-2.0 */
/* Sets up the builder for names that are text. The builder gets keys, canonical forms and groups of
 * names as functions; formats/url knows which functions a profile of URLs has. Every build with
 * names comes through here, so that the source of the edges does not change the store. */
#include "library/import/build_names.h"

#include "formats/url/host.h"
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

enum mr_status mr_build_names_open(struct mr_build_names *names, const char *profile,
                                   enum mr_class_rule class_rule, struct mr_build_options *options,
                                   struct mr_error *err)
{
    const bool is_text = options->ids == MR_IDS_TEXT;
    const bool is_canonical = names->canonical.profile != MR_CANONICAL_NONE;

    if (!is_text && is_canonical) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--profile %s is for URLs, and the pages of this input are numbers",
                            profile);
    }
    if (class_rule != MR_CLASSES_NONE) {
        if (!is_text) {
            return mr_error_set(err, MR_ERROR_USAGE,
                                "--classes is for URLs, and the pages of this input are numbers");
        }
        names->groups = mr_host_groups_open(&names->canonical, class_rule == MR_CLASSES_BY_DOMAIN
                                                                   ? MR_FOLD_BY_DOMAIN
                                                                   : MR_FOLD_BY_HOST);
        if (names->groups == NULL) {
            return mr_host_groups_error(err);
        }
        options->class_rule = class_rule;
        options->name_group = mr_host_group;
        options->name_group_data = names->groups;
    }
    if (is_text) {
        const enum mr_status status = mr_names_check(err);
        if (status != MR_OK) {
            return status;
        }
        options->name_key_number = mr_canonical_number(&names->canonical);
        options->name_key = mr_name_key_of(options->name_key_number);
        options->name_canonical = names->canonical.reversed_hosts ? NULL : mr_canonical_name;
        options->name_canonical_data = &names->canonical;
    }
    return MR_OK;
}

void mr_build_names_close(struct mr_build_names *names)
{
    mr_host_groups_close(names->groups);
    names->groups = NULL;
}
