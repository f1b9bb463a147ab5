#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Rounds of the N best pages until none is left: urlfrontier_loop.sh N, beside a URLFrontier on port 7071. seeds.txt has
# the first pages. URLFRONTIER_CLIENT is the jar of its client; wget fetches.
client() { java -cp "$URLFRONTIER_CLIENT" crawlercommons.urlfrontier.client.Client -p "${URLFRONTIER_PORT-7071}" "$@"; }
items() { # DATE: an item for each page; 0 is never
  sed 's/[\\"]/\\&/g; s/.*/{"known":{"info":{"url":"&"},"refetchableFromDate":"'"$1"'"}}/'
}
mkdir -p rounds
items 1 <seeds.txt >next-1.jsonl
for ((i = 1; ; i++)); do
  round=$(printf 'rounds/%06d' "$i")
  client PutURLs -f "next-$i.jsonl"
  client GetURLs -q 1000 -m "${1-1000}" -d 3600 | sed -n 's/^url: "\(.*\)"$/\1/p' >"asked-$i.txt"
  wget -nv -O /dev/null --tries=1 --max-redirect=0 --warc-file="$round" -i "asked-$i.txt" || true
  items 0 <"asked-$i.txt" >done.jsonl
  client PutURLs -f done.jsonl
  client DumpURLs -o frontier.jsonl
  if [ -e crawl.mill ]; then
    millrace append crawl.mill "$round.warc.gz" --replace
  else
    millrace build -o crawl.mill "$round.warc.gz"
  fi
  millrace pagerank crawl.mill -o ranks.tsv --force
  millrace precedence ranks.tsv --fetched frontier.jsonl --next "${1-1000}" --crawler urlfrontier \
    -o "next-$((i + 1)).jsonl" || break
done
