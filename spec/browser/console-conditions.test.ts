// The console under the conditions of real computers: in the background, frozen, with a wrong clock, with another window
// that is faster, with pages of other origins, and with text of any size.
import type { Page } from "playwright-core"
import { expect, it } from "vitest"
import { axeFindings } from "./browser.ts"
import { consoleWorld } from "./console-world.ts"

const world = consoleWorld()

const asking = (file: string) => [
  [{ call: { tool: "bash", input: { command: `echo ran >> ${file}` } } }],
  [{ text: "The end." }],
]
const card = (page: Page) => page.locator(".approval")
const approve = (page: Page) => card(page).getByRole("button", { name: "Approve", exact: true })

/** For the page it is in the background from now on. */
const hide = (page: Page) =>
  page.evaluate("Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' }); undefined")
const shownTags = (page: Page) =>
  page.evaluate(
    "navigator.serviceWorker.getRegistration('app/').then(async (one) => one ? (await one.getNotifications()).map(({ title, body }) => `${title}: ${body}`) : [])",
  )

it("asks for notifications by a click, shows one for a request in the background, and takes it back", async () => {
  const { page, problems } = await world().visit()
  await page.context().grantPermissions(["notifications"])
  await page.getByRole("heading", { name: "New session" }).waitFor() // what waits already is not new
  await page.getByRole("button", { name: "Notify me when something waits" }).click()
  await page.getByRole("button", { name: "Notifications are on" }).waitFor()
  await hide(page)
  const { sessionId } = await world().session(asking("noted.txt"), "go")
  await expect.poll(() => shownTags(page)).toEqual(["Waiting for your approval: bash echo ran >> noted.txt"])
  const other = await world().visit(`#/session/${sessionId}`)
  await approve(other.page).click()
  await expect.poll(() => shownTags(page)).toEqual([])
  expect([...problems]).toEqual([])
})

it("can be installed as an app", async () => {
  const { page } = await world().visit()
  const devtools = await page.context().newCDPSession(page)
  const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors")
  expect(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito")).toEqual([])
  const { errors, url } = await devtools.send("Page.getAppManifest")
  expect([url, errors]).toEqual([`${world().url}/app/manifest.webmanifest`, []])
})

it("lets no page of another origin connect, by the cookie of a signed-in browser or by HTTP", async () => {
  const { stdout } = await world().place.run("link")
  const { page } = await world().visit("#/", { key: "" })
  await page.goto(stdout.trim())
  await page.getByRole("heading", { name: "Pending" }).waitFor()
  const local = "http://127.0.0.1:1/" // another page of this computer, with which the browser shares the cookie
  for (const origin of ["https://evil.example/", local]) {
    await page.route(`${origin}**`, (route) =>
      route.fulfill({ contentType: "text/html", body: "<title>Other</title>" }),
    )
    await page.goto(origin)
    const socket = JSON.stringify(`${world().url.replace("http", "ws")}/house`)
    const hello = JSON.stringify(JSON.stringify({ type: "hello", version: 1, door: "evil" }))
    const answered = await page.evaluate(`new Promise((resolve) => {
      const socket = new WebSocket(${socket})
      socket.onopen = () => socket.send(${hello})
      socket.onmessage = ({ data }) => resolve(data)
      socket.onerror = () => resolve("refused")
    })`)
    expect(String(answered)).toMatch(/^refused$|"code":"key.bad"/)
    const read = `fetch(${JSON.stringify(`${world().url}/`)}, { credentials: "include" }).then(() => "read", () => "not read")`
    expect(await page.evaluate(read)).toBe("not read")
  }
})

it("keeps a prompt of 10 MB that is too large, says so, and works on", async () => {
  const { sessionId } = await world().session([[{ text: "Hello." }]])
  const { page } = await world().visit(`#/session/${sessionId}`)
  const box = page.getByLabel("Prompt", { exact: true })
  await box.fill("x".repeat(10_000_000))
  await page.getByRole("button", { name: "Send" }).click()
  await page.getByText(/^Not sent: /).waitFor()
  await expect.poll(() => page.evaluate("document.querySelector('#prompt').value.length")).toBe(10_000_000)
  await box.fill("hi")
  await page.keyboard.press("Enter")
  await page.getByText("Hello.", { exact: true }).waitFor()
})

it.each([-2, 2])("shows the times of the server on a computer whose clock is wrong by %i hours", async (hours) => {
  const { sessionId } = await world().session(asking(`skew${hours}.txt`), "go")
  const { page } = await world().visit("#/", { skewMs: hours * 3_600_000 })
  await card(page).first().waitFor()
  await expect.poll(() => page.locator("body").innerText()).not.toMatch(/\b\d+ h\b/)
  await expect.poll(() => page.locator("body").innerText()).not.toMatch(/-\s?\d+ (?:s|m|h|d)\b|NaN|Invalid/)
  await page.evaluate(`location.hash = "#/session/${sessionId}"`)
  await approve(page).click()
  await page.getByText("The end.", { exact: true }).waitFor()
  await expect.poll(() => page.locator("body").innerText()).not.toMatch(/-\s?\d+ (?:s|m|h|d)\b|NaN|Invalid/)
})

it("runs a call once that two windows approve at the same time, without an error in either", async () => {
  const { sessionId } = await world().session(asking("twice.txt"), "go")
  const windows = [await world().visit(`#/session/${sessionId}`), await world().visit(`#/session/${sessionId}`)]
  await Promise.all(windows.map(({ page }) => approve(page).waitFor()))
  const click = "document.querySelector('.approve')?.click()" // gone if the other window was so much earlier
  await Promise.all(windows.map(({ page }) => page.evaluate(click)))
  for (const { page, problems } of windows) {
    await page.getByText("The end.", { exact: true }).waitFor()
    await expect.poll(() => card(page).count()).toBe(0)
    expect([...problems]).toEqual([])
  }
  expect(world().place.read("twice.txt")).toBe("ran\n")
})

it("catches up after it was frozen while the server was replaced and the request was answered elsewhere", async () => {
  const { sessionId } = await world().session(asking("slept.txt"), "go")
  const { page } = await world().visit(`#/session/${sessionId}`)
  await approve(page).waitFor()
  const devtools = await page.context().newCDPSession(page)
  await devtools.send("Page.setWebLifecycleState", { state: "frozen" })
  await world().killAndRestart()
  const other = await world().visit(`#/session/${sessionId}`)
  await approve(other.page).click()
  await other.page.getByText("The end.", { exact: true }).waitFor()
  await devtools.send("Page.setWebLifecycleState", { state: "active" })
  await page.getByText("The end.", { exact: true }).waitFor()
  await expect.poll(() => page.getByText("The end.", { exact: true }).count()).toBe(1)
  await expect.poll(() => page.getByRole("alert").count()).toBe(0)
})

it("shows names of folders and files as text", async () => {
  const evil = `<img src=x onerror="window.ran=1">`
  const { sessionId } = await world().session([[{ text: "Hello." }]], "hi", {}, evil)
  const { page, problems } = await world().visit(`#/session/${sessionId}`)
  await page.locator(".session-folder").getByText(evil).waitFor()
  const box = page.getByLabel("Prompt", { exact: true })
  await box.pressSequentially("@img")
  await page.getByRole("option").getByText(`@'${evil}'`).waitFor()
  await page.keyboard.press("Tab")
  await page.keyboard.press("Enter")
  await page.locator(".attachments").getByText(evil).waitFor()
  expect(await page.evaluate("window.ran")).toBeUndefined()
  expect(await page.locator("[onerror]").count()).toBe(0)
  expect([...problems]).toEqual([])
})

it("is readable in forced colours, without motion, and at twice the size", async () => {
  const { sessionId } = await world().session(asking("forced.txt"), "go")
  const { page } = await world().visit(`#/session/${sessionId}`, { width: 640 })
  await page.emulateMedia({ forcedColors: "active", reducedMotion: "reduce" })
  await approve(page).waitFor()
  await expect.poll(() => axeFindings(page)).toEqual([])
  const moving = "document.getAnimations().filter(({ playState }) => playState === 'running').length"
  await expect.poll(() => page.evaluate(moving)).toBe(0)
  const border = "getComputedStyle(document.querySelector('.approval button')).borderTopStyle"
  await expect.poll(() => page.evaluate(border)).toBe("solid")
})
