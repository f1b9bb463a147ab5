#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tidy.py: what a reader should not have to hold, in the C sources below the current directory; one line each.

  tags          a tag that several structs have
  declarations  a function of a header that nobody or only tests call, or only the file that defines it (it is static,
                then); a macro that nobody uses; an enum that has a tag and one value
  fields        a field of a struct that nobody names, sets or reads, that only tests set, or that is only set to 0

The sources are read as text, so each check takes a name for what it looks like: a field counts as set if any field of
this name is. The lists name what is known; they may only get shorter, but for what a check cannot see. The test tidy
shows that each check finds what it looks for.
"""
import collections
import pathlib
import re

# keys_state is what each decoder of keys defines for engine/tile/key_loops.h.
TAGS_TWICE = {"keys_state"}
# These are set by their position.
SET_BY_POSITION = {"is_default", "log_x", "log_y"}
# Tests look into a module with these, or make it work where little data would not.
ONLY_TESTS_CALL = {"mr_dictionary_runs", "mr_kron_vertex", "mr_line_order_disk_bytes"}
ONLY_TESTS_SET = {"keep_order", "no_lists", "sort_bytes", "window_ids"}

FOLDERS = "algorithms bench bindings cli engine examples formats generators include library tests".split()
SHIPPED = tuple(f"{name}/" for name in FOLDERS if name not in ("bench", "bindings", "examples", "tests"))
NOISE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
NAME = re.compile(r"\b[A-Za-z_]\w*\b")
PROTOTYPE = re.compile(r"^[A-Za-z][^;{}#]*?\b(mr_\w+)\([^;{}]*\)[^;{}()]*;", re.M)
INLINE = re.compile(r"^(?:static )?inline [^;{}#]*?\b(mr_\w+)\(", re.M)
MACRO = re.compile(r"^#[ \t]*define[ \t]+(\w+)", re.M)
# A member, and what sets it without reading it.
MEMBER = re.compile(r"(?:\.|->)\s*([A-Za-z_]\w*)(?:\s*\[[^\]]*\])*\s*"
                    r"(=(?!=)|(?:[-+*/|&^%]|<<|>>)=(?!=)|(?:\+\+|--);)?")
ZERO = re.compile(r"\s*(?:false|NULL|0|0\.0)\s*[,;}]")


def read_sources():
    texts = {}
    for folder in FOLDERS:
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if path.suffix in (".c", ".h", ".inc", ".cc"):
                texts[str(path)] = NOISE.sub(lambda m: " " if m[0][0] == "/" else '""', path.read_text())
    return texts


def structs(text):
    """The tag and the body of each struct with a body."""
    for match in re.finditer(r"\bstruct (\w+)\s*\{", text):
        end, depth = match.end(), 1
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        yield match[1], text[match.end():end - 1]


def fields(body):
    """The names of the fields; whether each is an array, which is set where it is passed."""
    for declaration in re.split(r"[;{}]", body):
        function = re.search(r"\(\*\s*(\w+)\)\s*\(", declaration)
        if function:
            yield function[1], False
        elif not re.fullmatch(r"\s*(?:(?:struct|union|enum)(?: \w+)?)?\s*", declaration):
            for part in declaration.split(","):
                field = re.search(r"(\w+)\s*((?:\[[^\]]*\]\s*)*)(?::\s*\d+\s*)?$", part.strip())
                if field:
                    yield field[1], bool(field[2])


def tags_twice(shipped):
    tags = collections.Counter(tag for text in shipped.values() for tag, _ in structs(text))
    found = {tag for tag, n in tags.items() if n > 1}
    for tag in sorted(found - TAGS_TWICE):
        yield f"struct {tag}: several structs have this tag"
    for tag in sorted(TAGS_TWICE - found):
        yield f"struct {tag}: one struct has this tag; it leaves the list of tests/tidy.py"


def without_callers(texts, program, shipped, exported):
    uses = collections.defaultdict(collections.Counter)
    for path, text in texts.items():
        for name in NAME.findall(text):
            uses[name][path] += 1
    excused = set(ONLY_TESTS_CALL)
    for header, text in shipped.items():
        for name in MACRO.findall(text):
            if sum(uses[name].values()) == 1 and name not in exported and not header.startswith("include/"):
                yield f"{header}: nobody uses the macro {name}"
        if not header.endswith(".h"):
            continue
        for name in PROTOTYPE.findall(text) + INLINE.findall(text):
            is_defined_here = uses[name][header] > 1 or name in INLINE.findall(text)
            others = {path: n for path, n in uses[name].items() if path != header}
            in_program = sum(n for path, n in others.items() if path in program) + is_defined_here
            if name in exported or uses[name][header] > 1:
                continue
            if sum(others.values()) + is_defined_here <= 1:
                yield f"{header}: nobody calls {name}"
            elif in_program <= 1:
                if name not in ONLY_TESTS_CALL:
                    yield f"{header}: only tests call {name}"
                excused.discard(name)
            elif len(others) == 1 and not is_defined_here:
                yield f"{header}: only {next(iter(others))} calls {name}, which is static, then"
    for name in sorted(excused):
        yield f"{name}: not only tests call it; it leaves the list of tests/tidy.py"


def one_value_enums(shipped):
    for path, text in shipped.items():
        for tag, body in re.findall(r"\benum (\w+)\s*\{([^}]*)\}", text):
            if len([value for value in body.split(",") if value.strip()]) == 1:
                yield f"{path}: enum {tag} has one value"


class Uses:
    """How a text uses the fields that it names."""

    def __init__(self, text):
        self.members = collections.Counter()
        self.reads = collections.Counter()
        self.values = collections.defaultdict(set) # what is assigned: "0" or "?"
        for match in MEMBER.finditer(text):
            self.members[match[1]] += 1
            if match[2] is None:
                self.reads[match[1]] += 1
            elif match[2] == "=":
                self.values[match[1]].add("0" if ZERO.match(text, match.end()) else "?")
            else:
                self.values[match[1]].add("?")
        # What is changed or addressed may be set there; what has a member or an element is set through it.
        for chain in re.findall(r"(?:&|\+\+|--)\s*(\w+(?:(?:\.|->)\w+|\[[^\]]*\])+)", text):
            for name in re.findall(r"(?:\.|->)(\w+)", chain):
                self.values[name].add("?")
        for name in re.findall(r"(?:\.|->)\s*(\w+)\b(?=(?:\s*\[[^\]]*\])*\s*(?:\+\+|--|\.|->|\[))", text):
            self.values[name].add("?")
        for chain in re.findall(r"offsetof\([^,()]*,\s*([\w.]+)\)", text):
            for name in chain.split("."):
                self.values[name].add("?")
        self.tokens = collections.Counter(NAME.findall(text))


def idle_fields(texts, program, shipped):
    everything, program = (Uses("\n".join(some.values())) for some in (texts, program))
    found = collections.defaultdict(list)
    for path, text in shipped.items():
        for tag, body in structs(text):
            if tag.startswith("Arrow"):
                continue # Arrow's
            for name, is_array in fields(body):
                found[name].append((path, tag, is_array))
    excused = set(ONLY_TESTS_SET)
    for name, where in sorted(found.items()):
        path, tag, _ = where[0]
        is_private = not any(path.startswith("include/") for path, _, _ in where)
        # A word that is no member may set or read the field: in a macro, or by its position.
        is_only_member = program.tokens[name] == program.members[name] + len(where)
        may_be_set = any(is_array for _, _, is_array in where) or name in SET_BY_POSITION or not is_only_member
        if everything.tokens[name] == len(where) and is_private:
            yield f"{path}: nobody names the field {name} of struct {tag}"
        elif is_only_member and not program.reads[name] and is_private:
            yield f"{path}: nobody reads the field {name} of struct {tag}"
        elif not may_be_set and is_private and not program.values[name]:
            if not everything.values[name]:
                yield f"{path}: nobody sets the field {name} of struct {tag}"
            elif name not in ONLY_TESTS_SET:
                yield f"{path}: only tests set the field {name} of struct {tag}"
            excused.discard(name)
        elif not may_be_set and is_private and program.values[name] == {"0"}:
            yield f"{path}: the field {name} of struct {tag} is only set to 0"
    for name in sorted(excused):
        yield f"{name}: not only tests set it; it leaves the list of tests/tidy.py"


def main():
    texts = read_sources()
    program = {path: text for path, text in texts.items()
               if not path.startswith("tests/") and not path.endswith("_test.c")}
    shipped = {path: text for path, text in program.items() if path.startswith(SHIPPED)}
    exported = set(pathlib.Path("tests/exported_symbols.txt").read_text().split())
    for check in (tags_twice(shipped), without_callers(texts, program, shipped, exported), one_value_enums(shipped),
                  idle_fields(texts, program, shipped)):
        for line in check:
            print(line)


if __name__ == "__main__":
    main()
