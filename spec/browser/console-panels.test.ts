// The drawer of the console in a real browser: every panel of a session and of the server, and the sign-in of the owner.
import type { Locator, Page } from "playwright-core"
import { expect, it } from "vitest"
import { axeFindings, collectProblems, scrollsSideways } from "./browser.ts"
import { consoleWorld } from "./console-world.ts"

const world = consoleWorld()

const steps = [[{ call: { tool: "bash", input: { command: "true" } } }], [{ text: "All done." }]]

/** The address of a session in which one approved call has run. */
async function doneSession(): Promise<string> {
  const { sessionId } = await world().session(steps, "Run it")
  const { page } = await world().visit(`#/session/${sessionId}`)
  await page.locator(".approval").getByRole("button", { name: "Approve", exact: true }).click()
  await page.getByText("All done.").waitFor()
  await page.context().close()
  return `#/session/${sessionId}`
}

async function open(page: Page, panel: string): Promise<void> {
  await page.getByRole("navigation", { name: "Panels" }).getByRole("link", { name: panel }).click()
  await page.getByRole("complementary", { name: panel }).waitFor()
}

it("shows the session in every panel, readable for assistive technology", async () => {
  const { page, problems } = await world().visit(await doneSession())
  await open(page, "Agents")
  await page.getByText("This session has no agents.").waitFor()
  await open(page, "Timeline")
  await page.getByText(/event (\d+) of \1/).waitFor()
  await page.locator(".past").getByText("All done.").waitFor()
  await page.getByRole("slider", { name: "Event" }).fill("1")
  await page.getByText("session.created").waitFor()
  await expect.poll(() => page.locator(".past .item").count()).toBe(0)
  await page.getByRole("button", { name: "turn →" }).click()
  await page.locator(".past").getByText("All done.").waitFor()
  await expect.poll(() => axeFindings(page)).toEqual([])
  await open(page, "Cost")
  await page.getByText("2 model calls").waitFor()
  await page.locator(".bars").getByText("bash").waitFor()
  await expect.poll(() => axeFindings(page)).toEqual([])
  await open(page, "Audit")
  await page.getByText("approval.decided").waitFor()
  await expect.poll(() => axeFindings(page)).toEqual([])
  for (const panel of ["Locks", "Programs", "Settings"]) await open(page, panel)
  await page.getByText("model", { exact: true }).waitFor()
  await expect.poll(() => axeFindings(page)).toEqual([])
  expect([...problems]).toEqual([])
})

it("draws the agents of a session, and says that a link for one session shows none", async () => {
  world().place.write("package.json", "{}")
  const client = await world().connect()
  const opened = await client.create({ cwd: world().place.folder, origin: "test", model: "offline/demo" })
  if (opened.kind === "refused") throw new Error(JSON.stringify(opened.refusal))
  const { sessionId } = opened.handle
  const text = "ask three agents to read package.json"
  await opened.handle.send({ type: "prompt", promptId: "prm_agents", text, ifBusy: "wait" })
  client.close()
  const { page, problems } = await world().visit(`#/session/${sessionId}/agents`)
  await expect.poll(() => page.locator(".graph li").count()).toBe(4)
  await expect.poll(() => page.locator(".graph .edge").count()).toBe(3)
  await expect.poll(() => axeFindings(page)).toEqual([])
  expect([...problems]).toEqual([])
  const key = await world().link("--session", sessionId)
  const other = await world().visit(`#/session/${sessionId}/agents`, { key })
  await other.page.getByText("You see no agents of this session.").waitFor()
})

it("shows the end of a long transcript in the timeline, with the slider in sight", async () => {
  const { sessionId } = await world().session([[{ text: "One more line.\n\n".repeat(60) }]], "hi")
  const { page } = await world().visit(`#/session/${sessionId}/timeline`)
  await page.getByRole("slider", { name: "Event" }).fill("1")
  await page.getByRole("button", { name: "turn →" }).click()
  const isShown = async (locator: Locator) => {
    const box = await locator.boundingBox()
    return box !== null && box.y > 0 && box.y + box.height <= (page.viewportSize()?.height ?? 0)
  }
  await expect.poll(() => isShown(page.locator(".past .answer p").last()), { timeout: 5000 }).toBe(true)
  expect(await isShown(page.locator(".past .item").first())).toBe(false)
  expect(await isShown(page.getByRole("slider", { name: "Event" }))).toBe(true)
})

it("rewinds to a place of the timeline after a question, and fits a phone", async () => {
  const session = await doneSession()
  const { page, problems } = await world().visit(`${session}/timeline`, { width: 320 })
  await page.getByText(/event (\d+) of \1/).waitFor()
  await expect.poll(() => scrollsSideways(page)).toBe(false)
  await page.getByRole("slider", { name: "Event" }).fill("1")
  await page.getByRole("button", { name: "Rewind to here …" }).click()
  await page.getByRole("alertdialog").getByRole("button", { name: "Rewind", exact: true }).click()
  await page.getByText("Went back to event 1").waitFor()
  expect([...problems]).toEqual([])
})

it("takes the focus into a panel and back to its tab, and leaves nothing behind it that a phone does not show", async () => {
  const { page } = await world().visit("#/", { width: 1280 })
  const tab = page.getByRole("navigation", { name: "Panels" }).getByRole("link", { name: "Settings" })
  const focused = () => page.evaluate("document.activeElement.textContent")
  await tab.press("Enter")
  await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("H2")
  await page.keyboard.press("Escape")
  await page.getByRole("complementary").waitFor({ state: "detached" })
  await expect.poll(focused).toBe("Settings")
  await page.setViewportSize({ width: 320, height: 640 })
  await tab.press("Enter")
  await page.getByRole("complementary", { name: "Settings" }).getByLabel("Find").waitFor()
  await expect.poll(focused).toBe("Settings")
  await expect.poll(() => page.evaluate("document.querySelector('main').inert")).toBe(true)
  const isShown =
    "(([tab]) => tab.getBoundingClientRect().right <= innerWidth)(document.querySelectorAll('.drawer [aria-current]'))"
  await expect.poll(() => page.evaluate(isShown)).toBe(true)
  await page.getByRole("button", { name: "Close the drawer" }).click()
  await expect.poll(focused).toBe("Settings")
})

it("keeps panels of the whole server from a person with a link", async () => {
  const key = await world().link("--role", "watch")
  const { page } = await world().visit("#/", { key })
  await page.getByRole("heading", { name: "Pending" }).waitFor()
  expect(await page.getByRole("link", { name: "Settings" }).count()).toBe(0)
})

it("signs the owner in with a code, once, and out again", async () => {
  const { stdout } = await world().place.run("link")
  const { page } = await world().visit("#/", { key: "" })
  const problems = collectProblems(page, world().url)
  await page.goto(stdout.trim())
  await page.getByRole("heading", { name: "Pending" }).waitFor()
  await page.waitForURL(`${world().url}/#/`)
  await page.getByRole("link", { name: "Settings" }).waitFor()
  await page.reload()
  await page.getByRole("heading", { name: "Pending" }).waitFor()
  expect([...problems]).toEqual([])
  const other = await page.context().newPage()
  await other.goto(world().url)
  await other.getByRole("heading", { name: "Pending" }).waitFor()
  await page.getByRole("button", { name: "Sign out" }).click()
  await page.getByText("turnhouse link", { exact: true }).waitFor()
  await other.getByText("You have signed out in another tab.").waitFor()
  await page.goto(stdout.trim())
  await page.getByText(/already used/).waitFor()
})
