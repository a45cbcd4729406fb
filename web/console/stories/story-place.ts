// Where the guided story of a session is, from what is stored of it: a page that is opened in the middle, or another window,
// shows the same place. Pure.
import { textIn } from "../../../src/contract/json-object.ts"
import { storyPush, storyRemoteLog } from "../../../src/contract/rules/stories.ts"
import type { CallEntry, TranscriptItem } from "../../../src/projection/transcript.ts"

export interface StoryFacts {
  readonly items: readonly TranscriptItem[]
  /** When the push was requested; undefined while it does not wait for a person. */
  readonly askedAt: number | undefined
  /** When the server of this page was started; undefined where it does not say. */
  readonly serverStartedAt: number | undefined
}

export type StoryPlace =
  | { readonly kind: "working" }
  /** The push waits, and the server is still the one that asked. */
  | { readonly kind: "kill" }
  /** The push waits, and another process of the server has it. */
  | { readonly kind: "decide" }
  | { readonly kind: "running" }
  | { readonly kind: "denied" }
  | ({ readonly kind: "done" } & StoryResult)

export interface StoryResult {
  readonly push: CallEntry
  /** How often the push was started. */
  readonly starts: number
  /** Commits in the log of the remote, the first one included; undefined until it was read. */
  readonly commits: number | undefined
  /** Whether the server was started between the request and the answer. A later start hides it. */
  readonly isAcrossStart: boolean
}

export function storyPlace({ items, askedAt, serverStartedAt }: StoryFacts): StoryPlace {
  const pushes = callsOf(items, storyPush)
  const push = pushes[0]
  if (push === undefined) return { kind: "working" }
  const { state, approval } = push
  if (state === "asked" || state === "called")
    return { kind: askedAt === undefined ? "working" : isBetween(askedAt, serverStartedAt) ? "decide" : "kill" }
  if (state === "refused" || state === "cancelled") return { kind: "denied" }
  if (state !== "done") return { kind: "running" }
  const log = callsOf(items, storyRemoteLog).find((call) => call.state === "done")
  return {
    kind: "done",
    push,
    starts: pushes.filter(({ startedAt }) => startedAt !== undefined).length,
    commits: log?.output?.split("\n").filter((line) => line.trim() !== "").length,
    isAcrossStart: isBetween(push.at, serverStartedAt, approval?.decidedAt),
  }
}

/** All are times of the server's clock. */
function isBetween(from: number, at: number | undefined, to = Infinity): boolean {
  return at !== undefined && from < at && at < to
}

function callsOf(items: readonly TranscriptItem[], command: string): readonly CallEntry[] {
  return items.flatMap((item) => (item.kind === "call" && textIn(item.input, "command") === command ? [item] : []))
}
