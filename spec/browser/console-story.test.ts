// The story that the console offers, as a person follows it: the server is killed in the middle, and a second window answers.
import { rmSync } from "node:fs"
import { dirname } from "node:path"
import { expect, it } from "vitest"
import { axeFindings, scrollsSideways } from "./browser.ts"
import { consoleWorld } from "./console-world.ts"

const world = consoleWorld()

it("is started from the page, survives the kill of the server, and pushes once after an approval in a second window", async () => {
  const { page, problems } = await world().visit()
  const docs = await page.getByRole("link", { name: "Documentation" }).getAttribute("href")
  expect((await fetch(`${world().url}/${docs}`)).status).toBe(200)
  await page.getByRole("button", { name: "Start the story" }).click()
  const guide = page.locator(".story")
  await guide.getByText("You kill the server").waitFor()
  await expect.poll(() => guide.locator("pre").textContent()).toMatch(/^kill -9 \d+$/)
  await expect.poll(() => axeFindings(page)).toEqual([])
  expect([...problems]).toEqual([])
  await world().killAndRestart()
  await guide.getByText("You decide, in another window").waitFor()
  const opened = page.waitForEvent("popup")
  await guide.getByRole("button", { name: "Open a second window" }).click()
  const second = await opened
  await second.setViewportSize({ width: 320, height: 640 })
  await second.locator(".approval").getByRole("button", { name: "Approve", exact: true }).click()
  const claims = guide.locator(".story-claims li")
  await claims.filter({ hasText: "two commits" }).waitFor()
  await expect.poll(() => claims.count()).toBe(4)
  await expect.poll(() => axeFindings(page)).toEqual([])
  await second.goto(page.url())
  await second.reload()
  await second.locator(".story-claims").waitFor()
  await expect.poll(() => scrollsSideways(second)).toBe(false)
  const folder = await guide
    .locator("code")
    .filter({ hasText: /turnhouse-demo-\w+\/project$/ })
    .textContent()
  rmSync(dirname(folder ?? ""), { recursive: true })
})

it("is offered to the owner only", async () => {
  const { page } = await world().visit("#/", { key: await world().link("--role", "approve") })
  await page.getByRole("heading", { name: "Pending" }).waitFor()
  await page.getByLabel("Search sessions").waitFor()
  expect(await page.getByText("Follow a story").count()).toBe(0)
})
