// The button in the corner, and the panel that it opens.
import { useEffect, useRef } from "preact/hooks"
import { Composer } from "./composer.tsx"
import { ChatIcon, CloseIcon, StartOverIcon } from "./icons.tsx"
import { LinkNotice } from "./link-notice.tsx"
import { Transcript } from "./transcript.tsx"
import { isPhone, keepFocusInside, useVisibleHeight } from "./phone.ts"
import type { WidgetView } from "./widget-view.ts"

export function Widget({ view }: { readonly view: WidgetView }) {
  const { position } = view.appearance.value
  const isOpen = position === "inline" || view.chat.isOpen.value
  return isOpen ? <Panel view={view} /> : <Launcher view={view} />
}

function Launcher({ view }: { readonly view: WidgetView }) {
  const { texts, position } = view.appearance.value
  const hasUnread = view.chat.hasUnread.value
  return (
    <button
      type="button"
      class={`launcher ${position} ${hasUnread ? "unread" : ""}`}
      part="launcher"
      aria-label={hasUnread ? texts.openUnread : texts.open}
      aria-haspopup="dialog"
      onClick={view.open}
    >
      <ChatIcon />
    </button>
  )
}

function Panel({ view }: { readonly view: WidgetView }) {
  const panel = useRef<HTMLElement>(null)
  const { chat, appearance } = view
  const { texts, title, position } = appearance.value
  const isInline = position === "inline"
  useVisibleHeight(panel)
  useEffect(() => chat.start(), [chat])
  const close = (event: KeyboardEvent) => {
    if (isInline || event.isComposing) return
    if (event.key === "Escape") {
      event.stopPropagation()
      view.close()
    } else if (isPhone()) keepFocusInside(event, panel.current)
  }
  const name = title ?? (chat.agentName.value || texts.title)
  return (
    <section
      ref={panel}
      class={`panel ${position}`}
      part="panel"
      role={isInline ? "region" : "dialog"}
      aria-label={name}
      aria-modal={!isInline && isPhone() ? true : undefined}
      tabIndex={-1}
      onKeyDown={close}
    >
      <div class="header" part="header">
        <h2 class="title">{name}</h2>
        <button
          type="button"
          class="plain"
          aria-label={texts.startOver}
          title={texts.startOver}
          onClick={() => {
            chat.startOver()
            view.focusMessage()
          }}
        >
          <StartOverIcon />
        </button>
        {!isInline && (
          <button type="button" class="plain" aria-label={texts.close} title={texts.close} onClick={view.close}>
            <CloseIcon />
          </button>
        )}
      </div>
      <Transcript view={view} />
      <LinkNotice view={view} />
      <Composer view={view} />
      <div class="hidden" role="status">
        {chat.announcement.value}
      </div>
    </section>
  )
}
