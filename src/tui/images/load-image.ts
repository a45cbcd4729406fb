// The bytes of an image of the conversation: of a prompt, which has them, or of a result, whose event has them.
import type { HostPort } from "../../contract/host-port.ts"
import type { SessionModel } from "../../clients/session/session-model.ts"

/** `prm_1/0`: an item of the transcript and the number of its image. */
export function imageKey(item: string, at: number): string {
  return `${item}/${at}`
}

/** base64. Undefined if the item is not in the transcript any more, or has no bytes. */
export async function loadImage(session: SessionModel, key: string, port: HostPort): Promise<string | undefined> {
  const [id = "", at = ""] = key.split("/")
  const item = session.transcript.items.findLast(
    (one) => (one.kind === "user" && one.promptId === id) || (one.kind === "call" && one.callId === id),
  )
  if (item?.kind === "user") return item.attachments[Number(at)]?.data
  if (item?.kind !== "call" || item.images === undefined) return undefined
  const { seq } = item.images
  const answered = await port.query({ type: "result-images", sessionId: session.sessionId, seq })
  return answered.kind === "answer" ? answered.value.images[Number(at)]?.data : undefined
}
