// Frames of the house wire, the native protocol: one JSON object per line. A client sends hello, queries, opens sessions
// and sends commands; the host answers each by its id and sends what happens in open sessions. Commands, queries, events,
// deltas and refusals inside the frames are the contract's and have their own checkers.
import { z } from "zod"
import { SessionId, StepId } from "../../contract/ids.ts"
import { SessionOptions, ShellEnvironment } from "../../contract/session-options.ts"
import { JsonValue, Role, StreamedBlock, Who } from "../../contract/values.ts"

const id = z.string().min(1).max(100)
const env = ShellEnvironment.optional()
/** The principal for which another host speaks. Only on a host's socket: a client with a key speaks for itself. */
const who = Who.optional()
/** Everything after the cursor is sent, first what is stored, then live. */
const cursor = z.int().min(0)

export const ClientFrame = z.discriminatedUnion("type", [
  /** `door` is the client's name, shown to other clients that watch the same session. */
  z.object({
    type: z.literal("hello"),
    version: z.int(),
    key: z.string().optional(),
    door: z.string().max(40).optional(),
  }),
  z.object({ type: z.literal("query"), id, query: JsonValue }),
  /** With `snapshot` instead of a cursor the answer has the newest turns, and the events after them follow. */
  z.object({
    type: z.literal("open"),
    id,
    sessionId: SessionId,
    cursor: cursor.optional(),
    snapshot: z.object({ turns: z.int().min(1).max(1000) }).optional(),
    /** Asks for `live`. */
    live: z.boolean().optional(),
    /** Opens the session without watching it. */
    quiet: z.boolean().optional(),
    env,
    who,
  }),
  z.object({ type: z.literal("create"), id, wish: SessionOptions, env, who }),
  z.object({ type: z.literal("send"), id, sessionId: SessionId, command: JsonValue, who }),
  /** Stops watching the session. */
  z.object({ type: z.literal("close"), sessionId: SessionId }),
])
export type ClientFrame = z.infer<typeof ClientFrame>

export const HostFrame = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("hello"),
    version: z.int(),
    host: z.string(),
    role: z.string(),
    release: z.string(),
    pid: z.int(),
    /** How the host names this client; absent in older releases. */
    principal: z.string().optional(),
    /** What the key of the client permits; absent for the owner. */
    roles: z.array(Role).optional(),
  }),
  z.object({ type: z.literal("answer"), id, value: z.unknown() }),
  z.object({ type: z.literal("refused"), id: id.optional(), refusal: JsonValue }),
  /** `event` is the event as it is stored: one object with seq, at, v and type. */
  z.object({ type: z.literal("event"), sessionId: SessionId, seq: z.int(), event: JsonValue }),
  z.object({ type: z.literal("delta"), sessionId: SessionId, delta: JsonValue }),
  /** The text so far of an open step; the deltas that follow belong to it. */
  z.object({ type: z.literal("streamed"), sessionId: SessionId, stepId: StepId, blocks: z.array(StreamedBlock) }),
  /** For a client that asked: all that was stored and the text so far have been sent; what follows happens now. */
  z.object({ type: z.literal("live"), sessionId: SessionId }),
  /** Deltas were left out because the client did not keep up. Events never are: they follow from the cursor. */
  z.object({ type: z.literal("gap"), sessionId: SessionId, cursor }),
  z.object({ type: z.literal("closed"), sessionId: SessionId, refusal: JsonValue }),
])
export type HostFrame = z.infer<typeof HostFrame>
