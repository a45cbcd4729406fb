// Where a person writes to the agent: text over several lines, slash commands, files by picker, drop and paste.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { oneLine } from "../../../../src/contract/text/text.ts"
import type { Attachment } from "../../../../src/contract/values.ts"
import { SendingNote } from "../sending-note.tsx"
import type { SessionViewProps } from "../props.ts"
import { CompletionList, useCompletion, type Written } from "./completion.tsx"
import { Controls } from "./controls.tsx"
import { keptDraft, keepDraft } from "./drafts.ts"
import { readFiles } from "./read-files.ts"
import { submitLine } from "./submit.ts"

interface PromptBoxProps extends SessionViewProps {
  /** A queued prompt that was taken back. */
  readonly taken: { readonly text: string; readonly id: string } | undefined
}

const MAX_ROWS = 14
const MAX_UNSENT = 60

export function PromptBox({ store, context, taken }: PromptBoxProps) {
  const { sessionId } = store
  const box = useRef<HTMLTextAreaElement>(null)
  /** Where the cursor belongs once a completed text is drawn. */
  const placeCursor = useRef<number | undefined>(undefined)
  const [text, setText] = useState(() => keptDraft(sessionId))
  const [files, setFiles] = useState<readonly Attachment[]>([])
  const [note, setNote] = useState<string>()
  /** Sent and not yet accepted. */
  const [unsent, setUnsent] = useState("")
  const [cursor, setCursor] = useState(text.length)
  const completion = useCompletion(context, sessionId, { text, cursor })
  const inTurn = store.model.value?.status.inTurn === true

  useEffect(() => keepDraft(sessionId, text === "" ? unsent : text), [sessionId, text, unsent])
  useEffect(() => {
    if (taken === undefined) return
    setText(taken.text)
    box.current?.focus()
  }, [taken])

  const write = (written: Written) => {
    setText(written.text)
    setCursor(written.cursor)
    placeCursor.current = written.cursor
  }
  useLayoutEffect(() => {
    if (placeCursor.current !== undefined) box.current?.setSelectionRange(placeCursor.current, placeCursor.current)
    placeCursor.current = undefined
  }, [text])

  const add = async (list: Iterable<File>) => {
    const { attachments, problem } = await readFiles([...list], files)
    setFiles(attachments)
    setNote(problem)
  }
  const send = async () => {
    const sent = { text, files }
    if (text.trim() === "" && files.length === 0) return
    setText("")
    setFiles([])
    setNote(undefined)
    setUnsent(sent.text)
    const result = await submitLine({ store, context, text: sent.text, attachments: sent.files })
    setUnsent("")
    setNote(result.note)
    if (!result.isTaken) {
      setText((now) => (now === "" ? sent.text : now))
      setFiles((now) => (now.length === 0 ? sent.files : now))
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return
    if (completion.onKey(event, write)) return event.preventDefault()
    if (event.key !== "Enter" || event.shiftKey || event.altKey) return
    event.preventDefault()
    void send()
  }
  return (
    <form
      class="prompt-box"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        void add(event.dataTransfer?.files ?? [])
      }}
    >
      <CompletionList completion={completion} write={write} />
      {files.length > 0 && (
        <FileChips files={files} remove={(at) => setFiles(files.filter((_, other) => other !== at))} />
      )}
      <div class="prompt-row">
        <textarea
          ref={box}
          id="prompt"
          aria-label="Prompt"
          placeholder={inTurn ? "Add something for the next step" : "Ask for something. / commands, @ files"}
          rows={Math.min(MAX_ROWS, text.split("\n").length)}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value)
            setCursor(event.currentTarget.selectionStart)
          }}
          onKeyUp={(event) => setCursor(event.currentTarget.selectionStart)}
          onClick={(event) => setCursor(event.currentTarget.selectionStart)}
          onKeyDown={onKeyDown}
          onPaste={(event) => {
            const pasted = event.clipboardData?.files
            if (pasted === undefined || pasted.length === 0) return
            event.preventDefault()
            void add(pasted)
          }}
        />
        <button type="submit" class="send" disabled={text.trim() === "" && files.length === 0}>
          {inTurn ? "Queue" : "Send"}
        </button>
      </div>
      <Controls store={store} context={context} addFiles={(list) => void add(list)} />
      {unsent !== "" && <SendingNote what={`“${oneLine(unsent.slice(0, 4 * MAX_UNSENT), MAX_UNSENT)}”`} />}
      {note !== undefined && (
        <pre class="prompt-note" role="status">
          {note}
        </pre>
      )}
    </form>
  )
}

interface FileChipsProps {
  readonly files: readonly Attachment[]
  readonly remove: (at: number) => void
}

function FileChips({ files, remove }: FileChipsProps) {
  return (
    <ul class="file-chips" aria-label="Attached files">
      {files.map(({ name }, at) => (
        <li key={`${at} ${name}`}>
          {name}
          <button type="button" class="icon" aria-label={`Remove ${name}`} onClick={() => remove(at)}>
            ×
          </button>
        </li>
      ))}
    </ul>
  )
}
