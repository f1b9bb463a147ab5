/* SPDX-License-Identifier: Apache-2.0 */
/* Removing files of a store that its manifest does not name, such as the old index after an append.
 * Appends call it under the lock. Only names of the store's own scheme are removed (store_files.h),
 * because other files belong to somebody else. */
#include "engine/store/sweep.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/format.h"
#include "engine/io/io.h"
#include "engine/io/store_files.h"
#include "engine/store/index.h"
#include "engine/store/manifest.h"

/* True if the store's manifest or index names this file. */
static bool is_file_of(const struct mr_store *store, const char *name)
{
    const struct mr_index *index = mr_store_index(store);
    const uint32_t generation = mr_store_get_info(store)->generation;
    char own[4096];
    bool found = false;

    found |= mr_store_file_path(".", false, MR_FILE_INDEX, generation, 0, own, sizeof own, NULL) ==
                 MR_OK &&
             strcmp(own + 2, name) == 0;
    found |= mr_store_file_path(".", false, MR_FILE_DEGREES, generation, 0, own, sizeof own,
                                NULL) == MR_OK &&
             strcmp(own + 2, name) == 0;
    for (uint32_t i = 0; i < index->n_parts && !found; i++) {
        found = mr_store_file_path(".", false, MR_FILE_LINKS, index->parts[i].generation,
                                   index->parts[i].link_class, own, sizeof own, NULL) == MR_OK &&
                strcmp(own + 2, name) == 0;
    }
    for (uint32_t i = 0; i < index->n_name_parts && !found; i++) {
        found = mr_store_file_path(".", false, MR_FILE_NAMES, index->name_parts[i].generation, 0,
                                   own, sizeof own, NULL) == MR_OK &&
                strcmp(own + 2, name) == 0;
    }
    return found;
}

/* True if `name` is a file of an earlier generation, or of the next one, which an append began.
 * Files with weights or an order are never swept: appends neither write nor replace them. */
static bool is_of_a_generation(const struct mr_store *store, const char *name)
{
    uint32_t generation = 0;
    return mr_store_is_data_file(name, &generation) &&
           strncmp(name, MR_WEIGHTS_PREFIX, strlen(MR_WEIGHTS_PREFIX)) != 0 &&
           strncmp(name, MR_ORDER_PREFIX, strlen(MR_ORDER_PREFIX)) != 0 &&
           generation <= (uint64_t)mr_store_get_info(store)->generation + 1;
}

void mr_store_sweep(const struct mr_context *context, const struct mr_store *store)
{
    const char *directory = mr_store_path(store);
    DIR *listing = opendir(directory);

    if (listing == NULL) {
        return;
    }
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        char path[4096];
        if (!is_of_a_generation(store, entry->d_name) || is_file_of(store, entry->d_name)) {
            continue;
        }
        const int bytes = snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (bytes > 0 && bytes < (int)sizeof path) {
            enum mr_status ignored = mr_io_unlink(context->io, path, NULL);
            (void)ignored;
        }
    }
    (void)closedir(listing);
}
