// A shell without a sandbox cannot approve a call of its own session.
import { describe, expect, it } from "vitest"
import { eventsOf, objects } from "./e2e/printed.ts"
import { newPlace, program, type Place } from "./e2e/turnhouse.ts"

/** What each way of the attacker led to: an exit code, or what a socket sent before it was closed. */
interface AttackResults {
  readonly commands: readonly { readonly code: number; readonly stderr: string }[]
  readonly sockets: readonly { readonly path: string; readonly received: string }[]
}

/** Connects to each socket that is named, asks for a yes in the house wire's words, and prints what came back. */
const knocker = `
import { connect } from "node:net"
const [approval, session, ...paths] = process.argv.slice(2)
const frames = [
  { type: "hello", version: 1 },
  { type: "open", id: 1, sessionId: session },
  { type: "send", id: 2, sessionId: session, command: { type: "approve", approvalId: approval, approved: true } },
]
const tries = paths.map((path) => new Promise((resolve) => {
  let received = ""
  const socket = connect(path).on("data", (bytes) => (received += bytes)).on("error", () => {})
  socket.on("close", () => resolve({ path, received }))
  for (const frame of frames) socket.write(JSON.stringify(frame) + "\\n")
}))
console.log(JSON.stringify(await Promise.all(tries)))
`

/** Runs inside the tool; `waiting` is the call beside it. */
const attacker = `
import { spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
const [program, home, waiting, session] = process.argv.slice(2)
const env = { ...process.env, TURNHOUSE_HOME: home }
const approve = [program, "approve", waiting]
const clear = ["env", "-i", "PATH=" + process.env.PATH, "TURNHOUSE_HOME=" + home, "setsid", "--wait"]
const run = ([name, ...args]) => {
  const { status: code, stderr, stdout } = spawnSync(name, args, { env, encoding: "utf8" })
  return { code, stderr, stdout }
}
const drive = [program, "run", "--session", session, "--yes", "hello"]
const commands = [approve, [...clear, ...approve], [...clear, ...drive]].map(run)
const socketsIn = (folder) => readdirSync(folder).filter((name) => name.endsWith(".sock")).map((name) => folder + "/" + name)
const paths = [...socketsIn(home + "/hosts"), ...socketsIn(home + "/sessions")]
const knock = [process.execPath, "knocker.mjs", waiting, session, ...paths]
const sockets = [knock, [...clear, ...knock]].flatMap((way) => JSON.parse(run(way).stdout))
console.log(JSON.stringify({ commands, sockets }))
`

const bash = (command: string) => ({ call: { tool: "bash", input: { command } } })

/** Two calls of one step: a person allows the attacker, which then tries to allow the other one. */
async function runAttack(place: Place) {
  place.config({ tools: { sandbox: "off" } })
  place.write("attacker.mjs", attacker)
  place.write("knocker.mjs", knocker)
  const attack = `${process.execPath} attacker.mjs ${program} ${place.home} $(cat target)`
  const model = place.script([[bash(attack), bash("touch approved")], [{ text: "Done." }]])
  const running = place.start(["run", "go", "--json", "--wait", "10m", "--model", model])
  const [first, second] = await running.until("two requests", () => {
    const asked = eventsOf(running.stdout, "approval.requested")
    return asked.length === 2 ? asked : undefined
  })
  const [, called] = eventsOf(running.stdout, "tool.called")
  const [mine, other] = second?.callId === called?.callId ? [first, second] : [second, first]
  if (mine === undefined || other === undefined) throw new Error("two requests were expected")
  const [requests] = objects((await place.run("approvals", "--json")).stdout)
  place.write("target", `${other.approvalId} ${String(requests?.["sessionId"])}`)
  await place.run("approve", mine.approvalId)
  const { output } = await running.event("tool.ended")
  const ways: AttackResults = JSON.parse(output)
  return { running, ways, waiting: other.approvalId }
}

describe("a shell without a sandbox", () => {
  it("cannot approve its own call by command, by socket, or after clearing its environment", async (test) => {
    const place = newPlace(test)
    const { running, ways, waiting } = await runAttack(place)
    expect(ways.commands.map(({ code }) => code)).toEqual([3, 3, 3])
    expect(ways.commands[1]?.stderr).toMatch(/^turnhouse: 'approve' is refused: a tool of an agent started it, .*\n$/)
    expect(ways.sockets.map(({ path }) => path).join()).toMatch(/hosts\/.*sessions\//)
    expect(ways.sockets.map(({ received }) => received).join("")).toBe("")
    expect(place.has("approved")).toBe(false)
    expect(running.stderr).toMatch(/bash runs without a sandbox .* can read and change the home folder/)
    expect(running.stderr).toMatch(/refused a connection of process \d+: a tool started it/)
    expect((await place.run("approve", waiting)).code).toBe(0)
    expect((await running.ended).code).toBe(0)
    expect(place.has("approved")).toBe(true)
  })

  it("warns once per session that shells run without a sandbox", async (test) => {
    const place = newPlace(test)
    place.config({ tools: { sandbox: "off" } })
    const { stderr } = await place.start([
      "run",
      "go",
      "--yes",
      "--model",
      place.script([[bash("true")], [bash("true")], [{ text: "." }]]),
    ]).ended
    expect(stderr.match(/runs without a sandbox/g)).toHaveLength(1)
  })
})
