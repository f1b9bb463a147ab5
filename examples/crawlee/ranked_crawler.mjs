// SPDX-License-Identifier: Apache-2.0
// Fetches the pages of a list, one URL a line, in its order, and saves their links: node ranked_crawler.mjs LIST DATASET
import { readFileSync } from 'node:fs';
import { CheerioCrawler, Dataset } from '@crawlee/cheerio';

const [list, name] = process.argv.slice(2);
const dataset = await Dataset.open(name);

const crawler = new CheerioCrawler({
  maxConcurrency: 1, // more at once keep the order roughly
  maxRequestRetries: 0,
  respectRobotsTxtFile: true,
  onSkippedRequest: ({ url }) => dataset.pushData({ url, statusCode: 'blocked' }), // it is in no queue
  ignoreHttpErrorStatusCodes: [403, 429, 500, 502, 503, 504], // these answers are saved, too
  preNavigationHooks: [(_, options) => { options.followRedirect = false; }],
  async requestHandler({ request, response, $ }) {
    const { statusCode } = response;
    let links = [];
    if (response.headers.location) {
      links = [response.headers.location];
    } else if (statusCode === 200 && $) {
      links = $('a[href], area[href]').map((_, e) => $(e).attr('href')).get()
        .concat($('iframe[src], frame[src]').map((_, e) => $(e).attr('src')).get());
    }
    links = links.filter((link) => URL.canParse(link, request.url)).map((link) => new URL(link, request.url).href);
    await dataset.pushData({ url: request.url, statusCode, crawledAt: new Date().toISOString(), links });
  },
});
await crawler.run(readFileSync(list, 'utf8').split('\n').filter(Boolean));
