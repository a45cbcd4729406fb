// For tests: sessions on the background host, and what they printed and stored.
import type { EventType } from "../../src/contract/events.ts"
import type { Step } from "../../src/models/offline/part.ts"
import { eventually } from "../e2e/eventually.ts"
import { isObject } from "../../src/contract/json-object.ts"
import { eventsOf } from "../e2e/printed.ts"
import type { Place } from "../e2e/turnhouse.ts"

/** The answer breaks off; the host that continues it after a crash gets the end. */
export const brokenOff: readonly Step[] = [
  [{ text: "I hold it" }, { hang: true }, { text: " no more." }],
  [{ text: "Mine now." }],
]

export async function madeSession(place: Place, steps: readonly Step[]): Promise<string> {
  const { code, stdout, stderr } = await place.run("new", "--model", place.script(steps))
  if (code !== 0) throw new Error(stderr)
  return stdout.trim()
}

/** Prompted by a process that has left again. */
export async function detachedTurn(place: Place, id: string, prompt: string): Promise<void> {
  const { code, stderr } = await place.run("run", "--session", id, "--detach", prompt)
  if (code !== 0) throw new Error(stderr)
}

/** The log, once it holds that many events of a type. */
export function logWith(place: Place, id: string, type: EventType, count = 1): Promise<string> {
  return eventually(`${count} ${type} in the log`, async () => {
    const log = await place.log(id)
    return eventsOf(log, type).length >= count ? log : undefined
  })
}

export function untilLogged(place: Place, id: string, text: string): Promise<string> {
  return eventually(`'${text}' in the log`, async () => {
    const log = await place.log(id)
    return log.includes(text) ? log : undefined
  })
}

/** The process that has the session open. */
export async function ownerOf(place: Place, id: string): Promise<number> {
  const host = (await place.sessions()).find((session) => session["id"] === id)?.["host"]
  const pid = isObject(host) ? host["pid"] : undefined
  if (typeof pid !== "number") throw new Error(`no host has session ${id} open`)
  return pid
}
