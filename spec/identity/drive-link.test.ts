// A link with the role drive, over the house wire of a real server: it can prompt but not approve.
import { existsSync } from "node:fs"
import { expect, it } from "vitest"
import { HouseClient, type SessionCommand } from "../../src/clients/house/house-client.ts"
import { eventually } from "../e2e/eventually.ts"
import { served } from "./served.ts"

const call = (file: string) => [{ call: { tool: "bash", input: { command: `touch ${file}` } } }]
const server = served({}, [call("first"), call("second"), [{ text: "Done." }]])

async function host(key: string): Promise<HouseClient> {
  return HouseClient.connect(`${server().url.replace("http", "ws")}/house`, { key })
}

async function linked(role: "drive" | "approve"): Promise<HouseClient> {
  const { stdout } = await server().place.run("link", "--json", "--role", role)
  const { url }: { url: string } = JSON.parse(stdout)
  return host(url.replace(/^.*#key=/, ""))
}

function waiting(client: HouseClient, tried: readonly string[] = []): Promise<`apr_${string}`> {
  return eventually("a request", async () => {
    const asked = await client.query({ type: "approvals" })
    const found = asked.kind === "answer" && Array.isArray(asked.value) ? asked.value : []
    return found.find(({ approvalId }) => !tried.includes(approvalId))?.approvalId
  })
}

it("a drive link cannot approve its own call or store a permission; it can deny, and an approve link can allow", async () => {
  const owner = await host(server().key)
  const made = await owner.create({ cwd: server().place.folder, origin: "test" })
  if (made.kind === "refused") throw new Error(made.refusal.code)
  const { sessionId } = made.handle
  const [driver, approver] = [await linked("drive"), await linked("approve")]
  const prompt: SessionCommand = { type: "prompt", promptId: "prm_1", text: "go", ifBusy: "wait" }
  expect(await driver.send(sessionId, prompt)).toMatchObject({ kind: "accepted" })
  const first = await waiting(driver)
  const yes: SessionCommand = { type: "approve", approvalId: first, approved: true }
  const missing = { kind: "refused", refusal: { code: "role.missing", role: "approve" } }
  expect(await driver.send(sessionId, yes)).toEqual(missing)
  expect(await driver.send(sessionId, { ...yes, remember: { pattern: "*", scope: "session" } })).toEqual(missing)
  expect(await driver.send(sessionId, { ...yes, policy: ["--yes"] })).toMatchObject({ kind: "refused" })
  expect(await driver.send(sessionId, { ...yes, approved: false })).toMatchObject({ kind: "accepted" })
  const second = await waiting(driver, [first])
  expect(await approver.send(sessionId, { ...yes, approvalId: second })).toMatchObject({ kind: "accepted" })
  await eventually("the approved call", () => existsSync(server().place.path("second")) || undefined)
  expect(existsSync(server().place.path("first"))).toBe(false)
  for (const client of [owner, driver, approver]) client.close()
})
