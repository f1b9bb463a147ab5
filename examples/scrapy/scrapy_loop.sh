#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Rounds of the N best pages until none is left: scrapy_loop.sh N [OPTIONS OF SCRAPY]. seeds.txt has the first pages.
mkdir -p rounds
sed 's/$/\t1/' seeds.txt >next-1.tsv
for ((i = 1; ; i++)); do
  round=$(printf 'rounds/%06d.jl' "$i")
  scrapy runspider ranked.py -a ranks="next-$i.tsv" -o "$round" "${@:2}"
  if [ -e crawl.mill ]; then
    millrace append crawl.mill "$round" --replace --gone "$round"
  else
    millrace build -o crawl.mill "$round"
  fi
  millrace pagerank crawl.mill -o ranks.tsv --force
  millrace precedence ranks.tsv --fetched rounds --retries 1 --next "${1-1000}" --crawler scrapy --levels 100 \
    -o "next-$((i + 1)).tsv" || break
done
