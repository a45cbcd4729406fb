// Places of the console as a part of its address, there and back. Pure.
import type { SessionId } from "../../../src/contract/ids.ts"

export interface Route {
  readonly sessionId: SessionId | undefined
  /** The panel in the drawer. */
  readonly panel: string | undefined
  /** Where the transcript is opened; at its end without one. */
  readonly place?: Place | undefined
}

export interface Place {
  /** The event that a search has found. */
  readonly seq: number
  /** A prompt is in the transcript where it was delivered, which is a later event. */
  readonly isPrompt: boolean
}

/** `#/`, `#/PANEL`, `#/session/ID`, `#/session/ID/PANEL`; the last two with a place: `?at=12`, of a prompt `?at=p12`. */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.split("?", 2)
  const [first, second, third] = path.replace(/^#\/?/, "").split("/", 3)
  if (first === "session" && second !== undefined && second !== "")
    return { sessionId: second, panel: named(third), place: placeIn(query) }
  return { sessionId: undefined, panel: named(first) }
}

export function routeHash({ sessionId, panel, place }: Route): string {
  const session = sessionId === undefined ? [] : ["session", sessionId]
  const at = sessionId === undefined || place === undefined ? "" : `?at=${place.isPrompt ? "p" : ""}${place.seq}`
  return `#/${[...session, ...(panel === undefined ? [] : [panel])].join("/")}${at}`
}

function placeIn(query: string): Place | undefined {
  const [, prompt, seq] = /^at=(p?)(\d{1,15})$/.exec(query) ?? []
  return seq === undefined ? undefined : { seq: Number(seq), isPrompt: prompt === "p" }
}

function named(part: string | undefined): string | undefined {
  return part === undefined || part === "" ? undefined : part
}
