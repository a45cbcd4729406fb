// Starts a session with its first prompt, and opens it in the page.
import { describeRefusal } from "../../../src/contract/text/describe-refusal.ts"
import type { SessionOptions } from "../../../src/contract/session-options.ts"
import type { PanelContext } from "../panels/panel.ts"
import { newPromptId } from "../state/ids.ts"
import { navigate } from "../state/route.ts"

/** Returns why it could not be started. */
export async function startSession(
  { access, list }: PanelContext,
  options: SessionOptions,
  text: string,
): Promise<string | undefined> {
  const created = await access.port.create(options)
  if (created.kind === "refused") return describeRefusal(created.refusal)
  const { handle } = created
  if (text.trim() !== "") {
    const sent = await handle.send({ type: "prompt", promptId: newPromptId(), text, ifBusy: "steer" })
    if (sent.kind === "refused") return describeRefusal(sent.refusal)
  }
  await list.refresh()
  navigate({ sessionId: handle.sessionId, panel: undefined })
  return undefined
}
