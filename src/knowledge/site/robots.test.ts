import { describe, expect, it } from "vitest"
import { readRobots } from "./robots.ts"
import { readSitemap } from "./sitemap.ts"
import { scopeOf, siteAddress } from "./site-address.ts"

function allowed(robots: string, path: string): boolean {
  return readRobots(robots, "turnhouse").allows(path)
}

describe("robots.txt", () => {
  it.for([
    ["", "/a", true],
    ["User-agent: *\nDisallow:", "/a", true],
    ["User-agent: *\nDisallow: /a", "/abc", false],
    ["User-agent: *\nDisallow: /a\nAllow: /ab", "/abc", true],
    ["User-agent: *\nDisallow: /ab\nAllow: /ab", "/abc", true],
    ["User-agent: *\nDisallow: /*.php$", "/a.php", false],
    ["User-agent: *\nDisallow: /*.php$", "/a.php?x", true],
    ["User-agent: *\nDisallow: /*?", "/a?x", false],
    ["Disallow: /", "/a", true],
    ["User-agent: other\nDisallow: /", "/a", true],
    ["User-agent: other\nUser-agent: turnhouse\nDisallow: /", "/a", false],
    ["User-agent: *\nDisallow: /\nUser-agent: TurnHouse/2\nDisallow: /b", "/a", true],
    ["\ufeffuser-agent: *\r\ndisallow: /a # comment", "/a", false],
    ["User-agent: turnhouse\nDisallow: /a\n\nUser-agent: turnhouse\nDisallow: /b", "/b", false],
  ] as const)("%j: whether %s may be read: %s", ([robots, path, is]) => expect(allowed(robots, path)).toBe(is))

  it("names a delay, which has a limit", () => {
    expect(readRobots("User-agent: *\nCrawl-delay: 2.5", "turnhouse").delayMs).toBe(2500)
    expect(readRobots("User-agent: *\nCrawl-delay: 86400", "turnhouse").delayMs).toBe(60_000)
    expect(readRobots("User-agent: *\nCrawl-delay: soon", "turnhouse").delayMs).toBeUndefined()
  })

  it("is matched in linear time", () => {
    const robots = `User-agent: *\nDisallow: /${"*a".repeat(900)}b`
    expect(allowed(robots, `/${"a".repeat(20_000)}`)).toBe(true)
  })
})

describe("a sitemap", () => {
  it("may be XML with names of its own, or a list of addresses", () => {
    const xml =
      '<?xml version="1.0"?><s:urlset xmlns:s="x"><s:url><s:loc> https://a.example/x?a=1&amp;b=2 </s:loc></s:url></s:urlset>'
    expect(readSitemap(Buffer.from(xml)).pages).toEqual(["https://a.example/x?a=1&b=2"])
    expect(readSitemap(Buffer.from("https://a.example/\nno address\n")).pages).toEqual(["https://a.example/"])
    expect(readSitemap(Buffer.from("<html><body>no</body></html>"))).toEqual({ pages: [], sitemaps: [] })
  })

  it("expands no entities of its own", () => {
    const bomb =
      '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><urlset><url><loc>&b;</loc></url></urlset>'
    expect(readSitemap(Buffer.from(bomb)).pages).toEqual(["&b;"])
  })
})

describe("addresses of a site", () => {
  const scope = scopeOf(new URL("https://a.example/docs/intro.html"))

  it("are in the folder of the start", () => {
    expect(scope).toEqual({ origin: "https://a.example", folder: "/docs/" })
    expect(scopeOf(new URL("https://a.example/docs")).folder).toBe("/docs/")
    expect(scopeOf(new URL("https://a.example")).folder).toBe("/")
  })

  it.for([
    ["https://a.example/docs/x#y", "https://a.example/docs/x"],
    ["https://a.example/docs/../docs/x", "https://a.example/docs/x"],
    ["https://a.example/docs/%2e%2e/secret", undefined],
    ["https://a.example/docsother", undefined],
    ["https://a.example:444/docs/x", undefined],
    ["http://a.example/docs/x", undefined],
    ["https://user@a.example/docs/x", undefined],
    ["https://a.example/docs/x?y=1", undefined],
    ["javascript:alert(1)", undefined],
    ["//b.example/docs/x", undefined],
    [`https://a.example/docs/${"x".repeat(2000)}`, undefined],
  ] as const)("%s is %s", ([address, known]) => expect(siteAddress(scope, address, undefined, false)).toBe(known))
})
