// Turns on the background host, started by a command and checked in the log.
import { expect, type TestContext } from "vitest"
import type { EventType } from "../../src/contract/events.ts"
import type { LiveHost } from "../../src/log/event-log.ts"
import { eventually } from "../e2e/eventually.ts"
import { typesIn } from "../e2e/printed.ts"
import { newHostedPlace, type HostedPlace } from "./hosted-place.ts"
import { configureNoting, effectsIn, noteCall } from "./noting.ts"

export interface RunningTurn {
  readonly place: HostedPlace
  readonly id: string
  readonly host: LiveHost
}

export async function newSession(place: HostedPlace, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await place.run("new", ...args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  return stdout.trim()
}

/** No client watches the turn. */
export async function prompt(place: HostedPlace, sessionId: string): Promise<void> {
  expect(await place.run("run", "go", "--detach", "--session", sessionId)).toMatchObject({ code: 0 })
}

/** The log, as soon as such an event is in it. */
export function logWith(place: HostedPlace, sessionId: string, type: EventType, times = 1): Promise<string> {
  return eventually(`${type} is stored`, async () => {
    const log = await place.stored(sessionId)
    return typesIn(log).filter((one) => one === type).length >= times ? log : undefined
  })
}

export function turnEnded(place: HostedPlace, sessionId: string): Promise<string> {
  return logWith(place, sessionId, "turn.ended")
}

/** In the middle of an unsafe call that has had its effect and waits at the gate: there is no receipt yet. */
export async function startNotingTurn(test: TestContext): Promise<RunningTurn> {
  const place = newHostedPlace(test)
  configureNoting(place, "gated")
  const id = await newSession(place, "--model", place.script([[noteCall], [{ text: "Noted." }]]))
  await prompt(place, id)
  await eventually("it is noted", () => effectsIn(place)[0])
  return { place, id, host: await place.hostOtherThan() }
}

/** It takes nothing in any more, and waits for what must not be cut off. */
export async function isLeaving(place: HostedPlace, { hostId }: LiveHost): Promise<void> {
  await eventually("the host leaves", async () => {
    const hosts = await place.directory.hosts()
    if (hosts.kind === "refused") return undefined
    return hosts.value.some((host) => host.hostId === hostId && host.role !== "host") || undefined
  })
}
