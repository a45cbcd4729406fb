// The house wire: our own protocol, in the contract's own words, one JSON object per line. A client says hello, asks,
// opens sessions and sends commands; the host answers each by its id and tells what happens in open sessions.
// Commands, queries, events, deltas and refusals inside the frames are those of the contract and have checkers of
// their own.
import { z } from "zod"
import { SessionId, StepId } from "../../contract/ids.ts"
import { SessionOptions, ShellEnvironment } from "../../contract/session-options.ts"
import { JsonValue, StreamedBlock, Who } from "../../contract/values.ts"

const id = z.string().min(1).max(100)
const env = ShellEnvironment.optional()
/** For whom another host speaks. It counts on the socket of a host alone: whoever has a key speaks for themselves. */
const who = Who.optional()
/** From here on everything after the cursor is told, first what is stored, then live. */
const cursor = z.int().min(0)

export const ClientFrame = z.discriminatedUnion("type", [
  /** `door` is what the client calls itself; whoever watches the same session is shown it. */
  z.object({
    type: z.literal("hello"),
    version: z.int(),
    key: z.string().optional(),
    door: z.string().max(40).optional(),
  }),
  z.object({ type: z.literal("query"), id, query: JsonValue }),
  /** With `snapshot` instead of a cursor the answer has the newest turns, and what is told begins after them. */
  z.object({
    type: z.literal("open"),
    id,
    sessionId: SessionId,
    cursor: cursor.optional(),
    snapshot: z.object({ turns: z.int().min(1).max(1000) }).optional(),
    /** The session is opened, and nothing of it is told. */
    quiet: z.boolean().optional(),
    env,
    who,
  }),
  z.object({ type: z.literal("create"), id, wish: SessionOptions, env, who }),
  z.object({ type: z.literal("send"), id, sessionId: SessionId, command: JsonValue, who }),
  /** The session is no longer watched. */
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
  }),
  z.object({ type: z.literal("answer"), id, value: z.unknown() }),
  z.object({ type: z.literal("refused"), id: id.optional(), refusal: JsonValue }),
  /** `event` is the event as it lies in the log: one object with seq, at, v and type. */
  z.object({ type: z.literal("event"), sessionId: SessionId, seq: z.int(), event: JsonValue }),
  z.object({ type: z.literal("delta"), sessionId: SessionId, delta: JsonValue }),
  /** What an open step has said so far; the deltas that follow belong to it. */
  z.object({ type: z.literal("streamed"), sessionId: SessionId, stepId: StepId, blocks: z.array(StreamedBlock) }),
  /** Deltas were left out because the client did not keep up; events never are: they follow from the cursor. */
  z.object({ type: z.literal("gap"), sessionId: SessionId, cursor }),
  z.object({ type: z.literal("closed"), sessionId: SessionId, refusal: JsonValue }),
])
export type HostFrame = z.infer<typeof HostFrame>
