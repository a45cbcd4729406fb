// What a person writes with an answer: why a call is denied, the changed call, an answer to a question.
import type { RefObject } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import type { ShownCall } from "../../../../src/display/call-lines.ts"
import { editedCall, editText } from "../../../../src/display/edit-text.ts"
import type { JsonValue } from "../../../../src/contract/values.ts"

/** Before the next key: on the card it would be an answer. */
function useFocus<Field extends HTMLElement>(): RefObject<Field | null> {
  const field = useRef<Field>(null)
  useLayoutEffect(() => field.current?.focus(), [])
  return field
}

function onEscape(cancel: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== "Escape") return
    event.preventDefault()
    cancel()
  }
}

interface ReasonFormProps {
  readonly deny: (note: string) => void
  readonly cancel: () => void
}

export function ReasonForm({ deny, cancel }: ReasonFormProps) {
  const [note, setNote] = useState("")
  const field = useFocus<HTMLInputElement>()
  return (
    <form
      class="answer-form"
      onKeyDown={onEscape(cancel)}
      onSubmit={(event) => {
        event.preventDefault()
        deny(note.trim())
      }}
    >
      <label>
        Why? The agent reads it.
        <input ref={field} value={note} onInput={(event) => setNote(event.currentTarget.value)} />
      </label>
      <button type="submit" class="deny">
        Deny
      </button>
      <button type="button" onClick={cancel}>
        Back
      </button>
    </form>
  )
}

interface EditFormProps {
  readonly call: ShownCall
  readonly change: (input: JsonValue | undefined) => void
  readonly cancel: () => void
}

export function EditForm({ call, change, cancel }: EditFormProps) {
  const start = editText(call)
  const [text, setText] = useState(start.kind === "problem" ? "" : start.text.trimEnd())
  const [problem, setProblem] = useState<string>()
  const field = useFocus<HTMLTextAreaElement>()
  if (start.kind === "problem") return <p role="alert">{start.message}</p>
  const check = () => {
    const edited = editedCall(call, text)
    if (edited.kind === "problem") setProblem(edited.message)
    else if (edited.kind === "changed") change(edited.input)
    else cancel()
  }
  return (
    <form
      class="answer-form"
      onKeyDown={onEscape(cancel)}
      onSubmit={(event) => {
        event.preventDefault()
        check()
      }}
    >
      <label>
        Change the {start.kind}
        <textarea
          ref={field}
          rows={Math.min(16, text.split("\n").length + 1)}
          value={text}
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      {problem !== undefined && <p role="alert">{problem}</p>}
      <button type="submit">Look at it again</button>
      <button type="button" onClick={cancel}>
        Back
      </button>
    </form>
  )
}
