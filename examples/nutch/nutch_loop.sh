#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Rounds of the N best pages until none is due: nutch_loop.sh N. The directory `seeds` has the first pages.
nutch inject crawl/crawldb seeds
while nutch generate crawl/crawldb crawl/segments -topN "${1-50000}"; do
  segment=$(ls -d crawl/segments/* | tail -n 1)
  nutch fetch "$segment"
  nutch parse "$segment"
  nutch updatedb crawl/crawldb "$segment"
  if [ -e crawl.mill ]; then
    millrace append crawl.mill "$segment" crawl/crawldb --replace --gone crawl/crawldb
  else
    millrace build -o crawl.mill "$segment" crawl/crawldb
  fi
  millrace pagerank crawl.mill -o ranks.tsv --force
  mkdir -p ranked
  millrace precedence ranks.tsv --crawler nutch -o ranked/ranked.txt --force
  nutch inject crawl/crawldb ranked -update
done
