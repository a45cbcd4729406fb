// The house wire: our own protocol, in the contract's own words, one JSON object per line. A client says hello, opens
// sessions and sends commands; the host answers each by its id and tells what happens in open sessions. Commands,
// events, deltas and refusals inside the frames are those of the contract and have checkers of their own.
import { z } from "zod"
import { SessionId, StepId } from "../../contract/ids.ts"
import { JsonValue, StreamedBlock } from "../../contract/values.ts"

const id = z.string().min(1).max(100)

export const ClientFrame = z.discriminatedUnion("type", [
  z.object({ type: z.literal("hello"), version: z.int(), key: z.string().optional() }),
  /** From here on everything after the cursor is told, first what is stored, then live. */
  z.object({ type: z.literal("open"), id, sessionId: SessionId, cursor: z.int().min(0) }),
  z.object({ type: z.literal("send"), id, sessionId: SessionId, command: JsonValue }),
  z.object({ type: z.literal("close"), sessionId: SessionId }),
])
export type ClientFrame = z.infer<typeof ClientFrame>

export const HostFrame = z.discriminatedUnion("type", [
  z.object({ type: z.literal("hello"), version: z.int(), host: z.string(), role: z.string() }),
  z.object({ type: z.literal("answer"), id, value: JsonValue }),
  z.object({ type: z.literal("refused"), id: id.optional(), refusal: JsonValue }),
  /** `stored` is the event as it lies in the log: one object with seq, at, v and type. */
  z.object({ type: z.literal("event"), sessionId: SessionId, stored: z.string() }),
  z.object({ type: z.literal("delta"), sessionId: SessionId, delta: JsonValue }),
  /** What an open step has said so far; the deltas that follow belong to it. */
  z.object({ type: z.literal("streamed"), sessionId: SessionId, stepId: StepId, blocks: z.array(StreamedBlock) }),
  /** Deltas were left out because the client did not keep up; events never are. Open again from the cursor. */
  z.object({ type: z.literal("gap"), sessionId: SessionId, cursor: z.int() }),
  z.object({ type: z.literal("closed"), sessionId: SessionId, reason: z.string() }),
])
export type HostFrame = z.infer<typeof HostFrame>
