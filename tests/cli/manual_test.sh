#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Man pages and completions: groff and man find nothing wrong, and everything that bash completes is
# what the program accepts.
. "$(dirname "$0")/lib.sh"

begin "man pages"
run help --man
exits 0
cp "$root/stdout" pages.txt
[ "$(wc -l <pages.txt)" -ge 30 ] || fail "only $(wc -l <pages.txt) pages"
names=()
while read -r page; do
    run help --man "$page"
    exits 0
    mv "$root/stdout" "$page"
    names+=("$page")
done <pages.txt
if command -v groff >/dev/null; then
    groff -man -Tascii -ww -rLL=78n "${names[@]}" >text 2>warnings || fail "groff fails"
    [ ! -s warnings ] || fail "$(head -3 warnings)" # with the name of the page
    col -b <text >plain 2>/dev/null || cp text plain
    [ "$(grep -c '^NAME' plain)" = ${#names[@]} ] || fail "a page has no NAME"
fi
if command -v mandoc >/dev/null; then
    mandoc -T lint -W warning "${names[@]}" | grep -v "missing date" >lint # there is no release yet
    [ ! -s lint ] || fail "$(head -3 lint)"
fi

begin "the text of a page is that of the help"
run help pagerank
cp "$root/stdout" help.txt
grep -oE -- '--[a-z-]+' help.txt | sort -u >in_help
"$MILLRACE" help --man pagerank | grep -v '^[.]."' | sed 's/\\-/-/g' | grep -oE -- '--[a-z-]+' | sort -u >in_page
diff in_help in_page >differ || fail "$(cat differ)"

begin "pages and shells that are not there"
run help --man nothing
exits 2
run help --completion tcsh
exits 2
stderr_is <<'END'
millrace: help --completion tcsh: not known; 'help --man' lists the pages, and completion is for bash, zsh and fish
END

begin "bash completes commands, options and values"
"$MILLRACE" help --completion bash >"$root/millrace.bash"
# complete_words WORD...: what bash offers for the last word.
complete_words() {
    bash -c '
        . "$1"
        shift
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        _millrace
        printf "%s\n" "${COMPREPLY[@]}"' bash "$root/millrace.bash" "$@"
}
offers() {
    local expected=$1
    shift
    local got
    got=$(complete_words "$@" | tr '\n' ' ')
    [ "$got" = "$expected" ] || fail "$*: offers '$got' instead of '$expected'"
}
mkdir directory
touch links.txt
offers "pagerank " millrace pager
offers "--precision " millrace pagerank x --prec
offers "double single " millrace pagerank x --precision ""
offers "single " millrace pagerank x --precision s
offers "double single " millrace pagerank x --precision =
offers "single " millrace pagerank x --precision = s
offers "links.txt " millrace build lin
offers "links.txt " millrace build -o out --vertex-list lin
offers "directory " millrace info x --tmp d
offers "plain " millrace build x --codec ""
offers " " millrace pagerank x --damping ""
offers "pagerank " millrace help pagerank
offers "profiles " millrace help prof

begin "the options that bash offers are those of the help, which the test option_tables tries one by one"
checked=0
for command in $("$MILLRACE" help --man | sed -n 's/^millrace-\(.*\)\.1$/\1/p'); do
    text=$("$MILLRACE" help "$command")
    for option in $(complete_words millrace "$command" --); do
        [[ $text =~ [^a-z0-9-]$option([^a-z0-9-]|$) ]] || fail "$command: $option is not in its help"
        checked=$((checked + 1))
    done
done
[ "$checked" -gt 300 ] || fail "checked only $checked options"

begin "the commands in Markdown have the text of every option, or a link to a chapter that has it"
run help --markdown
exits 0
checked=0
for command in $("$MILLRACE" help --man | sed -n 's/^millrace-\(.*\)\.1$/\1/p'); do
    chapter_of() { awk -v name="## $1" '/^## /{inside = $0 == name} inside' "$root/stdout"; }
    chapter_of "$command" | sed 's/^| Explained at //; s/<br>\[/\n| [/g' >chapter.txt
    for option in $(complete_words millrace "$command" -- | grep -vx -- --help); do
        grep -qE "^\| (\`-.\`, )?\`$option[ \`].* \| .{8}" chapter.txt || {
            place=$(sed -n "s/^| \[\([a-z-]*\)\](.*\`$option\`.*/\1/p" chapter.txt)
            chapter_of "$place" >place.txt
            grep -qE "^\| (\`-.\`, )?\`$option[ \`].* \| .{8}" place.txt ||
                fail "docs/commands.md does not explain $command $option"
        }
        checked=$((checked + 1))
    done
done
[ "$checked" -gt 300 ] || fail "checked only $checked options"

begin "a key completes in a real shell, also beside a folder with the name of a command"
for shell in bash zsh; do
    script=$PWD/millrace.$shell
    "$MILLRACE" help --completion $shell >"$script"
    python3 "$tests_dir/shells.py" $shell "$script" "$MILLRACE" 2>errors
    result=$?
    [ $result = 0 ] || [ $result = 77 ] || fail "$(cat errors)"
done

begin "zsh and fish accept their scripts"
for shell in zsh fish; do
    run help --completion $shell
    exits 0
    cp "$root/stdout" "script.$shell"
    has "script.$shell" precision
    has "script.$shell" "double single"
    if command -v $shell >/dev/null; then
        $shell -n "script.$shell" 2>errors || fail "$shell: $(head -3 errors)"
    fi
done
if command -v fish >/dev/null; then
    offered=$(XDG_DATA_HOME=$PWD XDG_CONFIG_HOME=$PWD fish -c \
        'source script.fish; complete -C "millrace pagerank --precision "' 2>errors | cut -f 1 | tr '\n' ' ')
    [ "$offered" = "double single " ] || fail "fish offers '$offered'; $(head -3 errors)"
    XDG_DATA_HOME=$PWD XDG_CONFIG_HOME=$PWD fish -c 'source script.fish; complete -C "millrace pagerank --damp"' \
        >offered 2>errors
    grep -q "a page's score" offered || fail "fish: $(cat offered)"
fi

finish
