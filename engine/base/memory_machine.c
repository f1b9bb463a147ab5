/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory this process can still get. The command line turns a --memory in percent into
 * bytes with it.
 *
 * MemAvailable describes the machine, not the container. Each control group from the process's own
 * up to the root can set a limit: in version 1 (in its own `memory` hierarchy), in version 2, or,
 * on hybrid machines, in either. /proc/self/mountinfo says where the hierarchies are mounted and
 * which part of each is visible there. Source: Documentation/admin-guide/cgroup-v1/memory.rst and
 * cgroup-v2.rst of Linux. */

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"

/* The names of a group's files in each version. In version 1 the plain lines of memory.stat count
 * the group alone, and the total_ lines include its children. In version 2 all lines include the
 * children. */
struct group_files {
    const char *limits[2];
    const char *usage;
    const char *cached[2];
};

static const struct group_files v1_files = {
    .limits = {"memory.limit_in_bytes", NULL},
    .usage = "memory.usage_in_bytes",
    .cached = {"total_inactive_file", "total_active_file"},
};
static const struct group_files v2_files = {
    .limits = {"memory.max", "memory.high"},
    .usage = "memory.current",
    .cached = {"inactive_file", "active_file"},
};

/* Returns NULL if the file cannot be opened or its name is too long. */
static FILE *open_file(const char *directory, const char *name)
{
    char path[2 * PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", directory, name);
    if (length < 0 || (size_t)length >= sizeof path) {
        return NULL;
    }
    return fopen(path, "re");
}

/* Reads the only number in a file. Returns false for "max" and for missing files. */
static bool read_number(const char *directory, const char *name, uint64_t *out)
{
    FILE *file = open_file(directory, name);
    if (file == NULL) {
        return false;
    }
    bool found = fscanf(file, "%" SCNu64, out) == 1;
    (void)fclose(file);
    return found;
}

/* Reads the number after `key` in a file of "key number" or "key: number" lines. */
static bool read_keyed(const char *directory, const char *name, const char *key, uint64_t *out)
{
    char line[256];
    bool found = false;
    size_t key_length = strlen(key);
    FILE *file = open_file(directory, name);

    if (file == NULL) {
        return false;
    }
    while (!found && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, key, key_length) == 0 &&
            (line[key_length] == ' ' || line[key_length] == ':')) {
            found = sscanf(line + key_length + 1, "%" SCNu64, out) == 1;
        }
    }
    (void)fclose(file);
    return found;
}

/* The bytes that one group leaves; UINT64_MAX if it sets no limit. */
static uint64_t left_in_group(const char *directory, const struct group_files *files)
{
    uint64_t limit = UINT64_MAX, usage = 0, cached = 0;

    for (size_t i = 0; i < 2; i++) {
        uint64_t value;
        if (files->limits[i] != NULL && read_number(directory, files->limits[i], &value)) {
            limit = mr_min_u64(limit, value);
        }
    }
    if (limit == UINT64_MAX || !read_number(directory, files->usage, &usage)) {
        return limit;
    }
    /* Usage includes the page cache, but the kernel drops the cache before it kills a process.
     * Without this subtraction a group would look full after the process reads a large file. */
    for (size_t i = 0; i < 2; i++) {
        uint64_t value;
        if (read_keyed(directory, "memory.stat", files->cached[i], &value)) {
            cached += value;
        }
    }
    usage -= mr_min_u64(cached, usage);
    return limit - mr_min_u64(usage, limit);
}

/* True if the comma-separated `list` contains `word`. */
static bool list_has(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(list, word); at != NULL; at = strstr(at + 1, word)) {
        bool begins = at == list || at[-1] == ',';
        bool ends = at[length] == ',' || at[length] == '\0';
        if (begins && ends) {
            return true;
        }
    }
    return false;
}

/* Reads the process's own groups of versions 1 and 2, as in /proc/self/cgroup; "" if it has none.
 */
static void read_membership(const char *root, char paths[2][PATH_MAX])
{
    char line[PATH_MAX + 256];
    FILE *file = open_file(root, "proc/self/cgroup");

    paths[0][0] = paths[1][0] = '\0';
    if (file == NULL) {
        return;
    }
    /* Lines look like "4:memory:/a/b" in version 1 and "0::/a/b" in version 2. */
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *path = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (path == NULL) {
            continue;
        }
        *path++ = '\0';
        controllers++;
        if (controllers[0] == '\0') {
            (void)snprintf(paths[1], PATH_MAX, "%.*s", PATH_MAX - 1, path);
        } else if (list_has(controllers, "memory")) {
            (void)snprintf(paths[0], PATH_MAX, "%.*s", PATH_MAX - 1, path);
        }
    }
    (void)fclose(file);
}

/* Undoes mountinfo's escapes (\040 for a space) in place. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; to++) {
        unsigned code;
        if (from[0] == '\\' && sscanf(from + 1, "%3o", &code) == 1) {
            *to = (char)code;
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
}

/* The part of `group` below `mount_root`, which is the group that the mount shows at its root. A
 * container often sees its own group as the root of the mount. Returns "" if the group lies
 * elsewhere: only the mount point itself can be read then. */
static const char *path_below(const char *group, const char *mount_root)
{
    size_t length = strlen(mount_root);
    if (strstr(group, "/..") != NULL) { /* outside of the process's cgroup namespace */
        return "";
    }
    if (strcmp(mount_root, "/") == 0) {
        return group;
    }
    if (strncmp(group, mount_root, length) == 0 &&
        (group[length] == '/' || group[length] == '\0')) {
        return group + length;
    }
    return "";
}

/* The minimum that the group at `mount_point` + `below` and its ancestors leave. */
static uint64_t left_in_hierarchy(const char *root, const char *mount_point, const char *below,
                                  const struct group_files *files)
{
    char directory[3 * PATH_MAX];
    int length = snprintf(directory, sizeof directory, "%s%s%s", root, mount_point, below);
    size_t top_length = strlen(root) + strlen(mount_point);
    uint64_t left = UINT64_MAX;

    if (length < 0 || (size_t)length >= sizeof directory) {
        return UINT64_MAX;
    }
    for (;;) {
        left = mr_min_u64(left, left_in_group(directory, files));
        char *slash = strrchr(directory, '/');
        if (slash == NULL || (size_t)(slash - directory) < top_length) {
            return left;
        }
        *slash = '\0';
    }
}

/* Parses one line of mountinfo: "36 35 0:30 ROOT MOUNT_POINT OPTIONS [FIELD...] - TYPE SOURCE
 * SUPER". */
static uint64_t left_in_mount(const char *root, char *line, char paths[2][PATH_MAX])
{
    char type[32], super_options[1024];
    char *separator = strstr(line, " - ");
    char *save = NULL;

    if (separator == NULL || sscanf(separator + 3, "%31s %*s %1023s", type, super_options) != 2) {
        return UINT64_MAX;
    }
    *separator = '\0';
    char *fields[5] = {NULL};
    char *rest = line;
    for (size_t i = 0; i < 5; i++, rest = NULL) {
        fields[i] = strtok_r(rest, " ", &save);
        if (fields[i] == NULL) {
            return UINT64_MAX;
        }
    }
    char *mount_root = fields[3], *mount_point = fields[4];
    unescape(mount_root);
    unescape(mount_point);
    if (strcmp(type, "cgroup2") == 0 && paths[1][0] != '\0') {
        return left_in_hierarchy(root, mount_point, path_below(paths[1], mount_root), &v2_files);
    }
    if (strcmp(type, "cgroup") == 0 && paths[0][0] != '\0' && list_has(super_options, "memory")) {
        return left_in_hierarchy(root, mount_point, path_below(paths[0], mount_root), &v1_files);
    }
    return UINT64_MAX;
}

static uint64_t left_in_groups(const char *root)
{
    char paths[2][PATH_MAX];
    uint64_t left = UINT64_MAX;
    char *line = NULL;
    size_t line_room = 0;
    FILE *file = open_file(root, "proc/self/mountinfo");

    if (file == NULL) {
        return UINT64_MAX;
    }
    read_membership(root, paths);
    while (getline(&line, &line_room, file) > 0) {
        left = mr_min_u64(left, left_in_mount(root, line, paths));
    }
    free(line);
    (void)fclose(file);
    return left;
}

uint64_t mr_memory_of_machine_below(const char *root)
{
    uint64_t available_kib;
    uint64_t machine;

    if (read_keyed(root, "proc/meminfo", "MemAvailable", &available_kib) &&
        available_kib <= UINT64_MAX >> 10) {
        machine = available_kib << 10;
    } else {
        machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    }
    return mr_min_u64(machine, left_in_groups(root));
}

uint64_t mr_memory_of_machine(void)
{
    return mr_memory_of_machine_below("");
}

/* The stack of a thread that OpenMP makes, as libgomp reads it: a number with B, K, M or G, without
 * a letter in KiB. UINT64_MAX: the variable does not say. */
static uint64_t stack_of(const char *text)
{
    static const char units[] = "bkmg";
    char *end = NULL;
    const unsigned long long number = strtoull(text, &end, 10);
    const char letter = (char)(*end >= 'A' && *end <= 'Z' ? *end + ('a' - 'A') : *end);
    const char *unit = letter == '\0' ? units + 1 : strchr(units, letter);

    return end == text || unit == NULL || number >> 32 != 0 ? UINT64_MAX
                                                            : number << 10 * (unit - units);
}

uint64_t mr_memory_openmp_stack(const char **name)
{
    static const char *const names[] = {"OMP_STACKSIZE", "GOMP_STACKSIZE"};
    uint64_t bytes = UINT64_MAX;

    for (size_t i = 0; i < sizeof names / sizeof names[0] && bytes == UINT64_MAX; i++) {
        const char *text = getenv(names[i]);
        bytes = text == NULL ? UINT64_MAX : stack_of(text);
        if (name != NULL) {
            *name = names[i];
        }
    }
    return bytes;
}

enum mr_status mr_memory_check_stacks(struct mr_error *err)
{
    const uint64_t least = 256 << 10;
    const char *name;
    struct rlimit limit;

    if (mr_memory_openmp_stack(&name) < least) {
        return mr_error_set(err, MR_ERROR_BUDGET,
                            "%s=%s gives each thread a stack that is too small; set it to 256K or "
                            "more, or unset it",
                            name, getenv(name));
    }
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < least) {
        return mr_error_set(err, MR_ERROR_BUDGET,
                            "a stack of %llu KiB is too small; run first: ulimit -s 256",
                            (unsigned long long)limit.rlim_cur >> 10);
    }
    return MR_OK;
}
