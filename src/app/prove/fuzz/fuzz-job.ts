// What the proof and the process that feeds one target say to each other: one JSON object per line.
import { memberIn, textIn } from "../../../contract/json-object.ts"
import type { JsonValue } from "../../../contract/values.ts"
import type { Figures, Found } from "./engine/fuzz-run.ts"
import { bytesOf, readable } from "./engine/readable.ts"

/** The argument of the process. */
export interface FuzzJob {
  readonly target: string
  readonly seed: number
  readonly frames: number
  readonly folder: string
  /** Whether inputs are wanted for real processes. */
  readonly samples: boolean
}

/** One of so many inputs also goes through real processes. */
export const SAMPLE_EVERY = 100

export type FuzzMessage =
  | { readonly kind: "progress"; readonly figures: Figures }
  /** Answered with a line when they have run. */
  | { readonly kind: "samples"; readonly inputs: readonly Uint8Array[] }
  | { readonly kind: "found"; readonly found: Found }
  | { readonly kind: "end"; readonly figures: Figures }

export function jobIn(value: JsonValue | undefined): FuzzJob {
  return {
    target: textIn(value, "target") ?? "",
    seed: numberIn(value, "seed"),
    frames: numberIn(value, "frames"),
    folder: textIn(value, "folder") ?? "",
    samples: memberIn(value, "samples") === true,
  }
}

export function encodeMessage(message: FuzzMessage): string {
  switch (message.kind) {
    case "samples":
      return JSON.stringify({ ...message, inputs: message.inputs.map(readable) })
    case "found":
      return JSON.stringify({ kind: "found", ...message.found, inputs: message.found.inputs.map(readable) })
    case "progress":
    case "end":
      return JSON.stringify({ kind: message.kind, ...message.figures })
  }
}

/** Undefined for a line that something else has printed. */
export function decodeMessage(line: JsonValue | undefined): FuzzMessage | undefined {
  switch (textIn(line, "kind")) {
    case "progress":
      return { kind: "progress", figures: figuresIn(line) }
    case "end":
      return { kind: "end", figures: figuresIn(line) }
    case "samples":
      return { kind: "samples", inputs: inputsIn(line) }
    case "found":
      return {
        kind: "found",
        found: {
          event: textIn(line, "event") ?? "",
          what: textIn(line, "what") ?? "",
          inputs: inputsIn(line),
          isRepeatable: memberIn(line, "isRepeatable") === true,
        },
      }
    default:
      return undefined
  }
}

function figuresIn(line: JsonValue | undefined): Figures {
  return {
    frames: numberIn(line, "frames"),
    wellFormed: numberIn(line, "wellFormed"),
    found: numberIn(line, "found"),
    covered: numberIn(line, "covered"),
    total: numberIn(line, "total"),
    stallMs: numberIn(line, "stallMs"),
    heapBytes: numberIn(line, "heapBytes"),
    descriptors: numberIn(line, "descriptors"),
  }
}

function inputsIn(line: JsonValue | undefined): readonly Uint8Array[] {
  const list = memberIn(line, "inputs")
  if (!Array.isArray(list)) return []
  return list.flatMap((input: JsonValue) => (typeof input === "string" ? [bytesOf(input)] : []))
}

function numberIn(value: JsonValue | undefined, name: string): number {
  const member = memberIn(value, name)
  return typeof member === "number" ? member : 0
}
