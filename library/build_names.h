/* Names that are text as a build wants them: their order, their spellings, the groups that tell
 * links inside a host from others. */
#ifndef MR_LIBRARY_BUILD_NAMES_H
#define MR_LIBRARY_BUILD_NAMES_H

#include "engine/build/build.h"
#include "formats/url/canonical.h"

struct mr_host_groups;

/* Outlives the build that its options are for. */
struct mr_build_names {
    struct mr_canonical canonical;
    struct mr_host_groups *groups; /* NULL without classes */
};

/* The profile that --profile and --rule ask for; NULL where they are not given. Errors: USAGE. */
enum mr_status mr_profile_choose(const char *profile, const char *rules,
                                 struct mr_canonical *canonical,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Set what `options` says of names: `options->ids` says whether they are text,
 * `names->canonical` what is one page. Errors: USAGE for a profile or classes of names that are
 * numbers; `profile` is what to call it. Close it even after an error; it takes a zeroed one. */
enum mr_status mr_build_names_open(struct mr_build_names *names, const char *profile,
                                   enum mr_class_rule class_rule, struct mr_build_options *options,
                                   struct mr_error *err) MR_WARN_UNUSED;
void mr_build_names_close(struct mr_build_names *names);

#endif
