// A passage that was found, and why: its fit, the words that it has, and what contributes to its score.
import type { FoundPassage } from "../../../../src/contract/views/documents.ts"
import { safe } from "../../../../src/display/safe-text.ts"

interface ExplanationProps {
  readonly passage: FoundPassage
  readonly minFit: number
  readonly open: () => void
}

export function Explanation({ passage, minFit, open }: ExplanationProps) {
  const { name, title, heading, snippet, score, fit, isFitting } = passage
  const place = [title === "" ? name : title, heading].filter(
    (part, at) => part !== "" && !(at === 1 && part === title),
  )
  return (
    <article class="found-passage" data-fits={isFitting ? "" : undefined}>
      <header>
        <button type="button" class="link" onClick={open}>
          {safe(place.join(" › "))}
        </button>
        <span class="muted">score {score.toFixed(2)}</span>
      </header>
      <p>{safe(snippet)}</p>
      <p class={isFitting ? "muted" : "unfit"}>{fitText(passage, minFit)}</p>
      <meter
        min={0}
        max={1}
        low={minFit}
        high={minFit}
        optimum={1}
        value={fit}
        aria-label={`covers ${percent(fit)} of the question`}
      />
      <details>
        <summary>Why</summary>
        <Why passage={passage} />
      </details>
    </article>
  )
}

function fitText({ fit, isFitting }: FoundPassage, minFit: number): string {
  if (!isFitting) return `does not fit: covers ${percent(fit)} of the question`
  return fit >= minFit ? `fits: covers ${percent(fit)} of the question` : "fits: another passage of the document does"
}

function Why({ passage: { words, parts, byWords, similarity } }: { readonly passage: FoundPassage }) {
  return (
    <>
      <dl class="matches">
        {words.map((word) => (
          <div key={word.text}>
            <dt>
              {safe(word.text)} <span class="muted">{safe(word.terms.join(", "))}</span>
            </dt>
            <dd>{placesOf(word)}</dd>
          </div>
        ))}
      </dl>
      {words.length === 0 && <p class="muted">It has no word of the question.</p>}
      <table class="words">
        <caption>Score {byWords.toFixed(2)} by words. How much lower it would be without:</caption>
        <tbody>
          {parts.map(({ kind, word, score }) => (
            <tr key={`${kind} ${word}`}>
              <th scope="row">{partText(kind, safe(word))}</th>
              <td>−{score.toFixed(2)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {similarity !== undefined && <p class="muted">Similar in meaning: {similarity.toFixed(2)} of 1.</p>}
    </>
  )
}

function placesOf({ count, isInHeading, isInTitle, isInName }: FoundPassage["words"][number]): string {
  const places = [
    ...(count === 0 ? [] : [`${count} × in the text`]),
    ...(isInHeading ? ["in the heading"] : []),
    ...(isInTitle ? ["in the title"] : []),
    ...(isInName ? ["in the name"] : []),
  ]
  return places.join(", ")
}

function partText(kind: FoundPassage["parts"][number]["kind"], word: string): string {
  return {
    word: `“${word}”`,
    title: "title and name",
    heading: "headings",
    nearness: "words that stand together",
  }[kind]
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}
