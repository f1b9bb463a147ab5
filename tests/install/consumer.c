/* A program as somebody else would write it, against the installed headers and libraries alone. It is
 * compiled as C and as C++, so it keeps to what both have. */
#include <millrace/millrace.h>

#include <stdio.h>
#include <string.h>

static struct mr_error err;

static int fail(const char *what)
{
    char text[1400];
    fprintf(stderr, "%s: %s\n", what, mr_error_text(&err, text, sizeof text));
    return 1;
}

int main(void)
{
    struct mr_context *context = NULL;

    puts(mr_version());
    if (mr_context_create(NULL, &context, &err) != MR_OK) {
        return fail("context");
    }
    mr_context_destroy(context);
    return strcmp(mr_version(), MR_VERSION);
}
