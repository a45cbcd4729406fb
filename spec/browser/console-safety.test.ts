// The console when things go wrong: lost connections, links that permit little or end, and content that wants to run.
import { expect, it } from "vitest"
import type { Step } from "../../src/models/offline/index.ts"
import { axeFindings } from "./browser.ts"
import { consoleWorld } from "./console-world.ts"

const world = consoleWorld()

/** Alerts that were ever there. */
const countAlerts =
  "window.alerts = 0; new MutationObserver(() => { alerts += document.querySelectorAll('[role=alert]').length }).observe(document.body, { subtree: true, childList: true }); undefined"

it("goes on in the middle of an answer after the server was killed, with nothing lost or repeated", async () => {
  const steps: readonly Step[] = [[{ text: "First half," }, { hang: true }, { text: " second half." }]]
  const { sessionId } = await world().session(steps, "go")
  const { page } = await world().visit(`#/session/${sessionId}`)
  await page.getByText("First half,").waitFor()
  await Promise.all([page.getByText("nothing lost").waitFor(), world().killAndRestart()]) // it goes away by itself
  await page.getByText("First half, second half.", { exact: true }).waitFor()
  await expect.poll(() => page.locator(".answer").count()).toBe(1)
  await expect.poll(() => page.locator(".prompt").count()).toBe(1)
  await expect.poll(() => page.getByRole("alert").count()).toBe(0)
})

it("keeps an answer and a prompt that are given while the server is dead, and sends them when it is back", async () => {
  const steps: readonly Step[] = [
    [{ call: { tool: "bash", input: { command: "echo ran >> later.txt" } } }],
    [{ text: "The end." }],
  ]
  const { sessionId } = await world().session(steps, "go")
  const { page } = await world().visit(`#/session/${sessionId}`)
  await page.locator(".approval").waitFor()
  const start = await world().visit("#/settings")
  await start.page.getByLabel("Find").waitFor()
  await start.page.evaluate(countAlerts)
  await world().kill()
  await page.getByText("reconnecting …").waitFor()
  await start.page.getByText("reconnecting …").waitFor()
  await start.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))") // the list is read again
  await page.locator(".approval").getByRole("button", { name: "Approve", exact: true }).click()
  await page.getByText("The server cannot be reached. Your answer is sent when it is back.").waitFor()
  await page.getByLabel("Prompt", { exact: true }).fill("and a test")
  await page.keyboard.press("Enter")
  await page.getByText("“and a test” is sent when it is back.").waitFor()
  await Promise.all([start.page.getByText("nothing lost").waitFor(), world().restart()]) // it goes away by itself
  await page.locator(".prompt").getByText("and a test").waitFor()
  await page.getByText("The end.", { exact: true }).first().waitFor()
  expect(world().place.read("later.txt")).toBe("ran\n")
  await expect.poll(() => page.locator(".sending").count()).toBe(0)
  expect(await start.page.evaluate("alerts")).toBe(0)
})

it("shows a person who may only watch no box for prompts and no answers, and says why", async () => {
  const { sessionId } = await world().session([[{ call: { tool: "bash", input: { command: "true" } } }]], "go")
  const key = await world().link("--role", "watch", "--session", sessionId)
  const { page, problems } = await world().visit("#/", { key: `${key}/session/${sessionId}` })
  await page.locator(".approval").waitFor()
  await page.waitForURL(`${world().url}/#/session/${sessionId}`)
  await page.getByText("You are watching.").waitFor()
  expect(await page.getByLabel("Prompt", { exact: true }).count()).toBe(0)
  expect(await page.getByRole("button", { name: "Approve", exact: true }).count()).toBe(0)
  expect(await page.getByRole("button", { name: "Deny" }).count()).toBe(0)
  expect(await page.getByText("New session").count()).toBe(0)
  await expect.poll(() => axeFindings(page)).toEqual([])
  expect([...problems]).toEqual([])
})

it("lets a person who may only prompt deny, but not approve", async () => {
  const { sessionId } = await world().session([[{ call: { tool: "bash", input: { command: "true" } } }]], "go")
  const key = await world().link("--role", "drive", "--session", sessionId)
  const { page } = await world().visit(`#/session/${sessionId}`, { key })
  await page.locator(".approval").getByRole("button", { name: "Deny" }).waitFor()
  expect(await page.getByRole("button", { name: "Approve", exact: true }).count()).toBe(0)
  await expect.poll(() => page.locator(".approval").textContent()).toContain("does not permit approving")
})

it("says that a link was revoked while it was open, and that an unknown one has expired", async () => {
  const key = await world().link("--role", "watch")
  const { page } = await world().visit("#/", { key })
  await page.getByRole("heading", { name: "Pending" }).waitFor()
  await world().place.run("link", "--revoke", key.split(".")[0] ?? "")
  const text = "has expired or was revoked"
  await page.getByRole("alert").getByText(text).waitFor()
  const other = await world().visit("#/", { key: "lnk_none.of.these" })
  await expect.poll(() => other.page.getByRole("alert").textContent()).toContain(text)
})

it("runs nothing that a model, a tool, a file name or a title contains", async () => {
  const evil = "<img src=x onerror=\"window.ran='yes'\"><script>window.ran='yes'</script>"
  const markdown = [
    `# ${evil}`,
    `[link](javascript:window.ran='yes') [data](data:text/html,${encodeURIComponent(evil)}) ![image](https://example.org/p.png)`,
    `<iframe srcdoc="${evil}"></iframe>`,
    `| ${evil} | b |\n| --- | --- |\n| \`${evil}\` | [x](vbscript:1) |`,
    `\`\`\`html\n${evil}\n\`\`\``,
  ].join("\n\n")
  world().place.write("x.txt", evil)
  const steps = [
    [{ reasoning: evil }, { text: markdown }, { call: { tool: "read", input: { path: "x.txt" } } }],
    [{ call: { tool: evil.slice(0, 60), input: { path: evil } } }],
    [{ text: "The end." }],
  ]
  const { sessionId } = await world().session(steps, evil)
  const { page, problems } = await world().visit(`#/session/${sessionId}`)
  await page.getByText("The end.").waitFor()
  await page.locator(".call-head").first().click()
  expect(await page.evaluate("window.ran")).toBeUndefined()
  expect(await page.locator("main script, main iframe, main img, [onerror]").count()).toBe(0)
  const addresses = "Array.from(document.querySelectorAll('main .answer a'), (link) => link.href)"
  await expect.poll(() => page.evaluate(addresses)).toEqual(["https://example.org/p.png"])
  expect([...problems]).toEqual([])
})
