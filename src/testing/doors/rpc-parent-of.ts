// For tests: a parent that drives a session of a host in memory through the stdio child protocol.
import { onTestFinished } from "vitest"
import { TestParent } from "../../doors/rpc/fixtures.ts"
import type { RpcDoorOptions } from "../../doors/rpc/door.ts"
import type { HostServices } from "../../host/session-host.ts"
import type { SessionActor } from "../../runner/session-actor.ts"
import type { Tool } from "../../tools/tool.ts"
import { history, newSession, testHost } from "../test-host.ts"
import { scriptedSource, type Step } from "../index.ts"
import { portOf } from "./served-host.ts"

export interface ParentAndChild {
  readonly parent: TestParent
  readonly session: SessionActor
  readonly texts: () => Promise<readonly string[]>
}

export interface Around {
  readonly tools?: readonly Tool[]
  readonly services?: Partial<HostServices>
  readonly door?: Partial<RpcDoorOptions>
}

export async function parentOf(
  steps: readonly Step[],
  { tools = [], services = {}, door = {} }: Around = {},
): Promise<ParentAndChild> {
  const source = scriptedSource(steps, { maxOutput: 10_000_000, contextWindow: 100_000_000 })
  const { host, log } = await testHost(source, tools, services)
  const session = await newSession(host, { origin: "rpc" })
  const parent = new TestParent()
  await parent.open(portOf(host), session.id, door)
  onTestFinished(() => host.close())
  const texts = async () =>
    (await history(log, session.id)).flatMap((event) => (event.type === "prompt.admitted" ? [event.text] : []))
  return { parent, session, texts }
}

export const go = { type: "prompt", id: "p", message: "go" }
