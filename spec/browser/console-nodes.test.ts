// The console at one node of a cluster: where a session runs, and moving it to another node while a call waits for approval.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { needBuild } from "../built.ts"
import { twoNodes } from "../e2e/two-nodes.ts"
import { axeFindings, collectProblems, openBrowser, openPage, scrollsSideways } from "./browser.ts"
import { connectToHouse } from "./console-world.ts"

const nodes = twoNodes()
let browser: Browser

beforeAll(async () => {
  needBuild()
  browser = await openBrowser()
})
afterAll(() => browser.close())

const key = () => readFileSync(join(nodes().place.home, "console.key"), "utf8").trim()

/** On node a; its call waits for approval. */
async function waitingSession(): Promise<string> {
  const { place, a } = nodes()
  const steps = [[{ call: { tool: "bash", input: { command: "true" } } }], [{ text: "All done." }]]
  const client = await connectToHouse(a.url, key())
  const model = place.script(steps, {}, `script-${Math.random()}.json`)
  const opened = await client.create({ cwd: place.folder, origin: "test", model }, { principal: "me", door: "test" })
  if (opened.kind === "refused") throw new Error(JSON.stringify(opened.refusal))
  await opened.handle.send({ type: "prompt", promptId: "prm_1", text: "Run it", ifBusy: "wait" })
  client.close()
  return opened.handle.sessionId
}

async function visit(sessionId: string, width: number, colorScheme: "light" | "dark" = "light"): Promise<Page> {
  const page = await openPage(browser, { viewport: { width, height: 800 }, colorScheme })
  await page.goto(`${nodes().a.url}/#key=${key()}`)
  await page.evaluate(`location.hash = "#/session/${sessionId}"`)
  await page.locator(".approval").waitFor()
  return page
}

describe("a session in a cluster", () => {
  it("shows its node, moves by keyboard with its open approval, and says so once", async () => {
    const sessionId = await waitingSession()
    const page = await visit(sessionId, 1280)
    const problems = collectProblems(page, nodes().a.url)
    const menu = page.locator(".node-menu summary")
    await menu.getByText("on a", { exact: true }).waitFor()
    await menu.focus()
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "Move to b" }).waitFor()
    await expect.poll(() => axeFindings(page)).toEqual([])
    await page.keyboard.press("Escape")
    await expect.poll(() => page.getByRole("button", { name: "Move to b" }).count()).toBe(0)
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "Move to b" }).waitFor()
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await page.getByText("moved from a to b · nothing lost").waitFor()
    await menu.getByText("on b", { exact: true }).waitFor()
    await page.locator(".session-row").getByText("on b", { exact: false }).first().waitFor()
    await page.locator(".approval").getByRole("button", { name: "Approve", exact: true }).click()
    await page.getByText("All done.").waitFor()
    expect([...problems]).toEqual([])
  })

  it.for([
    [390, "light"],
    [390, "dark"],
    [1440, "light"],
    [1440, "dark"],
  ] as const)("fits a window of %d pixels in %s", async ([width, colorScheme]) => {
    const page = await visit(await waitingSession(), width, colorScheme)
    await page.locator(".node-menu summary").click()
    await page.getByRole("button", { name: "Move to b" }).waitFor()
    expect(await scrollsSideways(page)).toBe(false)
    const pictures = process.env["TURNHOUSE_PICTURES"]
    if (pictures !== undefined) await page.screenshot({ path: join(pictures, `node-${width}-${colorScheme}.png`) })
  })

  it("shows why it cannot be moved, when the node has left", async () => {
    const sessionId = await waitingSession()
    const page = await visit(sessionId, 1280)
    await page.locator(".node-menu summary").click()
    const button = page.getByRole("button", { name: "Move to b" })
    await button.waitFor()
    nodes().b.running.signal("SIGTERM")
    await nodes().b.running.ended
    await button.click()
    const alert = page.getByRole("alert")
    await alert.waitFor()
    expect(await alert.textContent()).toContain("No node with the name 'b'")
  })
})
