// The site in a browser: search, keyboard, phone width, both colour schemes, without scripts.
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openTestServer } from "../../src/server/http/fixtures/test-server.ts"
import type { HttpServer } from "../../src/server/http/http-server.ts"
import { staticFiles } from "../../src/server/http/static-files.ts"
import { axeFindings, collectProblems, openBrowser, openPage, scrollsSideways } from "../browser/browser.ts"
import { buildSite, type BuiltSite } from "./built-site.ts"

let site: BuiltSite
let server: HttpServer
let browser: Browser
let origin = ""

beforeAll(async () => {
  site = await buildSite()
  const docs = staticFiles({ folder: site.folder, prefix: "/docs/", absent: "" })
  server = await openTestServer({ routes: { "/docs": docs, "/docs/": docs } })
  origin = `http://127.0.0.1:${server.port}`
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await server.close()
  site.remove()
})

async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await openPage(browser, options)
  await page.goto(`${origin}/docs/${path}`)
  return page
}

describe("search", () => {
  it("is reached with '/', shows results while typing, and opens one with the keyboard", async () => {
    const page = await open("")
    const problems = collectProblems(page, origin)
    await page.keyboard.press("/")
    await page.keyboard.type("approval digest")
    await page.getByRole("status").filter({ hasText: "found" }).waitFor()
    await page.keyboard.press("ArrowDown")
    const focused = page.locator(".results a:focus")
    const title = await focused.locator(".title").innerText()
    await page.keyboard.press("Enter")
    await page.waitForURL(/\.html/)
    expect(title).toContain(await page.locator("h1").innerText())
    expect(problems).toEqual([])
    await page.close()
  })

  it("closes with Escape, and says when nothing is found", async () => {
    const page = await open("commands/run.html")
    await page.getByRole("searchbox", { name: "Search" }).fill("zzzzzz")
    await page.getByText("Nothing found.").waitFor()
    await page.keyboard.press("Escape")
    await expect.poll(() => page.getByText("Nothing found.").isVisible()).toBe(false)
    await page.close()
  })

  it("says so when the index cannot be loaded, and tries again", async () => {
    const page = await open("tools.html")
    await page.route("**/index-*.json", (route) => route.abort())
    const field = page.getByRole("searchbox", { name: "Search" })
    await field.fill("locks")
    await page.getByText("Search does not work").waitFor()
    await page.unroute("**/index-*.json")
    await field.fill("lock")
    await page.locator(".results a").first().waitFor()
    await expect.poll(() => page.getByText("Search does not work").count()).toBe(0)
    await page.close()
  })

  it("has a page of its own for a query in the address", async () => {
    const page = await open("search.html?q=sandbox")
    const link = page.locator("#site-found a").first()
    const title = await link.locator(".title").innerText()
    await link.click()
    await page.waitForURL((url) => !url.pathname.endsWith("/search.html"))
    expect(title).toContain(await page.locator("h1").innerText())
    await page.close()
  })
})

describe("a page", () => {
  it("is read without scripts: navigation, anchors, and the search page that explains itself", async () => {
    const page = await open("", { javaScriptEnabled: false })
    await page.locator(".side").getByRole("link", { name: "Tools", exact: true }).click()
    await page.getByRole("heading", { level: 1, name: "Tools" }).waitFor()
    await page.getByRole("navigation", { name: "On this page" }).getByRole("link", { name: "The sandbox" }).click()
    await page.waitForURL(/tools\.html#the-sandbox$/)
    await page.getByRole("searchbox").fill("locks")
    await page.keyboard.press("Enter")
    await page.waitForURL(/search\.html\?q=locks$/)
    await expect.poll(() => page.locator("noscript p").innerText()).toContain("Search needs JavaScript.")
    await page.close()
  })

  it("begins with a link to its content", async () => {
    const page = await open("tools.html")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expect.poll(() => page.locator("main:focus").count()).toBe(1)
    await page.close()
  })

  it("that is unknown offers search and all pages, below any path", async () => {
    const page = await open("no/such/page")
    await page.locator(".side").getByRole("link", { name: "Models" }).click()
    await page.waitForURL(/\/docs\/models\.html$/)
    await expect.poll(() => page.locator("h1").innerText()).toBe("Models")
    await page.close()
  })
})

const paths = ["commands/run.html", "guarantees/index.html"]

describe.each([
  [320, "light"],
  [320, "dark"],
  [1440, "light"],
  [1440, "dark"],
] as const)("at %i px, %s", (width, colorScheme) => {
  it("has no findings of axe, no errors, and does not scroll sideways", async () => {
    const page = await openPage(browser, { viewport: { width, height: 700 }, colorScheme })
    const problems = collectProblems(page, origin)
    const findings: string[] = []
    for (const path of paths) {
      await page.goto(`${origin}/docs/${path}`)
      findings.push(...(await axeFindings(page)).map((finding) => `${path}: ${finding}`))
      if (await scrollsSideways(page)) findings.push(`${path}: scrolls sideways`)
    }
    expect([...findings, ...problems]).toEqual([])
    await page.close()
  })
})
