# SPDX-License-Identifier: Apache-2.0
"""Fetches the pages of a list of Millrace, the best ones first, and saves their links.

    scrapy runspider ranked.py -a ranks=next.tsv -o more.jl
"""
import time

import scrapy
from scrapy.exceptions import IgnoreRequest


class RankedSpider(scrapy.Spider):
    name = "ranked"
    custom_settings = {"HTTPERROR_ALLOW_ALL": True, "REDIRECT_ENABLED": False, "RETRY_ENABLED": False,
                       "ROBOTSTXT_OBEY": True}

    async def start(self):  # Scrapy before 2.13 calls start_requests itself
        for request in self.start_requests():
            yield request

    def start_requests(self):
        with open(self.ranks) as lines:
            pages = [line.rstrip("\n").split("\t") for line in lines]
        for url, priority in sorted(pages, key=lambda page: -int(page[1])):
            yield scrapy.Request(url, priority=int(priority), errback=self.failed)

    def parse(self, response):
        links = []
        if "Location" in response.headers:
            links = [response.headers["Location"].decode("latin-1")]
        elif response.status == 200 and isinstance(response, scrapy.http.TextResponse):
            links = response.css("a::attr(href), area::attr(href), iframe::attr(src), frame::attr(src)").getall()
        yield {"url": response.url, "status": response.status, "timestamp": int(time.time()),
               "links": [response.urljoin(link) for link in links]}

    def failed(self, failure):
        denied = failure.check(IgnoreRequest)  # by robots.txt
        yield {"url": failure.request.url, "status": "blocked" if denied else "timeout"}
