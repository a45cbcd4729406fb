// One session: its transcript, what needs a person, and the box for prompts.
import { describeRefusal } from "../../../src/contract/text/describe-refusal.ts"
import { folderName, titleOf } from "../../../src/display/session-rows.ts"
import { oneLine } from "../../../src/contract/text/text.ts"
import { safe } from "../../../src/display/safe-text.ts"
import { useConsole } from "../state/console.ts"
import { answerRights, sendAnswer } from "./approvals/answer.ts"
import { RequestCard } from "./approvals/request-card.tsx"
import type { SessionViewProps } from "./props.ts"
import { PromptArea } from "./prompt/prompt-area.tsx"
import { SessionNode } from "./session-node.tsx"
import { StatusLine } from "./status-line.tsx"
import { Transcript } from "./transcript.tsx"
import { StoryGuide } from "../stories/story-guide.tsx"

export function SessionView({ store, context }: SessionViewProps) {
  const link = store.link.value
  const isOpen = store.model.value !== undefined
  if (link.kind === "ended" && !isOpen)
    return (
      <p class="empty" role="alert">
        {describeRefusal(link.refusal)}
      </p>
    )
  if (!isOpen) return <p class="empty late">Opening the session …</p>
  return (
    <>
      <Header store={store} context={context} />
      <StoryGuide store={store} context={context} />
      <Transcript store={store} user={context.access.caller.principal} place={useConsole().route.value.place} />
      <div class="bottom">
        <Requests store={store} context={context} />
        <PromptArea store={store} context={context} />
        <StatusLine store={store} context={context} />
      </div>
    </>
  )
}

const MAX_TITLE = 200

function Header({ store, context }: SessionViewProps) {
  const model = store.model.value
  if (model === undefined) return null
  const { status } = model
  const name = titleOf({ status })
  return (
    <header class="session-header">
      <h1 title={safe(name)}>{safe(oneLine(name, MAX_TITLE))}</h1>
      <span class="muted session-folder" title={status.cwd}>
        {safe(folderName(status.cwd))}
      </span>
      {status.planMode && <strong class="badge">plan mode</strong>}
      <SessionNode store={store} context={context} />
    </header>
  )
}

/** They stay above the box until they are answered. */
function Requests({ store, context }: SessionViewProps) {
  const model = store.model.value
  const open = model?.requests.approvals ?? []
  const rights = answerRights(context.access)
  return (
    <section class="requests" aria-label="Waiting for a person" aria-live="assertive">
      {open.map((request) => (
        <RequestCard
          key={request.approvalId}
          request={request}
          folder={safe(model?.status.cwd ?? "")}
          openSession={store.sessionId}
          rights={rights}
          answer={(answer) => sendAnswer((command) => store.send(command), request, answer)}
        />
      ))}
    </section>
  )
}
