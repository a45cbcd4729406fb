// Tries out a question: what an agent would find, in its order, and why.
import { useId, useState } from "preact/hooks"
import type { DocumentSearch } from "../../../../src/contract/views/documents.ts"
import { safe } from "../../../../src/display/safe-text.ts"
import { useAnswer } from "../answer.ts"
import type { PanelContext } from "../panel.ts"
import { LOCAL, type DocumentPlace } from "./document-text.ts"
import { Explanation } from "./explanation.tsx"

const LIMIT = 10

interface TryOutProps {
  readonly port: PanelContext["port"]
  readonly isOwner: boolean
  readonly open: (place: DocumentPlace) => void
}

interface Asked {
  readonly text: string
  readonly org: string
  /** Undefined: everything that is not locked. */
  readonly groups: string[] | undefined
}

export function TryOut({ port, isOwner, open }: TryOutProps) {
  const [asked, setAsked] = useState<Asked>()
  const [text, setText] = useState("")
  const [org, setOrg] = useState<string>()
  const [groups, setGroups] = useState("")
  const orgs = useOrgs(port)
  const chosen = org ?? (orgs.includes(LOCAL) ? LOCAL : (orgs[0] ?? LOCAL))
  const id = useId()
  const search = () =>
    setAsked(text.trim() === "" ? undefined : { text: text.trim(), org: chosen, groups: groupsIn(groups) })
  return (
    <section aria-labelledby={id} class="try-out">
      <h3 id={id}>Try out a question</h3>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          search()
        }}
      >
        <label class="field">
          Question
          <input
            type="search"
            value={text}
            maxLength={2000}
            placeholder="How long can I return goods?"
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        {isOwner && (
          <details>
            <summary>As whom</summary>
            <label class="field">
              Organisation
              <select value={chosen} onChange={({ currentTarget }) => setOrg(currentTarget.value)}>
                {[...new Set([chosen, ...orgs])].map((one) => (
                  <option key={one} value={one}>
                    {safe(one)}
                  </option>
                ))}
              </select>
            </label>
            <label class="field">
              Groups
              <input
                value={groups}
                maxLength={1000}
                placeholder="all that are not locked"
                onInput={({ currentTarget }) => setGroups(currentTarget.value)}
              />
            </label>
            <p class="muted">
              Names with commas between them; <code>-</code> for a visitor without a group.
            </p>
          </details>
        )}
        <button type="submit" class="send">
          Search
        </button>
      </form>
      {asked !== undefined && <Result key={JSON.stringify(asked)} port={port} asked={asked} open={open} />}
    </section>
  )
}

/** Organisations that have documents. */
function useOrgs(port: PanelContext["port"]): readonly string[] {
  const answered = useAnswer("organisations", () => port.query({ type: "documents", limit: 1 }), "once")
  return answered.kind === "answer" ? answered.value.orgs : []
}

function groupsIn(text: string): string[] | undefined {
  if (text.trim() === "") return undefined
  return text
    .split(",")
    .map((group) => group.trim())
    .filter((group) => group !== "" && group !== "-")
}

interface ResultProps {
  readonly port: PanelContext["port"]
  readonly asked: Asked
  readonly open: (place: DocumentPlace) => void
}

function Result({ port, asked, open }: ResultProps) {
  const { groups, ...question } = asked
  const answered = useAnswer(
    "question",
    () =>
      port.query({ type: "search-documents", ...question, limit: LIMIT, ...(groups === undefined ? {} : { groups }) }),
    "once",
  )
  if (answered.kind === "asking") return <p class="empty late">Searching …</p>
  if (answered.kind === "problem") return <p role="alert">{answered.what}</p>
  const { passages, minFit } = answered.value
  return (
    <div class="found-passages">
      <p role="status">{verdict(answered.value)}</p>
      <Words search={answered.value} />
      <ol>
        {passages.map((passage) => (
          <li key={`${passage.name} ${passage.ordinal}`}>
            <Explanation
              passage={passage}
              minFit={minFit}
              open={() => open({ org: asked.org, name: passage.name, ordinal: passage.ordinal })}
            />
          </li>
        ))}
      </ol>
    </div>
  )
}

function verdict({ passages, minFit }: DocumentSearch): string {
  const fitting = passages.filter(({ isFitting }) => isFitting).length
  if (passages.length === 0) return "Nothing was found: no passage has these words."
  const needed = `cover at least ${percent(minFit)} of the question`
  if (passages.length > 0 && fitting === 0)
    return `Nothing fits: an agent gets nothing. A passage must ${needed}; these come nearest.`
  return `${fitting} of ${passages.length} passages fit: they, or another passage of their document, ${needed}.`
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}

/** What became of each word of the question. */
function Words({ search: { words, hasVectors } }: { readonly search: DocumentSearch }) {
  return (
    <details>
      <summary>Words of the question</summary>
      <table class="words">
        <thead>
          <tr>
            <th scope="col">word</th>
            <th scope="col">looked up as</th>
            <th scope="col">in passages</th>
            <th scope="col">weight</th>
          </tr>
        </thead>
        <tbody>
          {words.map(({ text, terms, state, passages, share }) => (
            <tr key={text}>
              <th scope="row">{safe(text)}</th>
              <td>{state === "used" ? safe(terms.join(", ")) : state}</td>
              <td>{passages}</td>
              <td>{share === 0 ? "" : percent(share)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="muted">
        {hasVectors ? "Meanings are compared too (vectors)." : "By words only: no vectors are compared."}
      </p>
    </details>
  )
}
