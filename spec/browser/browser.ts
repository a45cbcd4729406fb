// Debian's Chromium for tests of pages: found or installed, headless, without connections of its own, with a profile that
// ends with it. Functions that run in the page are strings, because this program has no types of browsers.
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core"
import { isObject } from "../../src/contract/json-object.ts"
import { needPackage } from "../need-package.ts"

const args = [
  "--no-sandbox", // tests may run as root
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-features=LocalNetworkAccessChecks", // the server refuses pages of other sites, not the browser
]

/** On a busy machine an action of the browser takes long. */
const PATIENCE_MS = 120_000

export async function openBrowser(): Promise<Browser> {
  needPackage("chromium", "chromium")
  const home = mkdtempSync(join(tmpdir(), "turnhouse-browser-"))
  const env = { PATH: "/usr/bin:/bin", HOME: home }
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args, env, timeout: PATIENCE_MS })
  browser.once("disconnected", () => rmSync(home, { recursive: true, force: true }))
  return browser
}

/** An empty page with a profile of its own. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
  context.setDefaultTimeout(PATIENCE_MS) // also for pages that the page opens
  return await context.newPage()
}

/** What must not happen in a page: errors, refusals of its Content-Security-Policy, and requests to other origins. */
export function collectProblems(page: Page, origin: string): readonly string[] {
  const problems: string[] = []
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(message.text())
  })
  page.on("pageerror", (fault) => problems.push(String(fault)))
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`)) problems.push(`request to ${request.url()}`)
  })
  return problems
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** What axe finds in the page as it is now, as "RULE: ELEMENT". Every finding counts, not only the serious ones. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(`${axe}; undefined`)
  const found: unknown = await page.evaluate(
    "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => ({ id, html: nodes[0].html })))",
  )
  if (!Array.isArray(found)) throw new Error("axe returned no list of findings")
  return found.filter(isObject).map(({ id, html }) => `${String(id)}: ${String(html)}`)
}

/** The page is wider than the window. */
export async function scrollsSideways(page: Page): Promise<boolean> {
  const found: unknown = await page.evaluate(
    "document.documentElement.scrollWidth > document.documentElement.clientWidth",
  )
  return found === true
}
