import { gzipSync } from "node:zlib"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  localSite,
  sourceRuns,
  type Answers,
  type LocalSite,
  type RunOptions,
  type SourceRuns,
} from "../fixtures/source-runs.ts"
import type { NewSource } from "../sources/registry.ts"

let runs: SourceRuns
const sites: LocalSite[] = []

beforeEach(() => void (runs = sourceRuns()))
afterEach(async () => {
  await runs.delete()
  for (const site of sites.splice(0)) await site.close()
})

async function open(answer: Answers): Promise<LocalSite> {
  const site = await localSite(answer)
  sites.push(site)
  return site
}

/** HTML pages by path; a page of links for an array; 404 for the rest. */
function pages(all: Readonly<Record<string, string | readonly string[]>>): Answers {
  return ({ url = "" }, response) => {
    const page = all[url]
    if (page === undefined) return void response.writeHead(404).end()
    if (url === "/robots.txt") return void response.setHeader("content-type", "text/plain").end(page)
    const html =
      typeof page === "string" ? page : `<p>Page ${url}</p>${page.map((link) => `<a href="${link}">x</a>`).join("")}`
    response.setHeader("content-type", "text/html").end(html)
  }
}

function read({ origin }: LocalSite, path = "/", source: Partial<NewSource> = {}, more: RunOptions = {}) {
  return runs.run({ kind: "site", root: `${origin}${path}`, ...source }, more)
}

function paths(site: LocalSite): readonly string[] {
  return runs.names().map((name) => name.replace(site.origin, ""))
}

describe("a site", () => {
  it("is read from its start and its sitemaps, within its origin and folder", async () => {
    const site = await open((request, response) => {
      const { url = "" } = request
      if (url === "/robots.txt") return void response.end(`Sitemap: ${site.origin}/maps.xml`)
      if (url === "/maps.xml")
        return void response.end(`<sitemapindex><sitemap><loc>${site.origin}/one.xml.gz</loc></sitemap></sitemapindex>`)
      const listed = ["/docs/listed?page=1", "/blog/other", "http://elsewhere.example/docs/"]
      if (url === "/one.xml.gz")
        return void response.end(
          gzipSync(
            `<urlset>${listed.map((page) => `<url><loc>${page.startsWith("/") ? site.origin : ""}${page}</loc></url>`).join("")}</urlset>`,
          ),
        )
      const links = [
        "guide#part",
        "/docs/guide",
        "/blog/x",
        "http://elsewhere.example/",
        "/docs/a.png",
        "?sort=1",
        "mailto:a@b",
      ]
      pages({ "/docs/": links, "/docs/guide": [], "/docs/listed?page=1": [] })(request, response)
    })
    expect(await read(site, "/docs/")).toMatchObject({ outcome: "done", problems: [] })
    expect(paths(site)).toEqual(["/docs/", "/docs/guide", "/docs/listed?page=1"])
    expect(site.requests).not.toContain("/blog/other")
  })

  it("is asked only for what changed, and loses the pages that are gone", async () => {
    const all: Record<string, string | readonly string[]> = { "/": ["/a", "/b"], "/a": [], "/b": [] }
    const conditional: (string | undefined)[] = []
    const site = await open((request, response) => {
      const { url = "" } = request
      if (url !== "/a") return pages(all)(request, response)
      conditional.push(request.headers["if-none-match"])
      if (request.headers["if-none-match"] === '"1"') return void response.writeHead(304).end()
      response.setHeader("etag", '"1"')
      pages(all)(request, response)
    })
    await read(site)
    delete all["/b"]
    all["/"] = ["/a", "/b", "/c"]
    all["/c"] = []
    const again = await read(site)
    expect(conditional).toEqual([undefined, '"1"'])
    expect(again).toMatchObject({
      outcome: "done",
      unchanged: 1,
      added: [`${site.origin}/c`],
      removed: [`${site.origin}/b`],
    })
    all["/"] = ["/c"]
    expect(await read(site)).toMatchObject({ removed: [`${site.origin}/a`] })
  })

  it("keeps a page whose server fails", async () => {
    let isDown = false
    const site = await open((request, response) => {
      if (isDown && request.url === "/a") return void response.writeHead(500).end()
      pages({ "/": ["/a"], "/a": ["/b"], "/b": [] })(request, response)
    })
    await read(site)
    isDown = true
    expect(await read(site)).toMatchObject({
      outcome: "partial",
      removed: [],
      problems: [{ name: `${site.origin}/a`, reason: "the server answers 500" }],
    })
    expect(paths(site)).toEqual(["/", "/a", "/b"])
  })

  it("follows what its robots.txt and its pages say", async () => {
    const robots =
      "User-agent: *\nDisallow: /\n\nUser-agent: Turnhouse/1.0\nDisallow: /private\nAllow: /private/ok$\nCrawl-delay: 0\n"
    const site = await open(
      pages({
        "/robots.txt": robots,
        "/": ["/private/no", "/private/ok", "/private/ok2", "/hidden", "/copy", "/end"],
        "/private/ok": [],
        "/hidden": '<meta name="robots" content="noindex">Hidden <a href="/behind">x</a>',
        "/behind": [],
        "/copy": '<link rel="canonical" href="/original">Copy',
        "/original": [],
        "/end": '<meta name="robots" content="nofollow">End <a href="/unseen">x</a>',
        "/unseen": [],
      }),
    )
    const report = await read(site)
    expect(paths(site)).toEqual(["/", "/behind", "/end", "/original", "/private/ok"])
    expect(report.note).toBe("robots.txt does not allow 2 pages")
    expect(site.requests).not.toContain("/private/no")
  })

  it("follows what its server says in the header X-Robots-Tag", async () => {
    const headers: Readonly<Record<string, string>> = {
      "/hidden": "noindex",
      "/end": "nofollow",
      "/both": "turnhouse: none",
      "/other": "googlebot: noindex, max-snippet: 5",
    }
    const page = pages({
      "/": ["/hidden", "/end", "/both", "/other"],
      "/hidden": ["/behind"],
      "/behind": [],
      "/end": ["/unseen"],
      "/both": ["/unseen"],
      "/other": [],
      "/unseen": [],
    })
    const site = await open((request, response) => {
      response.setHeader("x-robots-tag", headers[request.url ?? ""] ?? "")
      page(request, response)
    })
    await read(site)
    expect(paths(site)).toEqual(["/", "/behind", "/end", "/other"])
  })

  it("is not read if robots.txt forbids all of it, or cannot be read", async () => {
    const closed = await open(pages({ "/robots.txt": "User-agent: *\nDisallow: /", "/": [] }))
    expect(await read(closed)).toMatchObject({ outcome: "failed", note: expect.stringContaining("does not allow it") })
    expect(closed.requests).toEqual(["/robots.txt"])
    const broken = await open((_, response) => response.writeHead(503).end())
    expect(await read(broken)).toMatchObject({ outcome: "failed", note: expect.stringContaining("robots.txt") })
  })

  it("that never ends is left at the limit of pages, and nothing is removed", async () => {
    const site = await open(({ url = "" }, response) => {
      if (url.endsWith(".txt") || url.endsWith(".xml")) return void response.writeHead(404).end()
      const links = Array.from(
        { length: 50 },
        (_, at) => `<a href="${url}${at}/">x</a><a href="/p${url.length}-${at}">x</a>`,
      )
      response.setHeader("content-type", "text/html").end(`<p>${url}</p>${links.join("")}`)
    })
    const options = { include: [], exclude: [], maxPages: 30 }
    expect(await read(site, "/", { options })).toMatchObject({
      outcome: "partial",
      note: "ended by the limit of 30 pages (--max-pages)",
      removed: [],
    })
    expect(site.requests).toHaveLength(32)
  })

  it("leads into no trap of repeated folders, queries or depth", async () => {
    const site = await open(({ url = "" }, response) => {
      if (url.endsWith(".txt") || url.endsWith(".xml")) return void response.writeHead(404).end()
      response
        .setHeader("content-type", "text/html")
        .end(`<p>${url}</p><a href="${url}a/">x</a><a href="?n=${url.length}">y</a>`)
    })
    expect(await read(site)).toMatchObject({ outcome: "done" })
    expect(paths(site)).toEqual(["/", "/a/", "/a/a/"])
    const deep = await open(pages({ "/": ["/1"], "/1": ["/2"], "/2": ["/3"], "/3": [] }))
    await read(deep, "/", { options: { include: [], exclude: [], maxDepth: 2 } })
    expect(paths(deep).filter((path) => path.startsWith("/"))).toEqual(["/", "/1", "/2"])
  })

  it("does not lead to private addresses, by redirects, sitemaps or its start", async () => {
    const site = await open((request, response) => {
      if (request.url === "/away") return void response.writeHead(302, { location: "http://10.0.0.1/secret" }).end()
      if (request.url === "/robots.txt") return void response.end("Sitemap: http://169.254.169.254/latest")
      pages({ "/": ["/away", "http://10.0.0.1/"] })(request, response)
    })
    const asked: string[] = []
    const fetching = {
      resolve: async (host: string) => (asked.push(host), ["127.0.0.1"]),
      isAllowed: (address: string) => address === "127.0.0.1",
    }
    expect(await read(site, "/", {}, { fetching })).toMatchObject({ outcome: "done", problems: [] })
    expect(paths(site)).toEqual(["/"])
    expect(new Set(asked)).toEqual(new Set(["site.example"]))
    const start = await open((request, response) => {
      if (request.url === "/robots.txt") return void response.writeHead(404).end()
      response.writeHead(302, { location: "http://10.0.0.1/" }).end()
    })
    expect(await read(start, "/", {}, { fetching })).toMatchObject({
      outcome: "failed",
      note: expect.stringContaining("10.0.0.1 is not a public address"),
    })
    expect(await read(site, "/", {}, { fetching: {} })).toMatchObject({ outcome: "failed" })
  })

  it("survives a sitemap that unpacks to too much, is damaged, or names itself", async () => {
    const bomb = gzipSync(Buffer.alloc(40 * 1024 * 1024, " "))
    const site = await open((request, response) => {
      if (request.url === "/robots.txt")
        return void response.end(`Sitemap: ${site.origin}/bomb.gz\nSitemap: ${site.origin}/self.xml`)
      if (request.url === "/bomb.gz") return void response.end(bomb)
      if (request.url === "/self.xml")
        return void response.end(`<sitemapindex><sitemap><loc>${site.origin}/self.xml</loc></sitemap><sitemap><loc>`)
      pages({ "/": ["/a"], "/a": [] })(request, response)
    })
    expect(await read(site)).toMatchObject({
      outcome: "done",
      note: `${site.origin}/bomb.gz: it is damaged or unpacks to too much`,
    })
    expect(paths(site)).toEqual(["/", "/a"])
    expect(site.requests.filter((path) => path === "/self.xml")).toHaveLength(1)
  })

  it("is left when its server asks for fewer requests", async () => {
    const site = await open((request, response) => {
      if (request.url === "/a") return void response.writeHead(429).end()
      pages({ "/": ["/a", "/b", "/c"], "/b": [], "/c": [] })(request, response)
    })
    expect(await read(site)).toMatchObject({
      outcome: "partial",
      note: expect.stringContaining("fewer requests (429)"),
    })
    expect(paths(site)).toEqual(["/"])
  })

  it("stops with the signal", async () => {
    const stop = new AbortController()
    const site = await open((request, response) => {
      if (request.url === "/b") stop.abort()
      pages({ "/": ["/a", "/b", "/c"], "/a": [], "/b": [], "/c": [] })(request, response)
    })
    expect(await read(site, "/", {}, { signal: stop.signal })).toMatchObject({ outcome: "interrupted" })
    expect(paths(site)).toEqual(["/", "/a"])
  })
})
