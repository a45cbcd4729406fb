// A card asks the visitor for something. When it is answered, one line remains.
import type { CardLine } from "../../state/lines.ts"
import type { WidgetTexts } from "../../api.ts"
import { ChoiceCard } from "./choice-card.tsx"
import { CodeCard } from "./code-card.tsx"
import { ConfirmationCard } from "./confirmation-card.tsx"
import type { CardProps } from "./card-props.ts"
import { FormCard } from "./form-card.tsx"

export function Card({ line, view }: CardProps) {
  const { texts } = view.appearance.value
  if (line.outcome !== undefined) return <AnsweredCard line={line} texts={texts} />
  const { card } = line
  switch (card.type) {
    case "confirmation":
      return <ConfirmationCard line={line} card={card} view={view} />
    case "code":
      return <CodeCard line={line} card={card} view={view} />
    case "interaction":
      return card.kind === "choices" ? (
        <ChoiceCard line={line} card={card} view={view} />
      ) : (
        <FormCard line={line} card={card} view={view} />
      )
  }
}

function AnsweredCard({ line, texts }: { readonly line: CardLine; readonly texts: WidgetTexts }) {
  const { card, outcome, answer = "" } = line
  const about = card.type === "confirmation" ? card.description : answer
  const isDone = outcome === "accepted"
  return (
    <p class="answered">
      <span class="answered-mark" aria-hidden="true">
        {isDone ? "✓" : "–"}
      </span>
      <span>
        <strong>{texts[outcomeText(line)]}</strong>
        {about !== "" && <span class="answered-about">{about}</span>}
      </span>
    </p>
  )
}

function outcomeText({ card, outcome }: CardLine): keyof WidgetTexts {
  if (card.type === "code") return outcome === "accepted" ? "verified" : "codeOver"
  if (outcome === "elsewhere" || outcome === "over") return "answered"
  if (card.type === "confirmation") return outcome === "accepted" ? "confirmed" : "rejected"
  return outcome === "accepted" ? "submitted" : "declined"
}
