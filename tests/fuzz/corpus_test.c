/* SPDX-License-Identifier: Apache-2.0 */
/* Runs every input of tests/fuzz/corpus through its reader, or through the decoders of corner
 * tiles. It uses the compiler and sanitizers of the test build, so that a bug that fuzzing found
 * once stays fixed. Each input is also cut at every 16th of its length. */
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/corner_cases.h"
#include "tests/fuzz/readers.h"

enum { MAX_INPUT_BYTES = 1 << 20 };

static uint8_t input[MAX_INPUT_BYTES];

typedef void (*replay_one)(const uint8_t *data, size_t bytes);

static int replay_file(const char *path, replay_one one)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return 1;
    }
    const size_t bytes = fread(input, 1, sizeof input, file);
    (void)fclose(file);
    for (size_t part = 0; part <= 16; part++) {
        /* A copy of exactly this size, so that a sanitizer sees reads behind it. */
        const size_t cut = bytes * part / 16;
        uint8_t *copy = malloc(cut + 1);
        if (copy == NULL) {
            return 1;
        }
        memcpy(copy, input, cut);
        one(copy, cut);
        free(copy);
    }
    return 0;
}

/* Replays the inputs of one reader. Returns their number, or -1 after an error. */
static int replay_reader(const char *directory, replay_one one)
{
    char path[PATH_MAX];
    int n = 0;
    DIR *inputs = opendir(directory);

    if (inputs == NULL) {
        perror(directory);
        return -1;
    }
    for (struct dirent *entry; (entry = readdir(inputs)) != NULL;) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        (void)snprintf(path, sizeof path, "%.2000s/%.255s", directory, entry->d_name);
        if (replay_file(path, one) != 0) {
            n = -1;
            break;
        }
        n++;
    }
    (void)closedir(inputs);
    return n;
}

int main(void)
{
    const char *sources = getenv("MILLRACE_SOURCE_DIR");
    char corpus[PATH_MAX], path[PATH_MAX];
    int failures = 0;

    (void)snprintf(corpus, sizeof corpus, "%.1000s/tests/fuzz/corpus", sources ? sources : ".");
    DIR *readers = opendir(corpus);
    if (readers == NULL) {
        perror(corpus);
        return 1;
    }
    for (struct dirent *entry; (entry = readdir(readers)) != NULL;) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        (void)snprintf(path, sizeof path, "%.2000s/%.255s", corpus, entry->d_name);
        const bool is_corners = strcmp(entry->d_name, "corners") == 0;
        if (!is_corners && (!fuzz_choose(entry->d_name) || !fuzz_begin())) {
            (void)fprintf(stderr, "%s: no such reader\n", entry->d_name);
            failures++;
            continue;
        }
        const int n = replay_reader(path, is_corners ? fuzz_corners : fuzz_one);
        failures += n < 0;
        (void)printf("%s: %d inputs\n", entry->d_name, n);
        if (!is_corners) {
            fuzz_end();
        }
    }
    (void)closedir(readers);
    return failures != 0;
}
