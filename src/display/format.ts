// Numbers, times, ids and arguments as people read them.
import { withVisibleCharacters } from "../contract/text/text.ts"
import type { JsonValue } from "../contract/values.ts"

/** The beginning of a session id that tells sessions apart: its time stamp. */
export function shortId(sessionId: string): string {
  return sessionId.slice(0, 13)
}

/** `1 session`, `2 sessions`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`
}

const minuteMs = 60_000

export function ago(ms: number): string {
  return ms < minuteMs ? "just now" : `${span(ms)} ago`
}

/** In the largest fitting unit: `5 min`, `3 h`, `12 d`. */
export function span(ms: number): string {
  const minutes = Math.floor(ms / minuteMs)
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1000))} s`
  if (minutes < 60) return `${minutes} min`
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h`
  return `${Math.floor(minutes / 1440)} d`
}

/** To the second, in the local time zone. */
export function moment(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * minuteMs)
  return local.toISOString().replace("T", " ").slice(0, 19)
}

/** From the first cent. */
export function costText({ usd, unpricedCalls }: { readonly usd: number; readonly unpricedCalls: number }): string {
  if (unpricedCalls > 0) return usd === 0 ? "price unknown" : `$${usd.toFixed(2)}+`
  if (usd === 0) return ""
  return usd < 0.01 ? "<$0.01" : `$${usd.toFixed(2)}`
}

/**
 * For the user who decides about a call: nothing is folded or cut. Characters that a terminal would hide, reverse or act
 * on are shown as JSON escapes.
 */
export function exactArguments(input: JsonValue, indent = 2): string {
  return withVisibleCharacters(JSON.stringify(input, null, indent))
}

/** With `~` for the home folder of the user. */
export function shownFolder(folder: string, home: string): string {
  return folder === home || folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder
}
