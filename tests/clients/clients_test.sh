#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Scrapy itself in the loop of docs/crawlers/scrapy.md. ./dev clients runs all clients.
exec python3 -B "$MILLRACE_SOURCE_DIR/tests/clients/clients.py" "$MILLRACE" "$MILLRACE_SOURCE_DIR/build/clients" scrapy
