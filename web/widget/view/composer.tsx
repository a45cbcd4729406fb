// Where the visitor writes. The draft outlives a reload.
import { SendIcon, StopIcon } from "./icons.tsx"
import type { WidgetView } from "./widget-view.ts"

export function Composer({ view }: { readonly view: WidgetView }) {
  const { chat } = view
  const { texts } = view.appearance.value
  const isBusy = chat.isBusy.value
  const send = () => {
    if (chat.send(chat.draft.value)) chat.write("")
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
    event.preventDefault()
    send()
  }
  return (
    <form
      class="composer"
      part="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send()
        view.focusMessage()
      }}
    >
      <textarea
        class="message"
        rows={1}
        dir="auto"
        enterkeyhint="send"
        aria-label={texts.message}
        placeholder={texts.placeholder}
        value={chat.draft}
        onInput={({ currentTarget }) => chat.write(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {isBusy ? (
        <button
          type="button"
          class="round"
          aria-label={texts.stop}
          title={texts.stop}
          onClick={() => {
            void chat.cancel()
            view.focusMessage()
          }}
        >
          <StopIcon />
        </button>
      ) : (
        <button
          type="submit"
          class="round main"
          aria-label={texts.send}
          title={texts.send}
          disabled={chat.draft.value.trim() === ""}
        >
          <SendIcon />
        </button>
      )}
    </form>
  )
}
