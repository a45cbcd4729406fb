// The page without an open session: what waits for a person, in all sessions.
import { useState } from "preact/hooks"
import type { SessionId } from "../../../src/contract/ids.ts"
import { describeRefusal } from "../../../src/contract/text/describe-refusal.ts"
import { oneLine } from "../../../src/contract/text/text.ts"
import type { OpenRequest } from "../../../src/contract/views/host.ts"
import type { SessionLine } from "../../../src/contract/views/status.ts"
import { ago, span } from "../../../src/display/format.ts"
import { folderName, titleOf } from "../../../src/display/session-rows.ts"
import { safe } from "../../../src/display/safe-text.ts"
import { answerRights, sendAnswer } from "../session/approvals/answer.ts"
import { RequestCard } from "../session/approvals/request-card.tsx"
import { useNow } from "../session/items/elapsed.tsx"
import type { PanelContext } from "../panels/panel.ts"
import { routeHash } from "../state/route.ts"
import { serverNow } from "../state/server-clock.ts"
import { StoryOffer } from "../stories/story-offer.tsx"
import { bodyOf, requestId } from "../layout/notifications.ts"
import { NewSession } from "./new-session.tsx"
import { NotifyButton } from "./notify-button.tsx"
import { requestOf } from "./request-of.ts"

export function StartPage({ context }: { readonly context: PanelContext }) {
  const { list } = context
  const requests = list.requests.value
  const problem = list.problem.value
  const isOwner = context.access.roles === undefined
  const [answered, setAnswered] = useState<readonly Answered[]>([])
  const keep = (one: Answered) => setAnswered((before) => [...before, one].slice(-MAX_ANSWERED))
  return (
    <div class="start">
      <section aria-labelledby="pending" class="pending">
        <h1 id="pending" tabIndex={-1}>
          Pending <span class="count">{requests.length}</span>
        </h1>
        <AnsweredHere answered={answered} />
        <div aria-live="assertive">
          {requests.map((request) => (
            <Pending key={requestId(request)} request={request} context={context} onAnswered={keep} />
          ))}
        </div>
        {requests.length === 0 && <p class="empty">Nothing waits for you.</p>}
        <NotifyButton />
      </section>
      {problem !== undefined && <p role="alert">{describeRefusal(problem)}</p>}
      {isOwner && <Beginnings context={context} />}
    </div>
  )
}

/** Who has no session yet is offered a story first. */
function Beginnings({ context }: { readonly context: PanelContext }) {
  if (!context.list.isRead.value) return null
  const hasNone = context.list.recent.value.length === 0
  const offers = [<NewSession key="new" context={context} />, <StoryOffer key="story" context={context} />]
  return <>{hasNone ? offers.toReversed() : offers}</>
}

/** What this window has answered, so that a card does not disappear without its outcome. */
interface Answered {
  readonly sessionId: SessionId
  readonly isApproved: boolean
  readonly text: string
}

/** The newest are shown. */
const MAX_ANSWERED = 3
const MAX_CALL = 120

function AnsweredHere({ answered }: { readonly answered: readonly Answered[] }) {
  return (
    <div role="status">
      <ul class="answered muted" aria-label="Answered here">
        {answered.map(({ sessionId, isApproved, text }, at) => (
          <li key={at}>
            {isApproved ? "✓ approved" : "⊘ denied"} ·{" "}
            <a href={routeHash({ sessionId, panel: undefined })}>{safe(oneLine(text, MAX_CALL))}</a>
          </li>
        ))}
      </ul>
    </div>
  )
}

interface PendingProps {
  readonly request: OpenRequest
  readonly context: PanelContext
  readonly onAnswered: (answered: Answered) => void
}

function Pending({ request, context, onAnswered }: PendingProps) {
  const line = context.list.requestLines.value.get(request.sessionId)
  if (request.kind === "escalation") return <Escalation request={request} line={line} />
  const { port } = context.access
  const open = requestOf(request)
  const answer: Parameters<typeof RequestCard>[0]["answer"] = async (given) => {
    const opened = await port.open(open.sessionId)
    if (opened.kind === "refused") return describeRefusal(opened.refusal)
    const problem = await sendAnswer((command) => opened.handle.send(command), open, given)
    if (problem === undefined)
      onAnswered({ sessionId: open.sessionId, isApproved: given.approved, text: bodyOf(request) })
    await context.list.refresh()
    return problem
  }
  return (
    <div class="pending-entry">
      <a href={routeHash({ sessionId: open.sessionId, panel: undefined })}>
        {line === undefined ? "session" : nameOf(line)}
      </a>
      <RequestCard
        request={open}
        folder={safe(line?.status.cwd ?? "")}
        rights={answerRights(context.access)}
        answer={answer}
      />
    </div>
  )
}

function Escalation({
  request: { sessionId, reason, askedAt },
  line,
}: {
  readonly request: Extract<OpenRequest, { kind: "escalation" }>
  readonly line: SessionLine | undefined
}) {
  return (
    <article class="approval escalation" tabIndex={0} aria-label="Needs a person">
      <header>
        <strong>needs a person</strong>
        <span class="muted">asked {span(Math.max(0, useNow() - askedAt))} ago</span>
      </header>
      <p>{safe(reason)}</p>
      <a href={routeHash({ sessionId, panel: undefined })}>{line === undefined ? "open the session" : nameOf(line)}</a>
    </article>
  )
}

function nameOf(line: SessionLine): string {
  return `${safe(folderName(line.status.cwd))} · ${safe(titleOf(line))} · ${ago(serverNow() - line.updatedAt)}`
}
