// A session whose commands may connect to nothing that is listed: a person is asked. Real host, shell and sandbox.
import { expect, it } from "vitest"
import type { Config } from "../src/contract/config.ts"
import type { EventOf, EventType } from "../src/contract/events.ts"
import type { SessionHandle } from "../src/contract/host-port.ts"
import { needPackage } from "./need-package.ts"
import { World } from "./settings/world.ts"

/** No resolver is asked for a label of more than 63 characters: an allowed connection fails at once, with 502. */
const host = `${"long".repeat(20)}.example`
const fetchIt = `curl -sS -o /dev/null -w 'answer %{http_code}' http://${host}/`

function config(world: World, ...inputs: readonly { readonly tool: string; readonly input: object }[]): Config {
  const steps = inputs.map(({ tool, input }) => [{ call: { tool, input: { ...input } } }])
  return {
    model: world.script(...steps, [{ text: "done" }]),
    tools: { allow: ["bash", "bash_output"], network: { allow: [] } },
  }
}

interface Watched {
  readonly next: <Type extends EventType>(type: Type) => Promise<EventOf<Type>>
}

/** Each event is given out once, also if it came before it was asked for. */
async function watch(handle: SessionHandle): Promise<Watched> {
  const items: EventOf<EventType>[] = []
  let changed = Promise.withResolvers<void>()
  await handle.watch(0, (item) => {
    if (item.kind !== "event") return
    items.push(item.recorded.event)
    changed.resolve()
    changed = Promise.withResolvers<void>()
  })
  const next = async <Type extends EventType>(type: Type): Promise<EventOf<Type>> => {
    for (;;) {
      const at = items.findIndex((event) => event.type === type)
      const [found] = at < 0 ? [] : items.splice(at, 1)
      if (found !== undefined && isOf(found, type)) return found
      await changed.promise
    }
  }
  return { next }
}

function isOf<Type extends EventType>(event: EventOf<EventType>, type: Type): event is EventOf<Type> {
  return event.type === type
}

const prompt = { type: "prompt", promptId: "prm_network", text: "go", ifBusy: "wait" } as const

it("asks about a host, lists the request, and remembers the answer for the folder", async (test) => {
  needPackage("bwrap", "bubblewrap")
  const world = new World(test)
  const call = { tool: "bash", input: { command: fetchIt } }
  const running = await world.start(config(world, call, call))
  const handle = await world.created(running)
  const { next } = await watch(handle)
  await handle.send(prompt)
  const { approvalId } = await next("approval.requested")
  const listed = await world.program("approvals")
  expect(listed.stdout).toContain(`bash wants to connect to ${host}:80.`)
  expect(listed.stdout).toContain(`"host": "${host}"`)
  const remember = { pattern: host, scope: "folder" } as const
  expect(await handle.send({ type: "approve", approvalId, approved: true, remember })).toMatchObject({
    kind: "accepted",
  })
  expect((await next("tool.ended")).output).toContain("answer 502")
  expect((await next("tool.ended")).output).toContain("answer 502")
  await next("turn.ended")
  const granted = await world.program("approvals", "--granted")
  expect(granted.stdout).toContain(`commands connect to ${host} without approval in every session in`)
  const other = await world.created(running)
  const elsewhere = await watch(other)
  await other.send(prompt)
  expect((await elsewhere.next("tool.ended")).output).toContain("answer 502")
})

it("asks for a background shell after its call has ended, and a no is read with its output", async (test) => {
  needPackage("bwrap", "bubblewrap")
  const world = new World(test)
  const shell = { tool: "bash", input: { command: fetchIt, run_in_background: true } }
  const read = { tool: "bash_output", input: { id: "bash_1", timeout: 60 } }
  const handle = await world.session(config(world, shell, read))
  const { next } = await watch(handle)
  await handle.send(prompt)
  expect((await next("tool.ended")).output).toContain("Started in the background")
  const { approvalId, callId } = await next("approval.requested")
  expect((await next("shell.started")).callId).toBe(callId)
  await handle.send({ type: "approve", approvalId, approved: false, note: "not that one" })
  const { output } = await next("tool.ended")
  expect(output).toContain("answer 403")
  expect(output).toContain(`does not list ${host}, and`)
  expect(output).toContain("denied it (not that one)")
})
