// Queries of `attach`. An answer of another shape comes from a host of another release.
import type { HostPort } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { By, JsonValue } from "../../contract/values.ts"
import type { TranscriptItem } from "../../projection/transcript.ts"
import { AppFault, refusalFault } from "../../app/app-fault.ts"
import { exitCodes } from "../../app/exit-codes.ts"

export interface TranscriptAnswer {
  /** The cursor to watch from. */
  readonly seq: number
  readonly items: readonly TranscriptItem[]
  /** There are earlier items. */
  readonly earlier: boolean
}

export async function askTranscript(port: HostPort, sessionId: SessionId, turns: number): Promise<TranscriptAnswer> {
  return ask(port, { type: "transcript", sessionId, turns }, readTranscript)
}

export async function askWatching(port: HostPort, sessionId: SessionId): Promise<readonly By[]> {
  return ask(port, { type: "session", sessionId }, readWatching)
}

export async function ask<Value>(
  port: HostPort,
  query: Parameters<HostPort["query"]>[0],
  read: (value: JsonValue) => Value | undefined,
): Promise<Value> {
  const answered = await port.query(query)
  if (answered.kind === "refused") throw refusalFault(answered.refusal)
  const value = read(answered.value)
  if (value !== undefined) return value
  throw new AppFault(
    `the host's answer to '${query.type}' cannot be read: it runs another release. Replace it with 'turnhouse host --replace'.`,
    exitCodes.unreachable,
  )
}

function readTranscript(value: unknown): TranscriptAnswer | undefined {
  return isTranscript(value) ? value : undefined
}

function readWatching(value: unknown): readonly By[] | undefined {
  return isSessionLine(value) ? value.watching : undefined
}

function isTranscript(value: unknown): value is TranscriptAnswer {
  if (typeof value !== "object" || value === null || !("seq" in value && "items" in value && "earlier" in value))
    return false
  return typeof value.seq === "number" && typeof value.earlier === "boolean" && isItems(value.items)
}

function isItems(value: unknown): value is readonly TranscriptItem[] {
  return Array.isArray(value) && value.every((item) => typeof item === "object" && item !== null && "kind" in item)
}

function isSessionLine(value: unknown): value is { readonly watching: readonly By[] } {
  return typeof value === "object" && value !== null && "watching" in value && Array.isArray(value.watching)
}
