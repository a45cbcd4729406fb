// One sentence about the connection, when it is not there.
import type { LinkPhase } from "../state/link.ts"
import type { WidgetTexts } from "../api.ts"
import type { WidgetView } from "./widget-view.ts"

export function LinkNotice({ view }: { readonly view: WidgetView }) {
  const { texts } = view.appearance.value
  const phase = view.chat.phase.value
  const text = sentences[phase]
  return (
    <div class="link" role="status">
      {text !== undefined && (
        <p class={`link-text ${phase}`}>
          <span>{texts[text]}</span>
          {phase === "unavailable" && (
            <button type="button" class="text-button" onClick={() => view.chat.reconnect()}>
              {texts.retry}
            </button>
          )}
        </p>
      )}
    </div>
  )
}

const sentences: Readonly<Record<LinkPhase, keyof WidgetTexts | undefined>> = {
  idle: undefined,
  connecting: "connecting",
  online: undefined,
  offline: "offline",
  unavailable: "unavailable",
  "signed-out": "signedOut",
}
