#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tidy.py: what a reader should not have to hold, in the C sources below the current directory; one line each.

  tags          a tag that several structs have
  declarations  a function of a header that nobody calls, or only the file that defines it (it is static, then)
  fields        a field of a struct that nobody names, or that is read and never set

The sources are read as text, so each check takes a name for what it looks like: a field counts as set if any field of
this name is. The lists name what is known; they may only get shorter, but for what a check cannot see.
"""
import collections
import pathlib
import re

# keys_state is what each decoder of keys defines for engine/tile/key_loops.h.
TAGS_TWICE = {"keys_state"}
# These are set by their position.
SET_BY_POSITION = {"is_default", "log_x", "log_y"}

FOLDERS = "algorithms bench bindings cli engine examples formats generators include library tests".split()
SHIPPED = tuple(f"{name}/" for name in FOLDERS if name not in ("bench", "bindings", "examples", "tests"))
NOISE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
NAME = re.compile(r"\b[A-Za-z_]\w*\b")
PROTOTYPE = re.compile(r"^[A-Za-z][^;{}#]*?\b(mr_\w+)\([^;{}]*\)[^;{}()]*;", re.M)
INLINE = re.compile(r"^(?:static )?inline [^;{}#]*?\b(mr_\w+)\(", re.M)


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


def without_callers(texts, exported):
    uses = collections.defaultdict(collections.Counter)
    for path, text in texts.items():
        for name in NAME.findall(text):
            uses[name][path] += 1
    for header, text in texts.items():
        if not header.endswith(".h") or not header.startswith(SHIPPED):
            continue
        for name in PROTOTYPE.findall(text):
            others = {path: n for path, n in uses[name].items() if path != header}
            if name in exported or uses[name][header] > 1 or len(others) > 1:
                continue
            if sum(others.values()) <= 1:
                yield f"{header}: nobody calls {name}"
            else:
                yield f"{header}: only {next(iter(others))} calls {name}, which is static, then"
        for name in INLINE.findall(text):
            if sum(uses[name].values()) == 1:
                yield f"{header}: nobody calls {name}"


def unset_fields(texts, shipped):
    everything = "\n".join(texts.values())
    tokens = collections.Counter(NAME.findall(everything))
    # Before the name of a member: what takes its address or changes it; behind it: an assignment, or a member of it.
    members = collections.Counter(re.findall(r"(?:\.|->)\s*([A-Za-z_]\w*)", everything))
    assigned = set(re.findall(r"(?:\.|->)\s*(\w+)\b(?=(?:\s*\[[^\]]*\])*\s*(?:(?:[-+*/|&^%]|<<|>>)?=(?!=)|\+\+|--|\.|->|\[))",
                              everything))
    for chain in re.findall(r"(?:&|\+\+|--)\s*(\w+(?:(?:\.|->)\w+|\[[^\]]*\])+)", everything):
        assigned.update(re.findall(r"(?:\.|->)(\w+)", chain))
    for chain in re.findall(r"offsetof\([^,()]*,\s*([\w.]+)\)", everything):
        assigned.update(chain.split("."))
    found = collections.defaultdict(list)
    for path, text in shipped.items():
        for tag, body in structs(text):
            if path.startswith("include/") or tag.startswith("Arrow"):
                continue # others set them
            for name, is_array in fields(body):
                found[name].append((path, tag, is_array))
    for name, where in sorted(found.items()):
        path, tag, _ = where[0]
        if tokens[name] == len(where):
            yield f"{path}: nobody names the field {name} of struct {tag}"
        elif (members[name] and tokens[name] == members[name] + len(where) and name not in assigned | SET_BY_POSITION
              and not any(is_array for _, _, is_array in where)):
            yield f"{path}: nobody sets the field {name} of struct {tag}"


def main():
    texts = read_sources()
    shipped = {path: text for path, text in texts.items() if path.startswith(SHIPPED) and not path.endswith("_test.c")}
    exported = set(pathlib.Path("tests/exported_symbols.txt").read_text().split())
    for check in (tags_twice(shipped), without_callers(texts, exported), unset_fields(texts, shipped)):
        for line in check:
            print(line)


if __name__ == "__main__":
    main()
