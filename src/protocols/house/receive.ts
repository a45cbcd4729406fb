// Lines of the house wire into frames. A bad line costs its sender an answer, not the connection.
import type { Recorded } from "../../contract/events.ts"
import { decodeEvent } from "../../contract/stored-event.ts"
import type { ClientFrame, HostFrame } from "./frames.ts"
import { checks } from "./generated/frames.js"

export const houseVersion = 1
/** A prompt with its attachments must fit. */
export const maxLineBytes = 32 * 1024 * 1024

export type Received<Frame> =
  | { readonly kind: "frame"; readonly frame: Frame }
  | { readonly kind: "bad"; readonly id: string | undefined; readonly what: string }

export function receiveFromClient(text: string): Received<ClientFrame> {
  const value = parse(text)
  if (checks.client(value)) return { kind: "frame", frame: value }
  return { kind: "bad", id: idOf(value), what: "this is not a frame of the house wire" }
}

export function receiveFromHost(text: string): Received<HostFrame> {
  const value = parse(text)
  if (checks.host(value)) return { kind: "frame", frame: value }
  return { kind: "bad", id: idOf(value), what: "the host said something that is not a frame of the house wire" }
}

export function readStored(stored: string): Recorded | undefined {
  const decoded = decodeEvent(stored)
  return decoded.kind === "event" ? decoded.recorded : undefined
}

function idOf(value: unknown): string | undefined {
  return typeof value === "object" && value !== null && "id" in value && typeof value.id === "string"
    ? value.id
    : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
