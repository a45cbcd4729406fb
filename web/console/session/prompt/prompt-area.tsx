// Below the transcript: prompts that wait, and the box. Who may only watch gets a sentence instead.
import { useState } from "preact/hooks"
import { queuedPrompts } from "../../../../src/clients/session/session-model.ts"
import { describeRefusal } from "../../../../src/contract/text/describe-refusal.ts"
import { oneLine } from "../../../../src/contract/text/text.ts"
import { safe } from "../../../../src/display/safe-text.ts"
import type { UserEntry } from "../../../../src/projection/transcript.ts"
import type { SessionViewProps } from "../props.ts"
import { PromptBox } from "./prompt-box.tsx"

export function PromptArea({ store, context }: SessionViewProps) {
  const [taken, setTaken] = useState<{ readonly text: string; readonly id: string }>()
  const model = store.model.value
  if (model === undefined) return null
  if (!context.may("drive"))
    return (
      <p class="watch-only muted">
        {context.may("approve") ? "You can answer requests here." : "You are watching."} Your link does not permit
        prompts; links with <code>--role drive</code> do.
      </p>
    )
  const link = store.link.value
  if (link.kind === "ended") return <p role="alert">{describeRefusal(link.refusal)}</p>
  const user = context.access.caller.principal
  const edit = async (entry: UserEntry) => {
    const sent = await store.send({ type: "withdraw", promptId: entry.promptId })
    if (sent.kind === "accepted") setTaken({ text: entry.text, id: entry.promptId })
  }
  return (
    <>
      {model.status.inTurn && (
        <ul class="queue" aria-label="Queued prompts">
          {queuedPrompts(model).map((entry) => (
            <li key={entry.promptId}>
              <span>› {safe(oneLine(entry.text, 300))}</span>
              <span class="muted">queued</span>
              {entry.by.principal === user && (
                <button type="button" onClick={() => void edit(entry)}>
                  edit
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      <PromptBox store={store} context={context} taken={taken} />
    </>
  )
}
