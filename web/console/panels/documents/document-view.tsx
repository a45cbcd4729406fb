// One document, passage by passage, around the one that was found.
import { useEffect, useRef, useState } from "preact/hooks"
import { counted } from "../../../../src/display/format.ts"
import { safe } from "../../../../src/display/safe-text.ts"
import { safeAddress } from "../../../shared/markdown/safe-address.ts"
import { useAnswer } from "../answer.ts"
import type { PanelContext } from "../panel.ts"
import { audienceText, sizeText, type DocumentPlace } from "./document-text.ts"

/** Passages that are shown together, and those before the one that was found. */
const SHOWN = 10
const BEFORE = 2

interface DocumentViewProps {
  readonly port: PanelContext["port"]
  readonly place: DocumentPlace
  readonly close: () => void
}

export function DocumentView({ port, place, close }: DocumentViewProps) {
  const { org, name, ordinal } = place
  const [from, setFrom] = useState(Math.max(0, (ordinal ?? 0) - BEFORE))
  const asked = useAnswer(
    `${org} ${name} ${from}`,
    () => port.query({ type: "document", org, name, from, limit: SHOWN }),
    "once",
  )
  const back = useRef<HTMLButtonElement>(null)
  const marked = useRef<HTMLLIElement>(null)
  useEffect(() => back.current?.focus(), [])
  useEffect(() => marked.current?.scrollIntoView({ block: "nearest" }), [asked.kind])
  const document = asked.kind === "answer" ? asked.value.document : undefined
  const passages = asked.kind === "answer" ? asked.value.passages : []
  const last = passages.at(-1)?.ordinal ?? 0
  return (
    <article class="document" aria-label="Document">
      <button type="button" ref={back} onClick={close}>
        ← all documents
      </button>
      {asked.kind === "asking" && <p class="empty late">Reading the document …</p>}
      {asked.kind === "problem" && <p role="alert">{asked.what}</p>}
      {asked.kind === "answer" && document === undefined && (
        <p role="alert">This document does not exist any more, or you may not see it.</p>
      )}
      {document !== undefined && (
        <>
          <h3>{safe(document.title === "" ? document.name : document.title)}</h3>
          <Source name={document.name} url={document.url} />
          <p class="muted">
            {[document.kind, counted(document.passages, "passage"), sizeText(document.bytes), audienceText(document)]
              .map(safe)
              .join(" · ")}
          </p>
          {from > 0 && (
            <button type="button" class="fold" onClick={() => setFrom(Math.max(0, from - SHOWN))}>
              earlier passages
            </button>
          )}
          <ol class="passages" start={from + 1}>
            {passages.map(({ ordinal: number, heading, text }) => (
              <li
                key={number}
                ref={number === ordinal ? marked : null}
                data-found={number === ordinal ? "" : undefined}
              >
                {heading !== "" && !text.includes(heading) && <p class="muted">{safe(heading)}</p>}
                <p class="passage-text">{safe(text)}</p>
              </li>
            ))}
          </ol>
          {last + 1 < document.passages && (
            <button type="button" class="fold" onClick={() => setFrom(last + 1)}>
              later passages
            </button>
          )}
        </>
      )}
    </article>
  )
}

function Source({ name, url }: { readonly name: string; readonly url: string | undefined }) {
  const address = url === undefined ? undefined : safeAddress(url)
  if (address === undefined) return <p class="muted">{safe(name)}</p>
  return (
    <p>
      <a href={address} rel="noopener noreferrer" target="_blank">
        {safe(name)}
      </a>
    </p>
  )
}
