// What a scenario file says. A scenario in words is about a session and is played on every door that can carry it; one
// in frames is about what a single wire says. docs/scenarios.md describes both for their authors.
import type { JsonObject } from "../../src/contract/json-object.ts"
import type { JsonValue } from "../../src/contract/values.ts"
import type { Step as ModelStep } from "../../src/models/offline/script/script.ts"

export const doorNames = ["ws", "rpc", "ipc", "house"] as const
export type DoorName = (typeof doorNames)[number]

interface Common {
  readonly title: string
  /** What the model says, call by call. */
  readonly model: readonly ModelStep[]
  /** Other models, by the name under which steps speak of them. */
  readonly models?: Readonly<Record<string, readonly ModelStep[]>>
  /** Tools that only look: a line for a shell, which gets the input on stdin. */
  readonly tools?: Readonly<Record<string, string>>
  readonly config?: JsonObject
  /** Files in the folder of the session, by their path. */
  readonly files?: Readonly<Record<string, string | { readonly base64: string }>>
}

export interface WordScenario extends Common {
  readonly door?: undefined
  /** On which doors it cannot be played, and why. */
  readonly cannot?: Partial<Readonly<Record<DoorName, string>>>
  readonly steps: readonly (WordStep & OnlyOn)[]
}

export interface FrameScenario extends Common {
  readonly door: DoorName
  readonly steps: readonly FrameStep[]
}

export type Scenario = WordScenario | FrameScenario

/** A step for some doors only, where each has its own rule. */
export interface OnlyOn {
  readonly on?: readonly DoorName[]
}

export type End = "done" | "cancelled" | "failed" | "step-limit"

export interface PromptStep {
  readonly prompt: string
  /** What becomes of it. `taken` unless told. */
  readonly is?: "taken" | "waits" | "refused"
  /** For this turn alone: one of `models`. */
  readonly model?: string
  readonly skill?: string
  /** A file of the folder that goes along. */
  readonly image?: string
}

export interface CallStep {
  readonly call: string
  readonly input?: JsonValue
}
export interface ResultStep {
  readonly result: string
  readonly says?: JsonValue
  readonly failed?: boolean
}
export interface ApprovalStep {
  readonly approval: string
}
export interface EndStep {
  readonly end: End
}
/** A single thing that the session tells. */
export type ToldStep = CallStep | ResultStep | ApprovalStep | EndStep

export type WordStep =
  | PromptStep
  | ToldStep
  | { readonly text: string }
  | { readonly reasoning: string }
  /** Each list in its order, whatever comes between. */
  | { readonly together: readonly (readonly ToldStep[])[] }
  | { readonly answer: "yes" | "no"; readonly is?: "taken" | "refused" }
  | { readonly cancel: true }
  | { readonly reconnect: true }
  | { readonly restart: RestartHow }
  | { readonly history: readonly JsonValue[] }
  | { readonly stored: JsonObject; readonly times?: number }
  | PlaceStep

/** What somebody does, or finds, in the folder of the session. */
export type PlaceStep =
  | { readonly write: string; readonly text?: string }
  | { readonly file: string; readonly holds: string | null }

/** Killed without a word, or asked to leave. */
export type RestartHow = "kill" | "leave"

/** On the connection of that name; `a` unless told, which is there from the beginning. */
export interface OnConnection {
  readonly to?: string
}

export type FrameStep = OnConnection &
  (
    | { readonly send: JsonValue }
    | { readonly expect: JsonObject }
    /** Any number of frames like this, until the texts of these members, put together, are whole. */
    | { readonly many: JsonObject; readonly joined: Readonly<Record<string, string>> }
    /** All of them, in any order. */
    | { readonly all: readonly JsonObject[] }
    | { readonly connect: string }
    | { readonly close: true }
    | { readonly closed: JsonValue }
    | { readonly restart: RestartHow }
    | PlaceStep
  )
