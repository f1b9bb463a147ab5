{"url": "http://a.org/", "links": ["http://a.org/x"], "timestamp": 1700000000}
{"url": "http://a.org/", "links": ["http://a.org/x", "http://b.org/", "http://c.org/1"], "timestamp": 1700090000}
{"url": "http://b.org/", "links": ["http://a.org/", "http://c.org/2", "http://e.org/"], "timestamp": 1700090077}
{"url": "http://c.org/2", "links": ["http://a.org/"], "timestamp": 1700000002}
{"url": "http://c.org/2", "links": ["http://a.org/", "http://c.org/2", "http://d.org/"], "timestamp": 1700090154}
