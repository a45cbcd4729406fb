// The helpers of the browser tests find what they are for.
import { createServer, type Server } from "node:http"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isObject } from "../../src/contract/json-object.ts"
import { axeFindings, collectProblems, openBrowser, openPage, scrollsSideways } from "./browser.ts"

const policy = "default-src 'self'"
const bad = `<!doctype html><title>Bad</title><html><body><img src="/picture.png">
  <div style="width: 3000px">wide</div><script>document.title = "ran"</script></body></html>`
const good = `<!doctype html><html lang="en"><title>Good</title><body><main><h1>Good</h1></main></body></html>`
let browser: Browser
let server: Server
let origin = ""

beforeAll(async () => {
  server = createServer(({ url }, response) => {
    const headers = { "content-type": "text/html", "content-security-policy": policy }
    response.writeHead(url === "/bad" || url === "/good" ? 200 : 404, headers).end(url === "/bad" ? bad : good)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  const address: unknown = server.address()
  origin = `http://127.0.0.1:${isObject(address) ? String(address["port"]) : ""}`
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  server.closeAllConnections()
  server.close()
})

async function open(path: string): Promise<{ page: Page; problems: readonly string[] }> {
  const page = await openPage(browser, { viewport: { width: 320, height: 640 } })
  const problems = collectProblems(page, origin)
  await page.goto(`${origin}${path}`)
  return { page, problems }
}

describe("a page", () => {
  it("without problems has none", async () => {
    const { page, problems } = await open("/good")
    expect([...problems]).toEqual([])
    await expect.poll(() => axeFindings(page)).toEqual([])
    await expect.poll(() => scrollsSideways(page)).toBe(false)
  })

  it("with problems has all of them reported", async () => {
    const { page, problems } = await open("/bad")
    for (const text of ["Applying inline style violates", "Executing inline script violates", "404"])
      await expect.poll(() => problems.join("\n")).toContain(text)
    await expect.poll(() => page.title()).toBe("Bad")
    await expect
      .poll(() => axeFindings(page))
      .toEqual(expect.arrayContaining([expect.stringContaining("image-alt: <img")]))
  })

  it("is known to be wider than its window", async () => {
    const { page } = await open("/good")
    await page.evaluate("document.body.style.setProperty('min-width', '3000px')")
    await expect.poll(() => scrollsSideways(page)).toBe(true)
  })
})
