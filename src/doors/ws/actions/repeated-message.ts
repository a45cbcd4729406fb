// A message that is sent again because its client does not know whether it arrived. It is acknowledged again and stored
// once; a running or waiting turn is delivered to this socket from now on, and of an ended one its last frame.
import type { SessionHandle } from "../../../contract/host-port.ts"
import type { PromptId } from "../../../contract/ids.ts"
import { ConversationEncoder } from "../../../protocols/ws/conversation-encoder.ts"
import type { ServerEvent } from "../../../protocols/ws/frames.ts"
import type { Connection, Joined } from "../connection.ts"
import { sentFrames } from "../conversation.ts"
import { Frame } from "../outbox.ts"

/** Where the message is in the log. */
interface StoredPrompt {
  readonly promptId: PromptId
  readonly seq: number
}

/** Call while frames are held. Returns false and sends nothing if the turn failed or was cancelled. */
export async function repeatMessage(
  connection: Connection,
  { conversation, handle }: Joined,
  requestId: string,
  { promptId, seq }: StoredPrompt,
): Promise<boolean> {
  const isOpen = conversation.turn?.promptIds.has(promptId) === true || conversation.isWaiting(promptId)
  const end = isOpen ? undefined : await lastFrameOf(handle, { promptId, seq }, connection.now)
  if (end?.type === "error" || end?.type === "cancelled") return false
  connection.respond(requestId, "Processing your request...", {}, 202)
  if (connection.activeTurn !== undefined) return true // this socket receives it already
  connection.activeTurn = { conversation, handle, requestId, promptId, turnId: undefined }
  if (conversation.turn?.promptIds.has(promptId) === true) connection.deliver(sentFrames(conversation), false)
  else if (end !== undefined) connection.deliver([new Frame(end)], true)
  return true
}

/** Undefined if the turn has not ended. */
async function lastFrameOf(
  handle: SessionHandle,
  { promptId, seq }: StoredPrompt,
  now: number,
): Promise<ServerEvent | undefined> {
  const encoder = new ConversationEncoder(handle.sessionId)
  const found = new AbortController()
  let last: ServerEvent | undefined
  const unwatch = await handle.watch(
    seq - 1,
    (item) => {
      const encoded = found.signal.aborted ? undefined : encoder.encode(item, now)
      if (encoded?.ends !== true || !encoded.promptIds.has(promptId)) return
      last = encoded.events.at(-1)
      found.abort()
    },
    found.signal,
  )
  unwatch()
  return last
}
