// The documents that this person may see, by name.
import { useState } from "preact/hooks"
import type { DocumentEntry } from "../../../../src/contract/views/documents.ts"
import { ago, counted } from "../../../../src/display/format.ts"
import { safe } from "../../../../src/display/safe-text.ts"
import { serverNow } from "../../state/server-clock.ts"
import { useAnswer } from "../answer.ts"
import type { PanelContext } from "../panel.ts"
import { audienceText, sizeText, type DocumentPlace } from "./document-text.ts"

const PAGE = 30

interface DocumentListProps {
  readonly port: PanelContext["port"]
  readonly open: (place: DocumentPlace) => void
}

export function DocumentList({ port, open }: DocumentListProps) {
  const [filter, setFilter] = useState("")
  const [offset, setOffset] = useState(0)
  const asked = useAnswer(`${offset} ${filter}`, () => port.query({ type: "documents", filter, offset, limit: PAGE }))
  if (asked.kind === "problem") return <p role="alert">{asked.what}</p>
  if (asked.kind === "asking") return <p class="empty late">Reading the list of documents …</p>
  const { documents, matching, total } = asked.value
  const shown = { from: asked.value.offset, to: asked.value.offset + documents.length }
  const turn = (by: number) => setOffset(Math.max(0, offset + by))
  return (
    <section aria-labelledby="documents">
      <h3 id="documents">{counted(total, "document")}</h3>
      {total === 0 && (
        <p class="empty">
          Agents have no documents yet. Add some with <code>turnhouse knowledge add PATH</code>.
        </p>
      )}
      {total > 0 && (
        <label class="field">
          Find
          <input
            type="search"
            value={filter}
            maxLength={200}
            onInput={({ currentTarget }) => {
              setFilter(currentTarget.value)
              setOffset(0)
            }}
          />
        </label>
      )}
      {total > 0 && matching === 0 && <p class="empty">No document has this name, title or set.</p>}
      <ul class="documents">
        {documents.map((document) => (
          <Row key={`${document.org} ${document.name}`} document={document} open={open} />
        ))}
      </ul>
      {matching > PAGE && (
        <p class="pages">
          <button type="button" disabled={shown.from === 0} onClick={() => turn(-PAGE)}>
            ← earlier
          </button>
          <span role="status">
            {shown.from + 1} to {shown.to} of {matching}
          </span>
          <button type="button" disabled={shown.to >= matching} onClick={() => turn(PAGE)}>
            more →
          </button>
        </p>
      )}
    </section>
  )
}

interface RowProps {
  readonly document: DocumentEntry
  readonly open: (place: DocumentPlace) => void
}

function Row({ document, open }: RowProps) {
  const { org, name, title, kind, passages, bytes, addedAt, sets, source = "" } = document
  const facts = [kind, counted(passages, "passage"), sizeText(bytes), `indexed ${ago(serverNow() - addedAt)}`]
  return (
    <li>
      <button type="button" class="link" onClick={() => open({ org, name })}>
        {safe(title === "" ? name : title)}
      </button>
      {title !== "" && <p class="muted">{safe(name)}</p>}
      <p class="muted">{facts.join(" · ")}</p>
      <p class="muted">{[audienceText(document), ...sets.map((set) => `set ${set}`)].map(safe).join(" · ")}</p>
      {source !== "" && source !== name && <p class="muted source">{safe(source)}</p>}
    </li>
  )
}
