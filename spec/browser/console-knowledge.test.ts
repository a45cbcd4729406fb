// The panels of the console that look over all sessions and documents, and the search in the list of sessions.
import { beforeAll, expect, it } from "vitest"
import { axeFindings, scrollsSideways } from "./browser.ts"
import { consoleWorld } from "./console-world.ts"

const world = consoleWorld()

beforeAll(async () => {
  const { place } = world()
  place.write("returns.md", "# Returns\n\nSend goods back within thirty days of delivery. <b>Keep</b> the receipt.\n")
  place.write("shipping.md", "# Shipping\n\nA parcel takes three days.\n")
  place.write("salaries.md", "# Salaries\n\nThe clerk for returns earns two thousand.\n")
  for (const args of [
    ["returns.md", "shipping.md"],
    ["salaries.md", "--org", "acme", "--audience", "staff"],
  ]) {
    const { code, stderr } = await place.run("knowledge", "add", ...args)
    if (code !== 0) throw new Error(stderr)
  }
})

it("says why a question finds a passage, and opens it in its document", async () => {
  const { page, problems } = await world().visit("#/documents")
  await page.getByRole("heading", { name: "3 documents" }).waitFor()
  await page.getByRole("searchbox", { name: "Question" }).fill("How many days to send goods back?")
  await page.keyboard.press("Enter")
  await page.getByText(/^\d of \d passages fit/).waitFor()
  const found = page.locator(".found-passage").first()
  await found.getByText("Why").click()
  await found.getByText("1 × in the text").first().waitFor()
  await found.getByText("“goods”").waitFor()
  await page.getByText("Words of the question").click()
  await page.getByRole("row", { name: /^how stop word/ }).waitFor()
  await expect.poll(() => axeFindings(page)).toEqual([])
  await found.getByRole("button", { name: "Returns" }).click()
  await page.locator(".passages [data-found]").getByText("<b>Keep</b> the receipt.").waitFor()
  await expect.poll(() => axeFindings(page)).toEqual([])
  await page.getByRole("button", { name: "all documents" }).click()
  await page.getByRole("searchbox", { name: "Question" }).fill("Which quagga eats zebras in thirty countries?")
  await page.keyboard.press("Enter")
  await page.getByText("Nothing fits").waitFor()
  await page.getByLabel("Find").fill("salar")
  await page.getByText("only staff in organisation acme").waitFor()
  await expect.poll(() => page.locator(".documents li").count()).toBe(1)
  expect([...problems]).toEqual([])
})

it("searches as a member of an organisation, and finds what its groups may find", async () => {
  const { page } = await world().visit("#/documents", { width: 320 })
  await page.getByText("As whom").click()
  await page.getByLabel("Organisation").selectOption("acme")
  await page.getByRole("searchbox", { name: "Question" }).fill("What does the clerk earn?")
  await page.getByRole("button", { name: "Search", exact: true }).click()
  await page.locator(".found-passage").getByText("Salaries").first().waitFor()
  await expect.poll(() => scrollsSideways(page)).toBe(false)
  await page.getByLabel("Groups").fill("-")
  await page.getByRole("button", { name: "Search", exact: true }).click()
  await page.getByText("Nothing was found").waitFor()
})

it("adds up what all sessions took, and shows no documents to a person with a link", async () => {
  const steps = [[{ call: { tool: "read", input: { path: "returns.md" } } }], [{ text: "Thirty days." }]]
  const { sessionId } = await world().session(steps, "How long?")
  const { page, problems } = await world().visit(`#/session/${sessionId}`)
  await page.getByText("Thirty days.").first().waitFor()
  await page.evaluate(`location.hash = "#/usage"`)
  await page.getByRole("heading", { name: /2 model calls · 1 session$/ }).waitFor()
  await page.locator(".bars").getByText("read", { exact: true }).waitFor()
  await page.getByLabel("By").selectOption("agents")
  for (const chart of ["By agent", "Tool time by agent"])
    await page.getByRole("figure", { name: chart, exact: true }).getByText("sessions", { exact: true }).waitFor()
  await page.getByLabel("Days").selectOption("90")
  await page.getByRole("img", { name: /^Tokens: 90 columns/ }).waitFor()
  await expect.poll(() => axeFindings(page)).toEqual([])
  expect([...problems]).toEqual([])
  const key = await world().link("--role", "watch")
  const other = await world().visit("#/usage", { key, width: 320 })
  await other.page.getByRole("heading", { name: /2 model calls/ }).waitFor()
  await expect.poll(() => scrollsSideways(other.page)).toBe(false)
  expect(await other.page.getByRole("link", { name: "Documents" }).count()).toBe(0)
})

it("finds sessions by their text, with the keyboard, and opens the place in the transcript", async () => {
  const turns = 30 // more than are read at first
  const texts = Array.from({ length: turns }, (_, at) => (at === 2 ? "The quagga is extinct." : `Answer ${at}.`))
  const { sessionId } = await world().session(
    texts.map((text) => [{ text }]),
    "question 0",
  )
  const client = await world().connect()
  for (let at = 1; at < turns; at += 1)
    await client.send(sessionId, { type: "prompt", promptId: `prm_q${at}`, text: `question ${at}`, ifBusy: "wait" })
  client.close()
  const { page, problems } = await world().visit(`#/session/${sessionId}`)
  await page.getByText(`Answer ${turns - 1}.`).waitFor()
  await page.getByLabel("Search sessions").fill("quagga extinct")
  await page.locator(".found-text").getByText("The quagga is extinct.").waitFor()
  await expect.poll(() => axeFindings(page)).toEqual([])
  await page.getByLabel("Search sessions").press("Enter")
  await page.locator(".item[data-found]").getByText("The quagga is extinct.").waitFor()
  const isInView = `(() => {
    const { top, bottom } = document.querySelector(".item[data-found]").getBoundingClientRect()
    return top > 0 && bottom < innerHeight
  })()`
  await expect.poll(() => page.evaluate(isInView), { timeout: 30_000 }).toBe(true)
  await page.waitForURL(/\?at=/)
  expect([...problems]).toEqual([])
})
