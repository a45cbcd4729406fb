// A sentence about the conversation, such as that an answer was not completed.
import type { NoticeLine } from "../state/lines.ts"
import type { WidgetView } from "./widget-view.ts"

export function Notice({ line, view }: { readonly line: NoticeLine; readonly view: WidgetView }) {
  const { texts } = view.appearance.value
  const { retry } = line
  const isLast = view.chat.lines.value.at(-1) === line
  return (
    <p class={line.text === "escalated" ? "notice good" : "notice"} role="status">
      <span>{texts[line.text]}</span>
      {retry !== undefined && isLast && (
        <button
          type="button"
          class="text-button"
          onClick={() => {
            view.chat.send(retry)
            view.focusMessage()
          }}
        >
          {texts.tryAgain}
        </button>
      )}
    </p>
  )
}
