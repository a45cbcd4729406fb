// The conversation: messages, cards and notices. It follows its end until the visitor scrolls up.
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import type { Line } from "../state/lines.ts"
import { Card } from "./cards/card.tsx"
import { AgentMessage, VisitorMessage } from "./message.tsx"
import { Notice } from "./notice.tsx"
import { Suggestions } from "./suggestions.tsx"
import type { WidgetView } from "./widget-view.ts"

/** Pixels from the end that count as the end. */
const NEAR = 60

export function Transcript({ view }: { readonly view: WidgetView }) {
  const { chat, appearance } = view
  const { texts, greeting, title } = appearance.value
  const box = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const lines = chat.lines.value
  const activity = chat.activity.value
  const last = lines.at(-1)
  useLayoutEffect(() => {
    if (box.current !== null && (isAtEnd.current || last?.kind === "visitor"))
      box.current.scrollTop = box.current.scrollHeight
  }, [lines, activity, chat.suggestions.value])
  const isWriting = last?.kind === "agent" && last.isStreaming === true
  return (
    <div
      ref={box}
      class="transcript"
      part="transcript"
      role="log"
      aria-live="off"
      aria-label={title ?? (chat.agentName.value || texts.title)}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR
      }}
    >
      {chat.hasEarlier.value && <Earlier view={view} />}
      {greeting !== undefined && !chat.hasEarlier.value && <AgentMessage texts={texts} text={greeting} />}
      {lines.map((line) => (
        <LineView key={line.id} line={line} view={view} />
      ))}
      {activity !== undefined && !isWriting && !isWaiting(last) && (
        <p class="activity">
          <span class="dots" aria-hidden="true">
            <i />
            <i />
            <i />
          </span>
          {chat.preamble.value === "" || activity === "waitingForStaff" ? texts[activity] : chat.preamble.value}
        </p>
      )}
      <Suggestions view={view} />
    </div>
  )
}

/** The visitor is asked, and nothing else happens. */
function isWaiting(line: Line | undefined): boolean {
  return line?.kind === "card" && line.outcome === undefined
}

function LineView({ line, view }: { readonly line: Line; readonly view: WidgetView }) {
  const { texts } = view.appearance.value
  switch (line.kind) {
    case "visitor":
      return <VisitorMessage texts={texts} text={line.text} />
    case "agent":
      return (
        <AgentMessage
          texts={texts}
          text={line.text}
          isStreaming={line.isStreaming === true}
          citations={line.citations}
        />
      )
    case "notice":
      return <Notice line={line} view={view} />
    case "card":
      return <Card line={line} view={view} />
  }
}

function Earlier({ view }: { readonly view: WidgetView }) {
  const [isLoading, setLoading] = useState(false)
  const load = async () => {
    setLoading(true)
    await view.chat.loadEarlier().catch(() => {}) // without a connection; the button stays
    setLoading(false)
  }
  return (
    <button type="button" class="text-button earlier" aria-disabled={isLoading} onClick={() => void load()}>
      {view.appearance.value.texts.earlier}
    </button>
  )
}
