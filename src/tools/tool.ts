// What a tool is to the runner. A tool first prepares (its process exists but has not been let go), the runner stores
// the intent, then the tool runs. A prepared call that is abandoned has had no effect.
import type { CallId, SessionId } from "../contract/ids.ts"
import type { JsonValue, ToolClass, ToolProcess } from "../contract/values.ts"

export interface Tool {
  readonly name: string
  readonly description: string
  readonly class: ToolClass
  /** JSON Schema, as models want it. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** A sentence about what is wrong with the input, or nothing. */
  readonly problem: (input: JsonValue) => string | undefined
  /** Names of things that two calls must not touch at once; calls that share one run in call order. */
  readonly resources: (input: JsonValue, cwd: string) => readonly string[]
  readonly prepare: (input: JsonValue, context: ToolContext) => Promise<PreparedCall>
}

export interface ToolContext {
  readonly sessionId: SessionId
  readonly callId: CallId
  readonly idempotencyKey: string
  readonly cwd: string
  /** Environment for processes that the tool starts. */
  readonly env: Readonly<Record<string, string>>
  /** Aborted when the call is cancelled: the tool's processes must be gone soon after. */
  readonly signal: AbortSignal
  readonly progress: (message: string, fraction?: number) => void
  /** For whom the call is made. */
  readonly caller?: Caller
  /** Whoever cuts text off takes secrets out first: half a secret is not recognised any more. */
  readonly scrubber?: TextScrubber
}

export interface Caller {
  readonly org: string
  readonly user: string
  readonly verifiedEmail?: string
  readonly verifiedPhone?: string
}

export interface TextScrubber {
  text(value: string): string
  /** Gives out only what can no longer become part of a secret. */
  stream(): { push(piece: string): string; end(): string }
}

export interface PreparedCall {
  readonly process?: ToolProcess
  run(): Promise<ToolResult>
  abandon(): void
}

export interface ToolResult {
  readonly outcome: "done" | "failed"
  readonly output: string
  readonly details?: JsonValue
}
