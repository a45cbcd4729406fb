// One item of the transcript. It follows its own signal: a change of another item does not draw it again.
import { useState } from "preact/hooks"
import type { ReadonlySignal } from "@preact/signals"
import { principalName } from "../../../../src/contract/rules/approval-answers.ts"
import { counted, moment } from "../../../../src/display/format.ts"
import { safe } from "../../../../src/display/safe-text.ts"
import type { AssistantEntry, NoticeEntry, TranscriptItem, UserEntry } from "../../../../src/projection/transcript.ts"
import { Markdown } from "../../../shared/markdown/markdown.tsx"
import { StreamedMarkdown } from "../../../shared/markdown/streamed-markdown.tsx"
import type { SessionStore } from "../../state/session-store.ts"
import { Attachments } from "./attachments.tsx"
import { CallCard } from "./call-card.tsx"

export interface ItemProps {
  readonly item: ReadonlySignal<TranscriptItem>
  readonly store: SessionStore
  /** The person at this page, who is called `you`. */
  readonly user: string
}

export function Item({ item, store, user }: ItemProps) {
  const { value } = item
  switch (value.kind) {
    case "user":
      return value.state === "waiting" ? null : <Prompt entry={value} user={user} />
    case "assistant":
      return <Answer entry={value} store={store} />
    case "call":
      return <CallCard call={value} store={store} />
    case "notice":
      return <Notice entry={value} />
  }
}

/** The author of prompts to an agent. */
const PARENT = /^session [\da-f-]{36}$/
const FOLDED_LENGTH = 2000

function Prompt({ entry, user }: { readonly entry: UserEntry; readonly user: string }) {
  const { text, by, attachments, untrustedSource, settledAt, at } = entry
  const [isOpen, setOpen] = useState(false)
  const author = untrustedSource ?? (by.principal === user ? "you" : principalName(by.principal))
  const isFolded = !isOpen && text.length > FOLDED_LENGTH
  const shown = isFolded ? text.slice(0, FOLDED_LENGTH) : text
  return (
    <div class="prompt">
      <header>
        <strong>{PARENT.test(author) ? "parent" : safe(author)}</strong>
        <time class="muted" dateTime={new Date(settledAt ?? at).toISOString()} title={moment(settledAt ?? at)}>
          {moment(settledAt ?? at).slice(11, 16)}
        </time>
      </header>
      <p class="prompt-text">{safe(shown)}</p>
      {isFolded && (
        <button type="button" class="fold" onClick={() => setOpen(true)}>
          +{counted(text.length - FOLDED_LENGTH, "character")}
        </button>
      )}
      <Attachments attachments={attachments} />
    </div>
  )
}

function Answer({ entry, store }: { readonly entry: AssistantEntry; readonly store: SessionStore }) {
  const live = store.live.value
  const isLive = live.stepId === entry.stepId
  const joint = entry.text === "" || entry.cutOff ? "" : "\n\n"
  const text = isLive && live.text !== "" ? `${entry.text}${joint}${live.text}` : entry.text
  const reasoning = isLive ? entry.reasoning + live.reasoning : entry.reasoning
  if (text.trim() === "" && reasoning.trim() === "") return null
  return (
    <div class="answer">
      <Reasoning text={reasoning.trim()} isOnly={text.trim() === "" && isLive} />
      {isLive ? <StreamedMarkdown text={text.trimStart()} /> : <Markdown text={text.trim()} />}
      {entry.cutOff && !isLive && <p class="muted">(cut off)</p>}
    </div>
  )
}

/** Folded to its first line; while nothing else is written, its newest lines show. */
function Reasoning({ text, isOnly }: { readonly text: string; readonly isOnly: boolean }) {
  if (text === "") return null
  const lines = text.split("\n")
  if (isOnly) return <p class="reasoning live">{safe(lines.slice(-3).join("\n"))}</p>
  return (
    <details class="reasoning">
      <summary>
        <span class="reasoning-first">{safe(lines[0] ?? "")}</span>
        {lines.length > 1 && <span class="muted"> +{counted(lines.length - 1, "line")}</span>}
      </summary>
      <p>{safe(lines.slice(1).join("\n"))}</p>
    </details>
  )
}

function Notice({ entry: { tone, text, end } }: { readonly entry: NoticeEntry }) {
  const kind = end === "failed" ? "s-danger" : tone === "warning" ? "s-warning" : "muted"
  return <p class={`notice ${kind}`}>{safe(text)}</p>
}
