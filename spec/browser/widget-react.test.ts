// `turnhouse/widget-react` in a page that React draws.
import { createServer, type Server } from "node:http"
import { build } from "esbuild"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isObject } from "../../src/contract/json-object.ts"
import { needBuild } from "../built.ts"
import { served } from "../identity/served.ts"
import { collectProblems, openBrowser, openPage } from "./browser.ts"
import { answer, say } from "./widget-shop.ts"

const program = (url: string) => `
  import { createElement, StrictMode, useState } from "react"
  import { createRoot } from "react-dom/client"
  import { TurnhouseChat } from "turnhouse/widget-react"
  function Page() {
    const [isOpen, setOpen] = useState(false)
    const [said, setSaid] = useState([])
    return createElement("main", {},
      createElement("h1", {}, "React"),
      createElement("button", { onClick: () => setOpen(true) }, "Help me"),
      createElement("p", { id: "said" }, said.join(", ")),
      createElement(TurnhouseChat, {
        agent: "shop", server: "${url}", title: "Ask React", texts: { placeholder: "In your own words" }, isOpen,
        onClose: () => setOpen(false),
        onMessage: ({ from, text }) => setSaid((before) => [...before, from + ": " + text]),
      }))
  }
  createRoot(document.getElementById("root")).render(createElement(StrictMode, {}, createElement(Page)))`

const server = served({ agents: { shop: { name: "Shop" } } })
let browser: Browser
let site: Server
let origin = ""

beforeAll(async () => {
  needBuild()
  const script = await bundle(program(server().url))
  const page = `<!doctype html><html lang="en"><title>React</title><body><div id="root"></div><script src="/page.js"></script></body></html>`
  site = createServer(({ url }, response) => {
    response
      .setHeader("content-type", url === "/page.js" ? "text/javascript" : "text/html")
      .end(url === "/page.js" ? script : page)
  })
  await new Promise<void>((resolve) => {
    site.listen(0, "127.0.0.1", resolve)
  })
  const address: unknown = site.address()
  origin = `http://127.0.0.1:${isObject(address) ? String(address["port"]) : ""}`
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  site.closeAllConnections()
  site.close()
})

async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: "iife",
    define: { "process.env.NODE_ENV": '"production"' },
  })
  return outputFiles[0]?.text ?? ""
}

describe("the React component", () => {
  it("passes options, opens on demand, and reports messages and closing", async () => {
    const page = await openPage(browser)
    const problems = collectProblems(page, origin)
    await page.goto(origin)
    await page.getByRole("button", { name: "Help me" }).click()
    await page.getByRole("dialog", { name: "Ask React" }).waitFor()
    await expect
      .poll(() => page.getByRole("textbox", { name: "Your message" }).getAttribute("placeholder"))
      .toBe("In your own words")
    await say(page, "Hi")
    await answer(page, "Hello.")
    await page.locator("#said").filter({ hasText: "visitor: Hi, agent: Hello." }).waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await page.getByRole("button", { name: "Help me" }).click()
    await page.getByRole("dialog").waitFor()
    expect([...problems]).toEqual([])
  })
})
