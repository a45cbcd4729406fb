// Limits of reading a site. Where one ends the reading, what was read stays, nothing is removed, and the run says so.
export const siteLimits = {
  /** Pages that are fetched, unless the user says otherwise, and at most. */
  usualPages: 1000,
  maxPages: 20_000,
  /** Links between the start and a page. */
  usualDepth: 16,
  maxDepth: 64,
  /** Bytes of all pages, unpacked. */
  bytes: 512 * 1024 * 1024,
  milliseconds: 60 * 60_000,
  pageBytes: 8 * 1024 * 1024,
  /** Addresses that wait to be fetched. */
  waiting: 50_000,
  linksOfPage: 2000,
  addressLength: 1000,
  pathSegments: 16,
  /** How often a path may have the same segment: `/a/b/a/b/` never ends. */
  sameSegments: 2,
  robotsBytes: 512 * 1024,
  /** A longer crawl-delay counts as this one. */
  delayMs: 60_000,
  sitemaps: 50,
  sitemapBytes: 32 * 1024 * 1024,
  sitemapEntries: 50_000,
  /** Bytes of all sitemaps, unpacked. */
  allSitemapBytes: 128 * 1024 * 1024,
  sitemapDepth: 3,
} as const
