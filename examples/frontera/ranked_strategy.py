# SPDX-License-Identifier: Apache-2.0
"""Hands out the pages of a file of Millrace, URL<TAB>SCORE, in the order of their scores, and no others."""
from frontera.core.components import States
from frontera.strategy import BaseCrawlingStrategy


class RankedStrategy(BaseCrawlingStrategy):
    def read_seeds(self, stream):
        for line in stream:
            url, score = line.decode().rstrip("\n").split("\t")
            request = self.create_request(url)
            self.refresh_states([request])
            if request.meta[b"state"] == States.NOT_CRAWLED:
                request.meta[b"state"] = States.QUEUED
                self.schedule(request, float(score))

    def page_crawled(self, response):
        response.meta[b"state"] = States.CRAWLED
        self._manager.backend.page_crawled(response)  # without a DB worker: keeps the metadata table

    def request_error(self, request, error):
        request.meta[b"state"] = States.ERROR
        self._manager.backend.request_error(request, error)

    def filter_extracted_links(self, request, links):
        return []

    def links_extracted(self, request, links):
        pass

    def finished(self):
        return self._manager.backend.queue.count() == 0
