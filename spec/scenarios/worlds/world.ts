// The process behind a door, and connections to it as they are on the wire. Everything is real: the program, its
// sockets and pipes, its home on disk; only the model is scripted.
import type { JsonObject } from "../../../src/contract/json-object.ts"
import type { JsonValue } from "../../../src/contract/values.ts"
import type { Place } from "../../e2e/place.ts"
import type { Running } from "../../e2e/running.ts"
import type { RestartHow } from "../scenario.ts"

export interface World {
  readonly place: Place
  /** Resolves when the process accepts connections. */
  start(): Promise<void>
  connect(): Promise<Wire>
  /** Ends the process and its connections, and starts it again. */
  restart(how: RestartHow): Promise<void>
  close(): Promise<void>
}

/** One connection. Received frames are checked against the protocol; an invalid one makes every wait fail. */
export interface Wire {
  /** A string is sent unchanged. */
  send(frame: JsonValue): Promise<void>
  /** Resolves with the frame of this number, from 0. Fails when the connection is closed before it. */
  frame(number: number): Promise<JsonObject>
  close(): Promise<void>
  /** How the process closed it. */
  readonly ended: Promise<JsonValue>
}

const signals = { kill: "SIGKILL", leave: "SIGTERM" } as const

export async function end(running: Running | undefined, how: RestartHow): Promise<void> {
  running?.signal(signals[how])
  await running?.ended
}

/** A frame of a protocol that uses lines. */
export function lineOf(frame: JsonValue): Buffer {
  return Buffer.from(`${typeof frame === "string" ? frame : JSON.stringify(frame)}\n`)
}

/** Frames were parsed from JSON, so a checked frame is a JSON object. */
export function asJson(frame: object): JsonObject {
  return Object.fromEntries(Object.entries(frame))
}
