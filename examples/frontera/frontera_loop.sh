#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Rounds of the N best pages until none is left: frontera_loop.sh N [OPTIONS OF SCRAPY]. seeds.txt has the first pages.
export PYTHONPATH=.
frontera=frontera.contrib.scrapy
mkdir -p rounds
sed 's/$/\t0/' seeds.txt >scores-1.tsv
for ((i = 1; ; i++)); do
  round=$(printf 'rounds/%06d.jl' "$i")
  python3 -m frontera.utils.add_seeds --config frontier_settings --seeds-file "scores-$i.tsv"
  scrapy runspider ranked.py -o "$round" -s FRONTERA_SETTINGS=frontier_settings \
    -s SCHEDULER=$frontera.schedulers.frontier.FronteraScheduler \
    -s SPIDER_MIDDLEWARES="{\"$frontera.middlewares.schedulers.SchedulerSpiderMiddleware\": 999}" \
    -s DOWNLOADER_MIDDLEWARES="{\"$frontera.middlewares.schedulers.SchedulerDownloaderMiddleware\": 999}" "${@:2}"
  sqlite3 -csv -header frontier.db \
    "SELECT url, coalesce(status_code, error) AS status, fetched_at FROM metadata" >metadata.csv
  if [ -e crawl.mill ]; then
    millrace append crawl.mill "$round" --replace --gone "$round"
  else
    millrace build -o crawl.mill "$round"
  fi
  millrace pagerank crawl.mill -o ranks.tsv --force
  millrace precedence ranks.tsv --fetched metadata.csv --retries 1 --next "${1-1000}" --crawler frontera \
    -o "scores-$((i + 1)).tsv" || break
done
