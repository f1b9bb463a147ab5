#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Connected components of a list of links, independent of Millrace.

Reads lines `source target` (numbers) from standard input, prints `name<TAB>weak<TAB>strong<TAB>part`
for each page in ascending order. Components come from Tarjan's algorithm and from union-find, the
parts of the bow-tie from searches in breadth. All of it is in memory.
"""
import sys


def read_links(lines):
    links = []
    for line in lines:
        fields = line.split()
        if not fields or line[0] == "#":
            continue
        links.append((int(fields[0]), int(fields[1])))
    names = sorted({v for link in links for v in link})
    number = {name: i for i, name in enumerate(names)}
    return names, [(number[u], number[v]) for u, v in links]


def lists(n, links):
    result = [[] for _ in range(n)]
    for u, v in links:
        result[u].append(v)
    return result


def weak_labels(n, links):
    parent = list(range(n))

    def root(v):
        while parent[v] != v:
            parent[v] = parent[parent[v]]
            v = parent[v]
        return v

    for u, v in links:
        u, v = root(u), root(v)
        parent[max(u, v)] = min(u, v)
    return [root(v) for v in range(n)]


def strong_labels(n, successors):
    """Tarjan 1972, with a stack instead of recursion."""
    index, low, label = [0] * n, [0] * n, [-1] * n
    stack, counter = [], 0
    for start in range(n):
        if index[start]:
            continue
        counter += 1
        index[start] = low[start] = counter
        stack.append(start)
        path = [(start, iter(successors[start]))]
        while path:
            v, rest = path[-1]
            for w in rest:
                if not index[w]:
                    counter += 1
                    index[w] = low[w] = counter
                    stack.append(w)
                    path.append((w, iter(successors[w])))
                    break
                if label[w] < 0:
                    low[v] = min(low[v], index[w])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[v])
                if low[v] == index[v]:
                    members = []
                    while not members or members[-1] != v:
                        members.append(stack.pop())
                    first = min(members)
                    for w in members:
                        label[w] = first
    return label


def reached(start, successors):
    seen = {start}
    todo = [start]
    for v in todo:
        for w in successors[v]:
            if w not in seen:
                seen.add(w)
                todo.append(w)
    return seen


def main():
    names, links = read_links(sys.stdin)
    n = len(names)
    successors = lists(n, links)
    weak, strong = weak_labels(n, links), strong_labels(n, successors)
    size = [0] * n
    for label in strong:
        size[label] += 1
    core = size.index(max(size)) if n else 0
    out = reached(core, successors) if n else set()
    into = reached(core, lists(n, [(v, u) for u, v in links])) if n else set()
    for v in range(n):
        if strong[v] == core:
            part = "core"
        elif v in into:
            part = "in"
        elif v in out:
            part = "out"
        elif weak[v] == weak[core]:
            part = "tendrils"
        else:
            part = "disconnected"
        print(names[v], names[weak[v]], names[strong[v]], part, sep="\t")


main()
