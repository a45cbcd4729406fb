// The chat widget in a real browser: in the pages of another site, whose policy allows nothing else, at a real server.
import { createHmac } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { needBuild } from "../built.ts"
import { started, type Served } from "../identity/served.ts"
import { sharedPlace } from "../e2e/turnhouse.ts"
import { webFolder } from "../../src/program/program-files.ts"
import { axeFindings, collectProblems, openBrowser, openPage, scrollsSideways } from "./browser.ts"
import { connectToHouse } from "./console-world.ts"
import {
  answer,
  embedKey,
  embedWith,
  hostPage,
  openChat,
  openHostSite,
  picture,
  say,
  serveSite,
  shopConfig,
  type HostSite,
} from "./widget-shop.ts"
import { scripts } from "./widget-scripts.ts"

const knowledge = fileURLToPath(new URL("../../examples/shop/knowledge", import.meta.url))
const returns = readFileSync(join(knowledge, "returns.md"), "utf8").replaceAll(/\s+/g, " ")

const place = sharedPlace()
let browser: Browser
let site: HostSite
let server: Served

beforeAll(async () => {
  needBuild()
  place.config(shopConfig(place, scripts))
  const { code, stderr } = await place.run("knowledge", "add", knowledge, "--org", "public")
  if (code !== 0) throw new Error(stderr)
  ;[browser, server] = await Promise.all([openBrowser(), started(place, "--port", "0")])
  site = await openHostSite(server.url)
  const more = 'data-greeting="Hello! How can we help?" data-user-email="ada@shop.example"'
  for (const id of Object.keys(scripts)) site.pages.set(`/${id}`, hostPage(server.url, `data-agent="${id}" ${more}`))
})
afterAll(async () => {
  await browser.close()
  await site.close()
})

/** In a context of its own, so that it remembers nothing of other tests. */
async function open(agent: string) {
  const page = await openPage(browser, { viewport: { width: 900, height: 700 } })
  const problems = collectProblems(page, site.origin)
  await page.goto(`${site.origin}/${agent}`)
  await openChat(page)
  const others = () => problems.filter((problem) => problem !== `request to ${server.url}/widget.js`)
  return { page, others }
}

const cardButton = (page: Page, name: string) => page.locator(".card").getByRole("button", { name })

describe("a conversation", () => {
  it("streams Markdown, continues after a reload with draft and messages, and starts over", async () => {
    const { page, others } = await open("shop")
    await page.getByText("Hello! How can we help?").waitFor()
    await say(page, "How long does shipping take?")
    await page.getByRole("cell", { name: "from €50" }).waitFor()
    await expect.poll(() => page.getByRole("link", { name: "shipping" }).getAttribute("rel")).toContain("noopener")
    await expect.poll(() => axeFindings(page)).toEqual([])
    await picture(page, "answer")
    await page.getByRole("textbox", { name: "Your message" }).fill("a draft")
    await page.reload()
    await page.getByRole("cell", { name: "from €50" }).waitFor()
    await expect.poll(() => page.getByRole("textbox", { name: "Your message" }).inputValue()).toBe("a draft")
    await say(page, "Bye")
    await answer(page, "Good bye.")
    await page.getByRole("button", { name: "New conversation" }).click()
    await page.getByText("Good bye.").first().waitFor({ state: "detached" })
    await say(page, "Hello")
    await page.getByRole("cell", { name: "from €50" }).waitFor()
    expect(others()).toEqual([])
  })

  it("shows the sources of an answer as chips that open the passage, also after a reload", async () => {
    const { page } = await open("sources")
    await say(page, "Can I return the mugs?")
    await answer(page, "within 30 days")
    for (const visit of ["first", "reloaded"]) {
      if (visit === "reloaded") await page.reload()
      const chip = page.getByRole("button", { name: /^Source 1: / })
      await chip.click()
      const passage = await page.locator(".passage blockquote").innerText()
      expect(returns).toContain(passage.replaceAll(/\s+/g, " ").trim())
      await expect.poll(() => axeFindings(page)).toEqual([])
      await picture(page, `sources-${visit}`)
      await chip.click()
      await page.locator(".passage").waitFor({ state: "detached" })
    }
  })

  it("is operated with the keyboard: Escape closes it, and the focus returns", async () => {
    const { page } = await open("shop")
    const focused = () => page.evaluate("document.querySelector('turnhouse-chat').shadowRoot.activeElement?.localName")
    await expect.poll(focused).toBe("textarea")
    await page.keyboard.press("Escape")
    const button = page.getByRole("button", { name: "Open chat" })
    await button.waitFor()
    await expect.poll(focused).toBe("button")
    await page.keyboard.press("Enter")
    await page.getByRole("dialog").waitFor()
    await expect.poll(() => button.count()).toBe(0)
  })

  it("shows what a hostile model writes as text, runs nothing of it, and loads nothing", async () => {
    const { page, others } = await open("hostile")
    await say(page, "hi")
    await answer(page, "<script>window.ran = 1</script>")
    expect(await page.evaluate("window.ran")).toBeUndefined()
    const hrefs = () =>
      page.evaluate(
        "[...document.querySelector('turnhouse-chat').shadowRoot.querySelectorAll('a')].map((a) => new URL(a.href).protocol)",
      )
    await expect.poll(hrefs).toEqual(["https:", "https:"]) // the second one is still streaming
    expect(others()).toEqual([])
  })

  it("goes on in the middle of an answer when the server is killed and started again", async () => {
    const { page } = await open("slow")
    await say(page, "Tell me")
    await answer(page, "The beginning of a long answer,")
    const port = new URL(server.url).port
    server.running.signal("SIGKILL")
    await server.running.ended
    await page.getByText("No connection. Trying again").waitFor()
    await picture(page, "offline")
    server = await started(place, "--port", port)
    await answer(page, "The beginning of a long answer, and its end.")
    await page.getByText("No connection. Trying again").waitFor({ state: "detached" })
    await expect.poll(() => page.locator(".bubble.agent").count()).toBe(2)
  })

  it("appears in the other window of the same site", async () => {
    const { page } = await open("shop")
    const other = await page.context().newPage()
    await other.goto(`${site.origin}/shop`)
    await openChat(other)
    await say(page, "How long does shipping take?")
    await other.getByRole("cell", { name: "from €50" }).waitFor()
    await expect.poll(() => other.locator(".bubble.visitor").count()).toBe(1)
  })
})

describe("a card", () => {
  it("asks for a confirmation, and the tool runs only after a yes", async () => {
    const { page, others } = await open("confirm")
    await say(page, "Refund order 1002")
    await cardButton(page, "Confirm").waitFor()
    await picture(page, "confirm")
    await expect.poll(() => axeFindings(page)).toEqual([])
    expect(place.has("refunds")).toBe(false)
    await cardButton(page, "Do not do it").click()
    await page.getByText("You said no").waitFor()
    await answer(page, "€18.00")
    expect(place.has("refunds")).toBe(false)
    await page.getByRole("button", { name: "New conversation" }).click()
    await page.getByText("You said no").waitFor({ state: "detached" })
    await say(page, "Refund order 1002")
    await cardButton(page, "Confirm").click()
    await page.getByText("You confirmed").waitFor()
    await answer(page, "€18.00")
    expect(place.read("refunds")).toBe("refunded\n")
    expect(others()).toEqual([])
  })

  it("offers choices, and says which question is not answered", async () => {
    const { page } = await open("choices")
    await say(page, "I need shoes")
    await cardButton(page, "Send").click()
    await page.getByText("Please choose an answer.").nth(1).waitFor()
    await expect.poll(() => axeFindings(page)).toEqual([])
    await page.getByRole("radio", { name: "42" }).check()
    await page.getByRole("checkbox", { name: "Blue" }).check()
    await picture(page, "choices")
    await cardButton(page, "Send").click()
    await page.getByText("42 · Blue").waitFor()
    await answer(page, "Size 42 in blue it is.")
  })

  it("is a form that shows errors at its fields", async () => {
    const { page } = await open("form")
    await say(page, "Call me")
    await page.getByLabel("E-mail address").fill("nobody")
    await cardButton(page, "Send").click()
    await page.getByText("Please check the e-mail address.").waitFor()
    await page.getByText("Please fill in this field.").waitFor()
    await expect.poll(() => axeFindings(page)).toEqual([])
    await picture(page, "form")
    await page.getByLabel("Name").fill("Ada")
    await page.getByLabel("E-mail address").fill("ada@shop.example")
    await cardButton(page, "Send").click()
    await answer(page, "Thank you, Ada.")
  })

  it("takes a one-time code, after a wrong one", async () => {
    const { page } = await open("code")
    await say(page, "Pay my invoice")
    const input = page.getByLabel("Code", { exact: true })
    await input.fill("12")
    await cardButton(page, "Check code").click()
    await page.getByText("Attempts left: 2").waitFor()
    await expect.poll(() => axeFindings(page)).toEqual([])
    await picture(page, "code")
    const { running } = server
    await input.fill(await running.until("a code", () => /one-time code for \S+: (\d{6})/.exec(running.stderr)?.[1]))
    await cardButton(page, "Check code").click()
    await answer(page, "Your invoice is paid.")
    expect(place.read("paid")).toBe("ada@shop.example\n")
  })

  it("is followed by a notice when a person is asked to help", async () => {
    const { page } = await open("staff")
    await page.evaluate(
      "document.addEventListener('turnhouse-escalation', ({ detail }) => (window.reason = detail.reason))",
    )
    await say(page, "I want a person")
    await page.getByText("A person of our staff has been asked to help you.").waitFor()
    await expect.poll(() => page.evaluate("window.reason")).toBe("wants a person")
  })
})

describe("the panel", () => {
  it("fills a phone, in the dark and from right to left, without findings", async () => {
    const page = await openPage(browser, { viewport: { width: 320, height: 640 }, colorScheme: "dark", hasTouch: true })
    site.pages.set("/phone", hostPage(server.url, 'data-agent="shop"').replace('lang="en"', 'lang="en" dir="rtl"'))
    await page.goto(`${site.origin}/phone`)
    await openChat(page)
    await say(page, "How long does shipping take?")
    await page.getByRole("cell", { name: "from €50" }).waitFor()
    const box = { x: 0, y: 0, width: 320, height: 640 }
    await expect.poll(() => page.getByRole("dialog").boundingBox()).toEqual(box)
    await expect.poll(() => scrollsSideways(page)).toBe(false)
    const colour =
      "getComputedStyle(document.querySelector('turnhouse-chat').shadowRoot.querySelector('.panel')).backgroundColor"
    await expect.poll(() => page.evaluate(colour)).toBe("rgb(26, 28, 32)")
    await expect.poll(() => axeFindings(page)).toEqual([])
    await picture(page, "phone")
  })

  it("has its size and its styles in a page that resets everything", async () => {
    const reset =
      "* { all: unset !important; display: inline !important; font: 3px/1 serif !important; color: red !important; width: 9999px !important }"
    site.pages.set("/reset.css", reset)
    site.pages.set("/reset", hostPage(server.url, 'data-agent="shop"', '<link rel="stylesheet" href="/reset.css">'))
    const page = await openPage(browser, { viewport: { width: 1400, height: 1000 } })
    await page.goto(`${site.origin}/reset`)
    await openChat(page)
    const size = async () => {
      const box = await page.getByRole("dialog").boundingBox()
      return [box?.width, box?.height]
    }
    await expect.poll(size).toEqual([420, 640]) // it grows while it opens
    const fontSize =
      "getComputedStyle(document.querySelector('turnhouse-chat').shadowRoot.querySelector('textarea')).fontSize"
    await expect.poll(() => page.evaluate(fontSize)).toBe("15px")
    await picture(page, "reset")
  })
})

it("is one script of less than 60 kB", () => {
  expect(gzipSync(readFileSync(join(webFolder, "widget/widget.js"))).length).toBeLessThan(60_000)
})

describe("the developer of a page", () => {
  it("reads in the console why the widget may not be used there, and the visitor a calm sentence", async () => {
    const page = await openPage(browser)
    const problems = collectProblems(page, site.origin)
    site.pages.set("/unknown", hostPage(server.url, 'data-agent="nobody"'))
    await page.goto(`${site.origin}/unknown`)
    await openChat(page)
    await page.getByText("The chat is not available on this page.").waitFor()
    await expect
      .poll(() => problems.join("\n"))
      .toContain('turnhouse-chat: agent "nobody" is not configured at this server')
  })

  it.each(["auth", "authContext"])("signs its visitors with %s, and is told of a wrong signature", async (way) => {
    const sign = (key: string) => {
      const [userId, timestamp] = [`ada-${way}`, Date.now()]
      return { userId, timestamp, signature: createHmac("sha256", key).update(`${userId}:${timestamp}`).digest("hex") }
    }
    const attributes = way === "auth" ? 'data-agent="signed" data-auth="/signature"' : ""
    const visit = async (key: string) => {
      const page = await openPage(browser)
      const problems = collectProblems(page, "http://site.example")
      await serveSite(page, "http://site.example/", hostPage(server.url, attributes))
      await page.route("**/signature", (route) => route.fulfill({ json: sign(key) }))
      await page.goto("http://site.example/")
      if (way === "authContext") await page.evaluate(embedWith(sign(key)))
      await openChat(page)
      return { page, problems }
    }
    const { page } = await visit(embedKey)
    await say(page, "Hello")
    await answer(page, "Hello again.")
    const house = await connectToHouse(server.url, server.key)
    const listed = await house.query({ type: "sessions" })
    house.close()
    const owners = listed.kind === "answer" ? listed.value.map(({ status }) => status.owner) : []
    expect(owners.join(" ")).toContain(`signed:ada-${way}`)
    const wrong = await visit("a wrong key")
    await wrong.page.getByText("The chat is not available on this page.").waitFor()
    await expect.poll(() => wrong.problems.join("\n")).toContain("the signature of authContext is wrong")
  })

  it("reads which setting refuses the pages of a site, and the visitor a sentence", async () => {
    site.pages.set("/elsewhere", hostPage(server.url, 'data-agent="elsewhere"'))
    const listed = await openPage(browser)
    const told = collectProblems(listed, site.origin)
    await listed.goto(`${site.origin}/elsewhere`)
    await openChat(listed)
    await listed.getByText("The chat is not available on this page.").waitFor()
    await expect.poll(() => told.join("\n")).toContain("Add it to agents.elsewhere.embed.origins")
    const page = await openPage(browser)
    const problems = collectProblems(page, "http://evil.example")
    await serveSite(page, "http://evil.example/", hostPage(server.url, 'data-agent="elsewhere"'))
    await page.goto("http://evil.example/")
    await openChat(page)
    await page.getByText("No connection. Trying again").waitFor()
    await expect
      .poll(() => problems.join("\n"))
      .toContain("it may refuse pages of http://evil.example: add it to server.origins")
  })

  it("finds a demo page at the server, which embeds the first agent", async () => {
    const page = await openPage(browser)
    const problems = collectProblems(page, server.url)
    await page.goto(`${server.url}/demo/`)
    await expect
      .poll(() => page.getByRole("complementary", { name: "Demo" }).textContent())
      .toContain("This is a demo page")
    await openChat(page)
    await say(page, "How long does shipping take?")
    await page.getByRole("cell", { name: "from €50" }).waitFor()
    await expect.poll(() => axeFindings(page)).toEqual([])
    await picture(page, "demo")
    expect([...problems]).toEqual([])
  })
})
