/* The main function of the millrace program. It chooses the command from the first argument and
 * prints the help and the version. It stands above the folders of cli/: no other file knows all
 * commands. A mistyped command gets a suggestion, and a name from other programs gets the
 * command that does the same. */
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "cli/program/command.h"
#include "cli/program/profile.h"
#include "cli/program/spelling.h"
#include "engine/tile/keys.h"
#include "millrace/version.h"

#if defined(NDEBUG)
#define BUILD_KIND "optimised"
#else
#define BUILD_KIND "with assertions"
#endif

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

static const struct mr_command *const commands[] = {
    &mr_command_build,      &mr_command_info,       &mr_command_bench,      &mr_command_check,
    &mr_command_pagerank,   &mr_command_opic,       &mr_command_precedence, &mr_command_compare,
    &mr_command_components, &mr_command_crawl_rank, &mr_command_links,      &mr_command_find,
    &mr_command_show,       &mr_command_hosts,      &mr_command_export,     &mr_command_convert,
    &mr_command_generate,   &mr_command_transpose,  &mr_command_hits,       &mr_command_salsa,
    &mr_command_degree,     &mr_command_ppr,        &mr_command_trustrank,  &mr_command_append,
    &mr_command_compact,    &mr_command_fold,
};

enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static const struct mr_command *find_command(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

/* Names that other programs use, each with the command that does the same. */
static const char *const synonyms[][2] = {
    {"import", "build"},      {"load", "build"},        {"rank", "pagerank"}, {"stats", "info"},
    {"verify", "check"},      {"reverse", "transpose"}, {"search", "find"},   {"diff", "compare"},
    {"levels", "precedence"}, {"aggregate", "fold"},
};

static const char *command_meant(const char *word)
{
    struct mr_spelling spelling = {.word = word};

    for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++) {
        if (strcmp(word, synonyms[i][0]) == 0) {
            return synonyms[i][1];
        }
    }
    for (size_t i = 0; i < N_COMMANDS; i++) {
        mr_spelling_consider(&spelling, commands[i]->name);
    }
    mr_spelling_consider(&spelling, "help");
    return mr_spelling_best(&spelling);
}

static int unknown_command(const char *word)
{
    struct mr_error err = {0};
    const char *nearest = command_meant(word);
    enum mr_status status;

    if (word[0] == '-') {
        status = mr_error_set(&err, MR_ERROR_USAGE,
                              "unknown option %s; a command comes first, and 'millrace help' lists "
                              "all",
                              word);
    } else if (nearest != NULL) {
        status = mr_error_set(&err, MR_ERROR_USAGE,
                              "unknown command %s; did you mean %s? 'millrace help' lists all",
                              word, nearest);
    } else {
        status = mr_error_set(&err, MR_ERROR_USAGE, "unknown command %s; 'millrace help' lists all",
                              word);
    }
    return mr_session_exit_code(status, &err);
}

static void print_usage(FILE *out)
{
    (void)fprintf(out, "Usage: millrace COMMAND [OPTIONS] [FILES]\n\n");
    mr_help_wrap("Millrace ranks the pages of a web crawl by their links. A store on disk has the "
                 "links, billions of them. Millrace reads them from the disk again and again, and "
                 "keeps little more than one number per page in memory.",
                 0, 0, out);
    (void)fprintf(out, "\nCommands:\n");
    for (size_t i = 0; i < N_COMMANDS; i++) {
        (void)fprintf(out, "  %-11s %s\n", commands[i]->name, commands[i]->summary);
    }
    (void)fprintf(out, "  %-11s %s\n", "help",
                  "explain a command (help COMMAND) or the profiles of URLs (help profiles)");
    (void)fprintf(out, "\n");
    mr_help_wrap(
        "Exit codes: 0 success, 1 failure while running, 2 wrong usage, 3 bad input, 4 damaged "
        "store, 5 over the memory or disk budget, 6 not converged, 130 or 143 "
        "interrupted.\n",
        0, 0, out);
    (void)fprintf(out, "Examples:\n"
                       "  millrace build -o web.mill links.txt.gz\n"
                       "  millrace pagerank web.mill -o scores.tsv --top 10\n"
                       "  millrace precedence scores.tsv -o precedence.txt\n");
}

static void print_version(void)
{
    printf("millrace %s, %s, %s\n", MR_VERSION, BUILD_KIND, COMPILER);
    printf("libraries: zstd %s, zlib %s, jansson %s\n", ZSTD_versionString(), zlibVersion(),
           jansson_version_str());
    printf("key decoder: %s\n", mr_keys_decoder_name());
}

static int run_help(int argc, char **argv)
{
    /* Handles `millrace help` and `millrace help COMMAND`. Further arguments are ignored. */
    const char *name = argc > 2 ? argv[2] : NULL;
    if (name == NULL || name[0] == '-') {
        print_usage(stdout);
        return 0;
    }
    if (strcmp(name, "profiles") == 0) {
        mr_profile_help(stdout);
        return 0;
    }
    const struct mr_command *command = find_command(name);
    if (command == NULL) {
        return unknown_command(name);
    }
    mr_command_help(command, stdout);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return MR_ERROR_USAGE;
    }
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
        strcmp(argv[1], "-h") == 0) {
        return run_help(argc, argv);
    }
    if (strcmp(argv[1], "--version") == 0) {
        print_version();
        return 0;
    }
    const struct mr_command *command = find_command(argv[1]);
    return command != NULL ? mr_command_run(command, argc, argv) : unknown_command(argv[1]);
}
