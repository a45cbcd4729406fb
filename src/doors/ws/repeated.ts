// A message that is sent again because its sender does not know whether it has arrived. It is acknowledged again and
// stored once: a turn that still runs, or is still to come, is told to this socket from now on; of one that is over its
// end is told.
import type { SessionHandle } from "../../contract/house-port.ts"
import type { PromptId } from "../../contract/ids.ts"
import { ConversationView } from "../../protocols/ws/conversation-view.ts"
import type { ServerEvent } from "../../protocols/ws/frames.ts"
import type { Connection, Joined, Slot } from "./connection.ts"
import { Frame } from "./outbox.ts"

/** Where the message stands in the log, and under which id. */
export interface Known {
  readonly promptId: PromptId
  readonly seq: number
}

/** To be called while frames of turns are held back. */
export async function tellAgain(
  connection: Connection,
  { conversation, handle }: Joined,
  requestId: string,
  { promptId, seq }: Known,
): Promise<void> {
  connection.answer(requestId, "Processing your request...", {}, 202)
  const { view } = conversation
  if (connection.slot !== undefined) return // it is told here already
  const slot: Slot = { conversation, handle, requestId, promptId, turnId: undefined }
  connection.slot = slot
  if (view.turn?.promptIds.has(promptId) === true) return connection.tell(conversation.soFar(), false)
  if (view.isWaiting(promptId)) return
  const end = await endOf(handle, { promptId, seq }, connection.now)
  if (end !== undefined && connection.slot === slot) connection.tell([new Frame(end)], true)
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
