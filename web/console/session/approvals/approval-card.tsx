// A request for approval: exactly what would run, why it is asked, and the answers. The same card on every page.
import { useRef, useState } from "preact/hooks"
import { rememberedCall } from "../../../../src/contract/rules/approval-answers.ts"
import type { JsonValue } from "../../../../src/contract/values.ts"
import { approvalChoices, grantablePattern, shownCall } from "../../../../src/display/approval-choices.ts"
import { contentOf, detailsText, noteSpans } from "../../../../src/display/call-preview.ts"
import type { ShownCall } from "../../../../src/display/call-lines.ts"
import { shortId, span } from "../../../../src/display/format.ts"
import { oneLine, withVisibleCharacters } from "../../../../src/contract/text/text.ts"
import { visibleSpans } from "../../../../src/display/visible-text.ts"
import type { OpenApproval } from "../../../../src/projection/open-requests.ts"
import { Spans } from "../../../shared/spans.tsx"
import { useNow } from "../items/elapsed.tsx"
import type { Answer, AnswerRights } from "./answer.ts"
import { EditForm, ReasonForm } from "./answer-forms.tsx"
import { SendingNote } from "../sending-note.tsx"
import { useHandedFocus } from "./handed-focus.ts"

export interface ApprovalCardProps {
  readonly request: OpenApproval
  readonly folder: string
  /** Where the session is named: on the start page. */
  readonly session?: string | undefined
  /** The session that is open; a request of another one is of an agent. */
  readonly openSession?: string | undefined
  readonly rights: AnswerRights
  readonly answer: (answer: Answer) => Promise<string | undefined>
}

type Step = "choose" | "deny" | "edit" | "details"

export function ApprovalCard(props: ApprovalCardProps) {
  const { request, folder, session, openSession, rights } = props
  const [step, setStep] = useState<Step>("choose")
  const [edited, setEdited] = useState<JsonValue>()
  const [problem, setProblem] = useState<string>()
  const [isSending, setSending] = useState(false)
  const [isMore, setMore] = useState(false)
  const card = useRef<HTMLElement>(null)
  useHandedFocus(card)
  const call = shownCall(request, edited)
  const isEdited = edited !== undefined
  const answer = async (given: Answer) => {
    setSending(true)
    setProblem(await props.answer(given))
    setSending(false)
  }
  const choose = (key: string) => {
    if (isSending) return
    setProblem(undefined)
    if (key === "y") return void answer({ approved: true, ...(isEdited ? { input: edited } : {}) })
    if (key === "n") return setStep(step === "deny" ? "choose" : "deny")
    if (key === "e") return setStep(step === "edit" ? "choose" : "edit")
    if (key === "d") return setStep(step === "details" ? "choose" : "details")
    const remember = rememberFor(key, request)
    if (remember !== undefined) void answer({ approved: true, remember })
  }
  const leaveForm = () => {
    setStep("choose")
    card.current?.focus()
  }
  const choices = approvalChoices(request, isEdited)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    if (step === "deny" || step === "edit") return // a letter belongs to the form
    if (event.repeat || !choices.some(({ key }) => key === event.key)) return
    if (event.key === "d" ? false : event.key === "n" ? !rights.mayDeny : !rights.mayApprove) return
    event.preventDefault()
    event.stopPropagation()
    choose(event.key)
  }
  return (
    <article
      ref={card}
      class="approval"
      tabIndex={0}
      data-approval={request.approvalId}
      aria-label={`Approve ${oneLine(request.tool, 40)}`}
      onKeyDown={onKeyDown}
    >
      <header>
        <strong>{isEdited ? "approve the changed call" : "approve"}</strong>
        {session !== undefined && <span>{session}</span>}
        <Asked request={request} />
      </header>
      <Preview call={call} />
      <p class="muted">
        in {folder}
        {openSession !== undefined && request.sessionId !== openSession && ` · for agent ${shortId(request.sessionId)}`}
        <br />
        why: {oneLine(request.reason, 1000)}
      </p>
      <div class="answers">
        {rights.mayDeny && (
          <button
            type="button"
            class="deny"
            aria-disabled={isSending}
            aria-keyshortcuts="n"
            onClick={() => choose("n")}
          >
            Deny
          </button>
        )}
        {rights.mayApprove && (
          <button
            type="button"
            class="approve"
            aria-disabled={isSending}
            aria-keyshortcuts="y"
            onClick={() => choose("y")}
          >
            {isEdited ? "Approve the changed call" : "Approve"}
          </button>
        )}
        <button type="button" class="only-phone" aria-expanded={isMore} onClick={() => setMore(!isMore)}>
          More
        </button>
        <div class="more-answers" data-open={isMore}>
          {choices.map(({ key, label }) =>
            key === "y" || key === "n" || (key !== "d" && !rights.mayApprove) ? null : (
              <button
                key={key}
                type="button"
                aria-disabled={isSending}
                aria-keyshortcuts={key}
                onClick={() => choose(key)}
              >
                <kbd>{key}</kbd> {label}
              </button>
            ),
          )}
        </div>
      </div>
      {rights.why !== undefined && <p class="muted">{rights.why}</p>}
      {step === "deny" && (
        <ReasonForm
          deny={(note) => void answer({ approved: false, ...(note === "" ? {} : { note }) })}
          cancel={leaveForm}
        />
      )}
      {step === "edit" && (
        <EditForm
          call={call}
          change={(input) => {
            setEdited(input)
            leaveForm()
          }}
          cancel={leaveForm}
        />
      )}
      {step === "details" && <pre tabIndex={0}>{detailsText(call)}</pre>}
      {isSending && <SendingNote what="Your answer" />}
      {problem !== undefined && <p role="alert">{problem}</p>}
    </article>
  )
}

function rememberFor(key: string, { tool, input, ...rest }: OpenApproval): Answer["remember"] {
  if (key === "t") return rememberedCall(tool, input)
  const pattern = grantablePattern({ tool, input, ...rest })
  if (pattern === undefined || (key !== "a" && key !== "f")) return undefined
  return { pattern, scope: key === "a" ? "session" : "folder" }
}

function Asked({ request: { at, expiresAt } }: Pick<ApprovalCardProps, "request">) {
  const now = useNow()
  const left = expiresAt === undefined ? "" : ` · denied in ${span(Math.max(0, expiresAt - now))} without an answer`
  return (
    <span class="muted">
      asked {span(Math.max(0, now - at))} ago{left}
    </span>
  )
}

/** Nothing is folded: hidden characters show, and a long call scrolls. */
function Preview({ call }: { readonly call: ShownCall }) {
  const { head, note, body } = contentOf(call)
  return (
    <pre class="call-preview" tabIndex={0}>
      <strong>{withVisibleCharacters(oneLine(call.tool, 100))}</strong>
      {head !== "" && "  "}
      <Spans line={[...visibleSpans(head), ...noteSpans(note)]} />
      {body.map((line, at) => (
        <div key={at}>
          <Spans line={visibleSpans(line.text === "" ? " " : line.text, line.styles)} />
        </div>
      ))}
    </pre>
  )
}

export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}
