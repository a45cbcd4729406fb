// A question of the agent, or of an MCP server of a running call: choices, and own words.
import { useRef, useState } from "preact/hooks"
import { serverName } from "../../../../src/contract/rules/call-requests.ts"
import { howToType } from "../../../../src/contract/rules/questions.ts"
import type { Question } from "../../../../src/contract/values.ts"
import { safe } from "../../../../src/display/safe-text.ts"
import { SendingNote } from "../sending-note.tsx"
import type { ApprovalCardProps } from "./approval-card.tsx"
import { useHandedFocus } from "./handed-focus.ts"

export function QuestionCard({ request, rights, session, answer }: ApprovalCardProps) {
  const { questions = [], reason, server } = request
  const [text, setText] = useState("")
  const [problem, setProblem] = useState<string>()
  const [isSending, setSending] = useState(false)
  const card = useRef<HTMLElement>(null)
  useHandedFocus(card)
  const send = async (given: Parameters<typeof answer>[0]) => {
    if (isSending) return
    setSending(true)
    setProblem(await answer(given))
    setSending(false)
  }
  const [only] = questions
  const isSingle = questions.length === 1 && only !== undefined && only.multiSelect !== true
  return (
    <article ref={card} class="approval question" tabIndex={0} data-approval={request.approvalId} aria-label="Question">
      <header>
        <strong>{server === undefined ? "question" : safe(`question of ${serverName(server)}`)}</strong>
        {session !== undefined && <span>{session}</span>}
      </header>
      {server !== undefined && <p>{safe(reason)}</p>}
      {questions.map((question) => (
        <Asked
          key={question.question}
          question={question}
          choose={isSingle && rights.mayDeny ? (label) => void send({ approved: true, answer: label }) : undefined}
        />
      ))}
      {!rights.mayDeny ? (
        <p class="muted">{rights.why}</p>
      ) : (
        <form
          class="answer-form"
          onSubmit={(event) => {
            event.preventDefault()
            if (text.trim() !== "") void send({ approved: true, answer: text })
          }}
        >
          <label>
            Type {howToType(questions)}
            <input value={text} onInput={(event) => setText(event.currentTarget.value)} />
          </label>
          <button type="submit" class="approve">
            Answer
          </button>
          <button type="button" class="deny" onClick={() => void send({ approved: false })}>
            Decline
          </button>
        </form>
      )}
      {isSending && <SendingNote what="Your answer" />}
      {problem !== undefined && <p role="alert">{problem}</p>}
    </article>
  )
}

interface AskedProps {
  readonly question: Question
  readonly choose: ((label: string) => void) | undefined
}

function Asked({ question: { question, options }, choose }: AskedProps) {
  return (
    <>
      <p>{safe(question)}</p>
      <ol class="options">
        {options.map(({ label, description }, at) => (
          <li key={label}>
            {choose === undefined ? (
              <span>{safe(label)}</span>
            ) : (
              <button type="button" onClick={() => choose(String(at + 1))}>
                {safe(label)}
              </button>
            )}
            {description !== undefined && <span class="muted"> {safe(description)}</span>}
          </li>
        ))}
      </ol>
    </>
  )
}
