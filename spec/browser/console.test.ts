// The console in a real browser, at a real server: one turn, and what several windows see of it.
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { pngFile } from "../../src/tools/fixtures/images.ts"
import { axeFindings, scrollsSideways } from "./browser.ts"
import { consoleWorld } from "./console-world.ts"

const world = consoleWorld()

it("explains how to sign in to a person without a key", async () => {
  const { page, problems } = await world().visit("#/", { key: "", width: 320 })
  await page.getByText("turnhouse link", { exact: true }).waitFor()
  await expect.poll(() => axeFindings(page)).toEqual([])
  await expect.poll(() => scrollsSideways(page)).toBe(false)
  expect([...problems]).toEqual([])
})

it("takes the key of a link out of the address, and keeps it over a reload", async () => {
  const { page } = await world().visit()
  await page.getByRole("heading", { name: "Pending" }).waitFor()
  await page.waitForURL(`${world().url}/#/`)
  await page.reload()
  await page.getByRole("heading", { name: "Pending" }).waitFor()
  await expect.poll(() => page.locator(".sign-in").count()).toBe(0)
})

it("starts a session, shows its change, and runs a call once it is approved in another window", async () => {
  const { place } = world()
  place.write("refund.ts", "const cents = 1\n")
  const edit = { path: "refund.ts", old_string: "const cents = 1", new_string: "const cents = 2" }
  const steps = [
    [{ text: "I change **one** line." }, { call: { tool: "edit", input: edit } }],
    [{ call: { tool: "bash", input: { command: "echo ran >> runs.txt" } } }],
    [{ text: "All done." }],
  ]
  place.config({ model: place.script(steps) })
  const { page, problems } = await world().visit()
  await page.getByLabel("Folder").fill(place.folder)
  await page.getByLabel("What should it do?").fill("Fix the cents")
  await page.getByRole("button", { name: "Start", exact: true }).click()
  await page.locator(".answer strong").getByText("one").waitFor()
  const phone = await world().visit("#/", { width: 320 })
  const card = phone.page.locator(".approval")
  for (const text of ["refund.ts", "echo ran"]) {
    await card.filter({ hasText: text }).getByRole("button", { name: "Approve", exact: true }).click()
    await card.filter({ hasText: text }).waitFor({ state: "detached" })
  }
  await expect
    .poll(() => phone.page.locator(".answered li").last().textContent())
    .toBe("✓ approved · bash echo ran >> runs.txt")
  await page.getByText("All done.").waitFor()
  expect(place.read("runs.txt")).toBe("ran\n")
  await expect.poll(() => page.locator(".diff .s-added").textContent()).toContain("const cents = 2")
  await expect.poll(() => page.locator(".decision").last().textContent()).toMatch(/✓ approved by \S+ on console/)
  await expect.poll(() => page.title()).toBe("Turnhouse")
  await expect.poll(() => axeFindings(page)).toEqual([])
  await expect.poll(() => axeFindings(phone.page)).toEqual([])
  await expect.poll(() => scrollsSideways(phone.page)).toBe(false)
  expect([...problems, ...phone.problems]).toEqual([])
})

it("answers with the keyboard, with a reason and with a changed call", async () => {
  const call = (command: string) => [{ call: { tool: "bash", input: { command } } }]
  const steps = [call("echo first >> keys.txt"), call("echo second >> keys.txt"), call("echo third >> keys.txt")]
  const { sessionId } = await world().session([...steps, [{ text: "Finished." }]], "go")
  const { page } = await world().visit(`#/session/${sessionId}`)
  const card = page.locator(".approval")
  const focused = () => page.evaluate("document.activeElement.className")
  await card.filter({ hasText: "echo first" }).getByRole("button", { name: "Approve", exact: true }).focus()
  await page.keyboard.press("Enter")
  await card.filter({ hasText: "echo second" }).waitFor()
  await expect.poll(focused).toBe("transcript-scroll") // not the next card, which nobody has read
  await page.keyboard.press("g")
  await page.keyboard.press("n")
  await page.keyboard.type("yes to all others, not this one") // its letters are answers on the card itself
  await page.keyboard.press("Enter")
  await card.filter({ hasText: "echo third" }).waitFor()
  await expect.poll(focused).toBe("transcript-scroll")
  await page.keyboard.press("g")
  await page.keyboard.press("e")
  await page.getByLabel("Change the command").fill("echo changed >> keys.txt")
  await page.getByRole("button", { name: "Look at it again" }).press("Enter")
  await page.getByText("approve the changed call", { exact: true }).waitFor()
  await expect.poll(focused).toBe("approval")
  await page.keyboard.press("y")
  await page.getByText("Finished.").waitFor()
  expect(world().place.read("keys.txt")).toBe("first\nchanged\n")
  await expect.poll(() => page.locator(".call[data-state=refused]").textContent()).toContain("not this one")
})

it("queues a prompt while the agent works, takes it back, and interrupts", async () => {
  const { sessionId } = await world().session([[{ text: "Working" }, { hang: true }]], "go")
  const { page } = await world().visit(`#/session/${sessionId}`)
  await page.getByText("Working", { exact: true }).waitFor()
  await page.getByLabel("Prompt", { exact: true }).fill("and a test")
  await page.keyboard.press("Enter")
  await page.locator(".queue li").getByText("and a test").waitFor()
  await page.locator(".queue").getByRole("button", { name: "edit" }).click()
  await page.locator(".queue li").waitFor({ state: "detached" })
  await expect.poll(() => page.getByLabel("Prompt", { exact: true }).inputValue()).toBe("and a test")
  await page.getByRole("button", { name: "Interrupt" }).click()
  await page.getByText(/^Interrupted by/).waitFor()
  await page.reload()
  await page.getByText(/^Interrupted by/).waitFor()
  await expect.poll(() => page.getByLabel("Prompt", { exact: true }).inputValue()).toBe("and a test")
})

it("completes and runs slash commands", async () => {
  const { sessionId } = await world().session([[{ text: "Hello." }]], "hi")
  const { page } = await world().visit(`#/session/${sessionId}`)
  const box = page.getByLabel("Prompt", { exact: true })
  await box.fill("/renam")
  await page.getByRole("option").first().waitFor()
  await page.keyboard.press("Tab")
  await expect.poll(() => box.inputValue()).toBe("/rename ")
  await box.fill("/rename Cents and dollars")
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { name: "Cents and dollars" }).waitFor()
  await page.getByRole("button", { name: "plan mode" }).click()
  await page.locator(".session-header .badge").waitFor()
  await expect.poll(() => page.getByRole("button", { name: "plan mode" }).getAttribute("aria-pressed")).toBe("true")
})

it("completes a file after @ and attaches it, from the folder of the session only", async () => {
  const { place } = world()
  mkdirSync(place.path("src"))
  place.write("src/refund-rates.ts", "export const rate = 0.19\n")
  writeFileSync(`${place.folder}/../outside.txt`, "outside")
  const { sessionId } = await world().session([[{ text: "Read." }]])
  const { page, problems } = await world().visit(`#/session/${sessionId}`)
  const box = page.getByLabel("Prompt", { exact: true })
  await box.pressSequentially("Look at @rrates")
  await page.getByRole("listbox", { name: "Files" }).getByText("@src/refund-rates.ts").waitFor()
  await page.keyboard.press("Tab")
  await expect.poll(() => box.inputValue()).toBe("Look at @src/refund-rates.ts ")
  await box.pressSequentially("and @../outside.txt")
  await page.keyboard.press("Enter")
  await page.locator(".attachments").getByText("src/refund-rates.ts").waitFor()
  await expect.poll(() => page.locator(".attachments li").count()).toBe(1)
  expect([...problems]).toEqual([])
})

it("draws the image of a result, and enlarges it", async () => {
  writeFileSync(world().place.path("shot.png"), pngFile(900, 600))
  const call = { tool: "read", input: { path: "shot.png" } }
  const { sessionId } = await world().session([[{ call }], [{ text: "Seen." }]], "look")
  const { page, problems } = await world().visit(`#/session/${sessionId}`, { width: 320 })
  const image = page.getByRole("img", { name: "shot.png, from read shot.png" })
  await image.waitFor()
  const drawn = "document.querySelector('.result-images img').naturalWidth"
  await expect.poll(() => page.evaluate(drawn)).toBe(900)
  await expect.poll(async () => (await image.boundingBox())?.width).toBeLessThanOrEqual(320)
  await expect.poll(() => axeFindings(page)).toEqual([])
  await page.getByTitle("Enlarge").focus()
  await page.keyboard.press("Enter")
  await page.locator("dialog.enlarged img").waitFor()
  await expect.poll(() => axeFindings(page)).toEqual([])
  await page.keyboard.press("Escape")
  await page.locator("dialog.enlarged").waitFor({ state: "detached" })
  await expect.poll(() => scrollsSideways(page)).toBe(false)
  expect([...problems]).toEqual([])
})

it("loads less than 250 kB, compressed, and nothing from elsewhere", () => {
  const folder = fileURLToPath(new URL("../../dist/web/console", import.meta.url))
  const files = globSync("**/*.{html,js,css}", { cwd: folder })
  const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(`${folder}/${file}`)).length, 0)
  expect(files.length).toBeGreaterThan(3)
  expect(bytes).toBeLessThan(250_000)
})
