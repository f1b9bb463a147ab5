/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of a build for names that are text: their order, their spellings, and the groups that
 * separate internal edges from external ones. */
#ifndef MR_LIBRARY_IMPORT_BUILD_NAMES_H
#define MR_LIBRARY_IMPORT_BUILD_NAMES_H

#include "engine/builder/build.h"
#include "formats/url/canonical.h"

struct mr_host_groups;

/* Keep it until the end of the build that uses the options. */
struct mr_build_names {
    struct mr_canonical canonical;
    struct mr_host_groups *groups; /* NULL without classes */
};

/* Choose the profile for the values of --profile and --rule; NULL for a flag that is not given.
 * Errors: USAGE. */
enum mr_status mr_profile_choose(const char *profile, const char *rules,
                                 struct mr_canonical *canonical,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Set the fields of `options` that concern names. `options->ids` says whether ids are text;
 * `names->canonical` defines which names are the same vertex. `profile` is the profile's name for
 * messages. Close `names` even after an error; close accepts a zeroed struct. Errors: USAGE for a
 * profile, or for classes, with names that are numbers. */
enum mr_status mr_build_names_open(struct mr_build_names *names, const char *profile,
                                   enum mr_class_rule class_rule, struct mr_build_options *options,
                                   struct mr_error *err) MR_WARN_UNUSED;
void mr_build_names_close(struct mr_build_names *names);

#endif
