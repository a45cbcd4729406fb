// The scenario file format. A session scenario is about a session and is played on every door that supports it; a frame
// scenario is about the frames of one door. See docs/scenarios.md.
import type { JsonObject } from "../../src/contract/json-object.ts"
import type { JsonValue } from "../../src/contract/values.ts"
import type { Step as ModelStep } from "../../src/models/offline/part.ts"

export const doorNames = ["ws", "rpc", "ipc", "house"] as const
export type DoorName = (typeof doorNames)[number]

interface Common {
  readonly title: string
  /** The model's answers, call by call. */
  readonly model: readonly ModelStep[]
  /** Other models, by the names that steps use. */
  readonly models?: Readonly<Record<string, readonly ModelStep[]>>
  /** Read-only tools: a shell command, which gets the input on stdin. */
  readonly tools?: Readonly<Record<string, string>>
  readonly config?: JsonObject
  /** Files in the folder of the session, by their path. */
  readonly files?: Readonly<Record<string, string | { readonly base64: string }>>
}

export interface SessionScenario extends Common {
  readonly door?: undefined
  /** Doors that do not support it, and why. */
  readonly cannot?: Partial<Readonly<Record<DoorName, string>>>
  readonly steps: readonly (SessionStep & DoorFilter)[]
}

export interface FrameScenario extends Common {
  readonly door: DoorName
  readonly steps: readonly FrameStep[]
}

export type Scenario = SessionScenario | FrameScenario

/** Limits a step to some doors, where doors differ. */
export interface DoorFilter {
  readonly on?: readonly DoorName[]
}

export type End = "done" | "cancelled" | "failed" | "step-limit"

export interface PromptStep {
  readonly prompt: string
  /** The expected outcome. Default: `taken`. */
  readonly is?: "taken" | "waits" | "refused"
  /** For this turn only: one of `models`. */
  readonly model?: string
  readonly skill?: string
  /** A file of the session's folder, sent with the prompt. */
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
/** One expected observation. */
export type ObservedStep = CallStep | ResultStep | ApprovalStep | EndStep

export type SessionStep =
  | PromptStep
  | ObservedStep
  | { readonly text: string }
  | { readonly reasoning: string }
  /** The lists may interleave; each keeps its order. */
  | { readonly together: readonly (readonly ObservedStep[])[] }
  | { readonly answer: "yes" | "no"; readonly is?: "taken" | "refused" }
  | { readonly cancel: true }
  | { readonly reconnect: true }
  | { readonly restart: RestartHow }
  | { readonly history: readonly JsonValue[] }
  | { readonly stored: JsonObject; readonly times?: number }
  | WorkspaceStep

/** Writes or checks a file in the session's folder. */
export type WorkspaceStep =
  | { readonly write: string; readonly text?: string }
  | { readonly file: string; readonly holds: string | null }

/** By SIGKILL, or by a graceful stop. */
export type RestartHow = "kill" | "leave"

/** The connection's name. Default: `a`, which is open from the beginning. */
export interface OnConnection {
  readonly to?: string
}

export type FrameStep = OnConnection &
  (
    | { readonly send: JsonValue }
    | { readonly expect: JsonObject }
    /** Any number of such frames, until the joined texts of these fields are complete. */
    | { readonly many: JsonObject; readonly joined: Readonly<Record<string, string>> }
    /** All of them, in any order. */
    | { readonly all: readonly JsonObject[] }
    | { readonly connect: string }
    | { readonly close: true }
    | { readonly closed: JsonValue }
    | { readonly restart: RestartHow }
    | WorkspaceStep
  )
