// A message that is sent again because its sender does not know whether it has arrived. It is acknowledged again and
// stored once: a turn that still runs, or is still to come, is told to this socket from now on; of one that is over its
// end is told.
import type { SessionHandle } from "../../../contract/house-port.ts"
import type { PromptId } from "../../../contract/ids.ts"
import { ConversationView } from "../../../protocols/ws/conversation-encoder.ts"
import type { ServerEvent } from "../../../protocols/ws/frames.ts"
import type { Connection, Joined } from "../connection.ts"
import { Frame } from "../outbox.ts"

/** Where the message stands in the log, and under which id. */
export interface Known {
  readonly promptId: PromptId
  readonly seq: number
}

/**
 * To be called while frames of turns are held back. False, with nothing told, where its turn failed or was cancelled.
 */
export async function tellAgain(
  connection: Connection,
  { conversation, handle }: Joined,
  requestId: string,
  { promptId, seq }: Known,
): Promise<boolean> {
  const { view } = conversation
  const isOpen = view.turn?.promptIds.has(promptId) === true || view.isWaiting(promptId)
  const end = isOpen ? undefined : await endOf(handle, { promptId, seq }, connection.now)
  if (end?.type === "error" || end?.type === "cancelled") return false
  connection.answer(requestId, "Processing your request...", {}, 202)
  if (connection.slot !== undefined) return true // it is told here already
  connection.slot = { conversation, handle, requestId, promptId, turnId: undefined }
  if (view.turn?.promptIds.has(promptId) === true) connection.tell(conversation.soFar(), false)
  else if (end !== undefined) connection.tell([new Frame(end)], true)
  return true
}

/** Nothing where it is still to come. */
async function endOf(handle: SessionHandle, { promptId, seq }: Known, now: number): Promise<ServerEvent | undefined> {
  const view = new ConversationView(handle.sessionId)
  const found = new AbortController()
  let end: ServerEvent | undefined
  const unwatch = await handle.watch(
    seq - 1,
    (item) => {
      const told = found.signal.aborted ? undefined : view.tell(item, now)
      if (told?.ends !== true || !told.promptIds.has(promptId)) return
      end = told.events.at(-1)
      found.abort()
    },
    found.signal,
  )
  unwatch()
  return end
}
