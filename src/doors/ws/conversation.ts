// Conversations that sockets of this door watch, with one watch and one encoder for all sockets of a conversation.
import type { HostPort } from "../../contract/host-port.ts"
import type { PromptId, TurnId } from "../../contract/ids.ts"
import type { By } from "../../contract/values.ts"
import { ConversationEncoder, type TurnFrames } from "../../protocols/ws/conversation-encoder.ts"
import { SharedSessions } from "../core/shared-session.ts"
import { Frame } from "./outbox.ts"

/** A socket that receives the turns of its own prompts and those that it joined. */
export interface Follower {
  follows(turnId: TurnId | undefined, promptIds: ReadonlySet<PromptId>): boolean
  /** `ends` with the last frame of a turn. */
  deliver(frames: readonly Frame[], ends: boolean): void
  /** The conversation can no longer be watched. */
  lost(): void
}

export type Conversations = SharedSessions<ConversationEncoder, Follower>

export interface ConversationDeps {
  readonly port: HostPort
  readonly now: () => number
  readonly keepaliveMs: number
  readonly by: By
}

export function openConversations({ port, now, keepaliveMs, by }: ConversationDeps): Conversations {
  return new SharedSessions((sessionId) => {
    let keepalive: NodeJS.Timeout | undefined
    const stopKeepalive = () => {
      clearInterval(keepalive)
      keepalive = undefined
    }
    return {
      open: () => port.open(sessionId, by),
      /** From the end of the last turn: earlier events have no frames. */
      load: async () => {
        const snapshot = await port.query({ type: "scene", sessionId, turns: 1 })
        const cursor = snapshot.kind === "answer" ? snapshot.value.restSeq : 0
        return { kind: "loaded", view: new ConversationEncoder(sessionId), cursor }
      },
      onItem: ({ view }, item, followers) => {
        if (item.kind === "lost") return followers.forEach((follower) => follower.lost())
        deliver(view.encode(item, now()), followers)
        if (view.waitsForStaff)
          keepalive ??= setInterval(() => deliver(view.keepalive(now()), followers), keepaliveMs).unref()
        else if (keepalive !== undefined) stopKeepalive()
      },
      onClosed: stopKeepalive,
    }
  })
}

/** The running turn so far, for a socket that joins now. */
export function sentFrames({ turn }: ConversationEncoder): readonly Frame[] {
  return (turn?.sent ?? []).map((event) => new Frame(event))
}

function deliver(encoded: TurnFrames | undefined, followers: ReadonlySet<Follower>): void {
  if (encoded === undefined) return
  const frames = encoded.events.map((event) => new Frame(event))
  for (const follower of followers)
    if (follower.follows(encoded.turnId, encoded.promptIds)) follower.deliver(frames, encoded.ends)
}
