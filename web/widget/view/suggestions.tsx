// Quick replies below the newest answer.
import { filled } from "../options/texts.ts"
import type { Suggestion } from "../state/chat.ts"
import type { WidgetView } from "./widget-view.ts"

/** Characters of a reply on its button. */
const MAX_LABEL = 80

export function Suggestions({ view }: { readonly view: WidgetView }) {
  const { chat } = view
  const { texts } = view.appearance.value
  const suggestions = chat.suggestions.value
  if (suggestions.length === 0 || chat.isBusy.value) return null
  const label = ({ text, isRepeated }: Suggestion) => {
    const short = text.length > MAX_LABEL ? `${text.slice(0, MAX_LABEL)}…` : text
    return isRepeated === true ? filled(texts.askAgain, { text: short }) : short
  }
  return (
    <div class="suggestions" role="group" aria-label={texts.suggestions}>
      {suggestions.map((suggestion) => (
        <button
          key={suggestion.text}
          type="button"
          class="suggestion"
          dir="auto"
          onClick={() => {
            chat.send(suggestion.text)
            view.focusMessage()
          }}
        >
          {label(suggestion)}
        </button>
      ))}
    </div>
  )
}
