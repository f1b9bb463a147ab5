/* SPDX-License-Identifier: Apache-2.0 */
/* The main function of the millrace program. It chooses the command from the first argument and
 * prints the help and the version. It stands above the folders of cli/: no other file knows all
 * commands. A mistyped command gets a suggestion, and a name from other programs gets the
 * command that does the same. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "cli/graph/building.h"
#include "cli/program/command.h"
#include "cli/program/json.h"
#include "cli/program/spelling.h"
#include "cli/ranking/kind.h"
#include "engine/base/memory.h"
#include "library/import/import_files.h"
#include "millrace/store.h"
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

/* add_kinds adds the kinds of rankings before `release`. */
enum { RANKINGS = 1 };
static struct mr_command_section sections[] = {
    {"Make and change stores",
     {&mr_command_build, &mr_command_append, &mr_command_fold, &mr_command_transpose,
      &mr_command_generate}},
    {"Rank pages", {&mr_command_release}},
    {"Serve a crawler", {&mr_command_crawl_rank, &mr_command_precedence}},
    {"Look at stores and scores",
     {&mr_command_info, &mr_command_show, &mr_command_why, &mr_command_find, &mr_command_hosts,
      &mr_command_report, &mr_command_compare}},
    {"Write other formats", {&mr_command_export, &mr_command_convert}},
    {"Check and measure", {&mr_command_check, &mr_command_certify, &mr_command_bench}},
    {0},
};

static void add_kinds(void)
{
    mr_kind_set_fronts(mr_kind_fronts);
    const struct mr_command **list = sections[RANKINGS].commands;
    size_t n = 0;

    while (list[n] != &mr_command_release) {
        n++;
    }
    for (size_t i = 0; mr_kind_command_at(i) != NULL; i++) {
        assert(n + 1 < sizeof sections->commands / sizeof sections->commands[0]);
        list[n++] = mr_kind_command_at(i);
    }
    list[n] = &mr_command_release;
}

static const struct mr_exit_code exit_codes[] = {
    {0, "success"},
    {1, "failure while running"},
    {2, "wrong usage"},
    {3, "bad input"},
    {4, "damaged store"},
    {5, "over the memory or disk budget"},
    {6, "not converged"},
    {129, "interrupted by SIGHUP"},
    {130, "interrupted by SIGINT"},
    {141, "the reader of the output went away"},
    {143, "interrupted by SIGTERM"},
    {0},
};

static void print_exit_codes(FILE *out)
{
    for (const struct mr_exit_code *e = exit_codes; e->meaning != NULL; e++) {
        (void)fprintf(out, "  %3d  %s\n", e->code, e->meaning);
    }
}

static void print_formats(FILE *out)
{
    (void)fputs("Read by build, append, convert and all rankings; plain, gzip or zstd:\n", out);
    for (size_t i = 0; mr_graph_format_at(i) != NULL; i++) {
        const struct mr_graph_format *format = mr_graph_format_at(i);
        (void)fprintf(out, "  %-18s%s\n", format->name, format->title);
    }
    (void)fputs("\nWritten:\n"
                "  export, convert   edges wel u32 u64 mtx npy sg bvgraph, or --shards;\n"
                "                    with names urls csv jsonl; for Heritrix's offline PageRank\n"
                "                    heritrix-links, -input-links, -map, -pagerank\n"
                "  rankings          NAME<TAB>SCORE; by the suffix .csv .jsonl .json .npy;\n"
                "                    SCORE<TAB>URL in score_uri.txt; .gz and .zst compress\n"
                "  precedence        NAME LEVEL, or what --crawler loads\n"
                "  release           Common Crawl's tables of ranks, degrees and components\n"
                "  crawl-rank        a folder with the store, the scores and the levels\n"
                "  report            one page of HTML; its charts as SVG in --charts DIR\n"
                "\nMemory, disk and time (--estimate has the figures of a run):\n"
                "  build             8 bytes a link in memory, or on the disk of --tmp; 16 if ids\n"
                "                    are 2^32 or more. 30 to 60 M links/s on two processors\n"
                "  a store           0.4 to 2 bytes a link of a web graph, and the names\n"
                "  pagerank          8 bytes a page with links, 24 more for the acceleration if\n"
                "                    there is room; spare memory holds links\n"
                "  ppr, trustrank    16 to 44 bytes a page and vector\n"
                "  hits, salsa       16 to 48 bytes a page\n"
                "  opic              29 bytes a page\n"
                "  harmonic          24 bytes a page or more\n",
                out);
}

static void print_grammar(FILE *out)
{
    (void)fputs("How lines of text are read, whatever the file is called, also from a pipe:\n"
                "  Between the columns stand, for the whole file:\n"
                "    1. blanks, if each line is two URLs, which have none\n"
                "    2. tabs, if most lines have one\n"
                "    3. the one of , ; | that gives all lines the same number of fields (or\n"
                "       most lines: the others are bad lines); in \"quotes\" it is text\n"
                "    4. blanks, if each line has two words, or three of which the last is a\n"
                "       number\n"
                "  Any other text is refused. --separator says it, --columns 1,2 too.\n"
                "  The columns are those that a header calls source and target, from and to,\n"
                "  url and links, page and referrer, ... A column links or targets may hold\n"
                "  several pages: a,b  a;b  [\"a\", \"b\"]. Without a header the first two are\n"
                "  source and target; a third may be a number, and more are refused.\n"
                "  A page is all between two separators, blanks too, but for separator blank.\n"
                "  Ids are numbers if both columns are (1.0 is 1), otherwise names. Where one is\n"
                "  written with zeros before it, as 00501, all are names. A field that is empty,\n"
                "  \\N, nan, None, NULL or NA is no page, and its line no link.\n"
                "  A header that comes again is passed over. Lines that begin with # or % and a\n"
                "  blank are comments.\n"
                "Lists of pages (--seeds, --fetched, --gone, --query, ...): a name ends at\n"
                "  a tab or at the end of its line. A number stands behind a tab; behind a blank\n"
                "  only where pages are URLs or numbers.\n",
                out);
}

static const struct mr_topic topics[] = {
    {.name = "formats",
     .summary = "which command reads and writes what, and what it takes",
     .print = print_formats},
    {.name = "inputs",
     .summary = "how files of links and lists are read",
     .text = "An input is a file of links, in one of the formats of --format, plain or compressed "
             "(gzip, zstd). Several inputs are one graph; a directory is its files in the order of "
             "their names, without those that begin with _ or a dot. Commands that rank accept an "
             "input instead of a store; they build a temporary store from it.",
     .groups = {{.title = "Input", .options = mr_import_options, .base = 0}},
     .print = print_grammar},
    {.name = "profiles",
     .summary = "which spellings of a URL are one page",
     .print = mr_profile_help},
    {.name = "exit-codes", .summary = "what the exit code says", .print = print_exit_codes},
    {0},
};

static const struct mr_program program = {
    .text = "Millrace ranks the pages of a web crawl by their links. A store on disk has the "
            "links, billions of them. Millrace reads them from the disk again and again, and "
            "keeps little more than one number per page in memory.",
    .sections = sections,
    .topics = topics,
    .exit_codes = exit_codes,
    .examples = "  millrace build -o web.mill links.txt.gz\n"
                "  millrace pagerank web.mill -o scores.tsv --top 10\n"
                "  millrace precedence scores.tsv -o precedence.txt\n",
};

static const struct mr_command *find_command(const char *name)
{
    for (const struct mr_command_section *s = sections; s->title != NULL; s++) {
        for (size_t i = 0; s->commands[i] != NULL; i++) {
            if (strcmp(s->commands[i]->name, name) == 0) {
                return s->commands[i];
            }
        }
    }
    return NULL;
}

/* Names that other programs use, each with the command that does the same. */
static const char *const synonyms[][2] = {
    {"import", "build"},
    {"load", "build"},
    {"rank", "pagerank"},
    {"stats", "info"},
    {"next", "pagerank --next"},
    {"status", "info"},
    {"verify", "check"},
    {"reverse", "transpose"},
    {"search", "find"},
    {"diff", "compare"},
    {"levels", "precedence"},
    {"aggregate", "fold"},
    {"top", "pagerank"},
    {"add", "append"},
    {"links", "show --links-in --links-out"},
    {"query", "show"},
    {"grep", "find"},
    {"summary", "info"},
    {"explain", "why"},
    {"changes", "compare"},
    {"certificate", "certify"},
    {"plot", "report"},
    {"domains", "fold --by domain"},
    {"subgraph", "export --vertex-list"},
    {"closeness", "harmonic --score-columns closeness"},
};

static const char *command_meant(const char *word)
{
    struct mr_spelling spelling = {.word = word};

    for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++) {
        if (strcmp(word, synonyms[i][0]) == 0) {
            return synonyms[i][1];
        }
    }
    for (const struct mr_command_section *s = sections; s->title != NULL; s++) {
        for (size_t i = 0; s->commands[i] != NULL; i++) {
            mr_spelling_consider(&spelling, s->commands[i]->name);
        }
    }
    mr_spelling_consider(&spelling, "help");
    mr_spelling_consider(&spelling, "version");
    return mr_spelling_best(&spelling);
}

static const struct mr_topic *find_topic(const char *name)
{
    for (const struct mr_topic *t = topics; t->name != NULL; t++) {
        if (strcmp(name, t->name) == 0) {
            return t;
        }
    }
    return NULL;
}

static int unknown_command(const char *word)
{
    struct mr_error err = {0};
    const char *nearest = command_meant(word);
    enum mr_status status;

    if (find_topic(word) != NULL) {
        status = mr_error_set(&err, MR_ERROR_USAGE, "%s is no command; see 'millrace help %s'",
                              word, word);
    } else if (mr_store_probe(word)) {
        status = mr_error_set(&err, MR_ERROR_USAGE,
                              "%s is a store; a command comes first, such as 'millrace info %s'",
                              word, word);
    } else if (mr_io_exists(word)) {
        status = mr_error_set(&err, MR_ERROR_USAGE,
                              "%s is a file or directory; a command comes first, such as 'millrace "
                              "pagerank %s'",
                              word, word);
    } else if (word[0] == '-') {
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
    mr_help_wrap(program.text, 0, 0, out);
    for (const struct mr_command_section *s = sections; s->title != NULL; s++) {
        (void)fprintf(out, "\n%s:\n", s->title);
        for (size_t i = 0; s->commands[i] != NULL; i++) {
            (void)fprintf(out, "  %-11s %s\n", s->commands[i]->name, s->commands[i]->summary);
        }
    }
    (void)fprintf(out, "\nHelp:\n  %-11s %s\n", "help",
                  "explain a command (help COMMAND) or a topic");
    for (const struct mr_topic *t = topics; t->name != NULL; t++) {
        (void)fprintf(out, "  help %-11s %s\n", t->name, t->summary);
    }
    (void)fprintf(out, "  %-11s %s\n\nExamples:\n%s", "version",
                  "print the version of the program and its libraries", program.examples);
}

/* One screen: the names of the commands. */
static void print_short_usage(FILE *out)
{
    (void)fprintf(out, "Usage: millrace COMMAND [OPTIONS] [FILES]\n%.*s.\n\n",
                  (int)mr_option_gist(program.text), program.text);
    for (const struct mr_command_section *s = sections; s->title != NULL; s++) {
        int column = fprintf(out, "  %-26s", s->title);
        for (size_t i = 0; s->commands[i] != NULL; i++) {
            mr_help_wrap_word(s->commands[i]->name, 28, &column, out);
        }
        (void)fputc('\n', out);
    }
    (void)fprintf(
        out,
        "\nExamples:\n%s\n"
        "'millrace help' says what the commands do, 'millrace COMMAND -h' lists options,\n"
        "'millrace help COMMAND' explains them all.\n",
        program.examples);
}

static void print_version(void)
{
    printf("millrace %s, %s, %s\n", mr_version(), BUILD_KIND, COMPILER);
    printf("libraries: zstd %s, zlib %s, jansson %s\n", ZSTD_versionString(), zlibVersion(),
           jansson_version_str());
    printf("key decoder: %s\n", mr_pass_decoder_name());
}

static void print_topic(const struct mr_topic *topic)
{
    if (topic->text != NULL) {
        mr_help_wrap(topic->text, 0, 0, stdout);
    }
    if (topic->groups[0].title != NULL) {
        mr_options_help(topic->groups, stdout);
    }
    if (topic->print != NULL) {
        topic->print(stdout);
    }
}

static void print_help_of_help(void)
{
    printf("Usage: millrace help [COMMAND|TOPIC]\n\n");
    mr_help_wrap("Prints the list of commands, or explains a command or a topic. 'millrace COMMAND "
                 "--help' does the same, and 'millrace COMMAND -h' prints a short list of options. "
                 "The man pages (man millrace, man millrace-build) have the same text.",
                 0, 0, stdout);
    printf("\nTopics:\n");
    for (const struct mr_topic *t = topics; t->name != NULL; t++) {
        printf("  %-11s %s\n", t->name, t->summary);
    }
}

/* `millrace help --man [PAGE]`, `--markdown`, `--fields` and `--completion SHELL`, which no help
 * text lists: the build calls them to make the files that it installs. */
static int print_made_file(int argc, char **argv)
{
    struct mr_error err = {0};
    const char *what = argv[2], *name = argc > 3 ? argv[3] : NULL;

    if (strcmp(what, "--man") == 0 && name == NULL) {
        mr_manual_list(&program, stdout);
        return 0;
    }
    if (strcmp(what, "--markdown") == 0 && name == NULL) {
        mr_manual_markdown(&program, stdout);
        return 0;
    }
    if (strcmp(what, "--fields") == 0 && name == NULL) {
        mr_kind_print_fields(stdout);
        return 0;
    }
    const bool is_man = strcmp(what, "--man") == 0;
    if (name != NULL && (is_man ? mr_manual_print(&program, name, stdout)
                                : mr_completion_print(&program, name, stdout))) {
        return 0;
    }
    return mr_session_exit_code(
        mr_error_set(&err, MR_ERROR_USAGE,
                     "help %s %s: not known; 'help --man' lists the pages, and completion is for "
                     "bash, zsh and fish",
                     what, name != NULL ? name : ""),
        &err);
}

static void print_help_of_version(void)
{
    printf("Usage: millrace version\n\nPrints the version of the program and its libraries.\n");
}

static bool is_request_for_help(const char *argument)
{
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

/* `millrace help` and `millrace help COMMAND`. Further arguments are ignored. */
static int run_help(int argc, char **argv)
{
    const char *name = argc > 2 ? argv[2] : NULL;

    if (name != NULL && (strcmp(name, "--man") == 0 || strcmp(name, "--markdown") == 0 ||
                         strcmp(name, "--fields") == 0 || strcmp(name, "--completion") == 0)) {
        return print_made_file(argc, argv);
    }
    if (name != NULL && (strcmp(name, "help") == 0 || is_request_for_help(name))) {
        print_help_of_help();
        return 0;
    }
    if (name == NULL || name[0] == '-') {
        print_usage(stdout);
        return 0;
    }
    if (strcmp(name, "version") == 0) {
        print_help_of_version();
        return 0;
    }
    const struct mr_topic *topic = find_topic(name);
    if (topic != NULL) {
        print_topic(topic);
        return 0;
    }
    const struct mr_command *command = find_command(name);
    if (command == NULL) {
        return unknown_command(name);
    }
    mr_command_help(command, stdout);
    return 0;
}

/* Threads that wait for one another spin for some 20 us, then they sleep. By OpenMP's own rule they
 * spin for milliseconds, which takes the processor from other programs and, on a busy machine, from
 * the thread that all wait for. Only the start of the OpenMP runtime reads the environment, so the
 * program starts once more. What the user sets stays; where it cannot start again it goes on. */
static void let_threads_sleep(char **argv)
{
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (getenv("OMP_WAIT_POLICY") == NULL && getenv("GOMP_SPINCOUNT") == NULL && length > 0 &&
        setenv("GOMP_SPINCOUNT", "1000", 1) == 0) {
        path[length] = 0;
        (void)execv(path, argv);
    }
}

static int run_words(int argc, char **argv)
{
    add_kinds();
    if (argc < 2) {
        print_short_usage(stderr);
        return MR_ERROR_USAGE;
    }
    if (strcmp(argv[1], "-h") == 0) {
        print_short_usage(stdout);
        return 0;
    }
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0) {
        return run_help(argc, argv);
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0 ||
        strcmp(argv[1], "version") == 0) {
        if (argc > 2 && is_request_for_help(argv[2])) {
            print_help_of_version();
            return 0;
        }
        print_version();
        return 0;
    }
    const struct mr_command *command = find_command(argv[1]);
    if (command == NULL) {
        return unknown_command(argv[1]);
    }
    let_threads_sleep(argv);
    return mr_command_run(command, argc, argv);
}

/* Set when the command is over. The OpenMP runtime ends the process itself, with exit code 1, when
 * the machine has no memory or threads for it. */
static bool is_over;

static void explain_exit(int code, void *unused)
{
    (void)unused;
    if (!is_over && code != 0) {
        struct mr_error err = {0};
        _exit(mr_session_exit_code(
            mr_error_set(&err, MR_ERROR_BUDGET,
                         "the OpenMP runtime has too little memory or too few threads; give less "
                         "--threads, or raise the limits of the machine (ulimit -u, ulimit -v)"),
            &err));
    }
}

/* A standard file that is closed stays unusable: without this an output would get its number, and
 * what is printed would get into that output. */
static void keep_standard_numbers(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0) {
            (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

int main(int argc, char **argv)
{
    keep_standard_numbers();
    (void)on_exit(explain_exit, NULL);
    mr_json_keep_reserve();
    struct mr_error stacks = {0};
    const enum mr_status status =
        mr_memory_check_stacks(&stacks); /* commands need more than main */
    const int code =
        status == MR_OK ? run_words(argc, argv) : mr_session_exit_code(status, &stacks);
    is_over = true;
    /* A command has flushed its output already; help and the version have not. */
    if (code == 0 && (fflush(stdout) != 0 || ferror(stdout) != 0)) {
        struct mr_error err = {0};
        return mr_session_exit_code(
            mr_error_file(&err, MR_ERROR_RUNTIME, "standard output", errno, "cannot write"), &err);
    }
    return code;
}
