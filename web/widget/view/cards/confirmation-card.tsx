// A tool that changes something waits for the visitor's yes.
import type { Confirmation } from "../../../../src/clients/ws/index.ts"
import { CardButtons, CardFrame } from "./card-frame.tsx"
import type { CardProps } from "./card-props.ts"

export function ConfirmationCard({ line, card, view }: CardProps & { readonly card: Confirmation }) {
  const { texts } = view.appearance.value
  const answer = async (approved: boolean) => {
    await view.chat.confirm(line, approved)
    view.focusMessage()
  }
  return (
    <CardFrame title={texts.confirmTitle} line={line} texts={texts} onSubmit={() => void answer(true)}>
      <p class="card-text" dir="auto">
        {card.description || card.tool}
      </p>
      <CardButtons
        yes={texts.confirm}
        no={texts.reject}
        isBusy={line.isBusy === true}
        onNo={() => void answer(false)}
      />
    </CardFrame>
  )
}
