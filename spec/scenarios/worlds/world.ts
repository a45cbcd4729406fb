// The process behind a door, and connections to it as they are on the wire. Everything is real: the program, its
// sockets and pipes, its home on disk; only the model is scripted.
import type { JsonObject } from "../../../src/contract/json-object.ts"
import type { JsonValue } from "../../../src/contract/values.ts"
import type { Place } from "../../e2e/place.ts"
import type { Running } from "../../e2e/running.ts"
import type { RestartHow } from "../scenario.ts"

export interface World {
  readonly place: Place
  /** The process is there and takes connections. */
  start(): Promise<void>
  connect(): Promise<Wire>
  /** Gone with all its connections, and there again. */
  restart(how: RestartHow): Promise<void>
  close(): Promise<void>
}

/** One connection. Frames are held against the protocol as they come; a wrong one makes every wait fail. */
export interface Wire {
  /** A text goes out as it is. */
  send(frame: JsonValue): Promise<void>
  /** The frame of that number, from 0, as soon as it is there. Fails when the connection is closed without it. */
  frame(number: number): Promise<JsonObject>
  close(): Promise<void>
  /** How the other side ended it. */
  readonly ended: Promise<JsonValue>
}

const signals = { kill: "SIGKILL", leave: "SIGTERM" } as const

export async function end(running: Running | undefined, how: RestartHow): Promise<void> {
  running?.signal(signals[how])
  await running?.ended
}

/** A frame on the wires that speak in lines. */
export function lineOf(frame: JsonValue): Buffer {
  return Buffer.from(`${typeof frame === "string" ? frame : JSON.stringify(frame)}\n`)
}

/** Frames are JSON by the time they are here; what a checker has typed is given back as such. */
export function asJson(frame: object): JsonObject {
  return Object.fromEntries(Object.entries(frame))
}
