// What all open cards have in common: a title, what is asked, errors and buttons.
import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"
import type { CardLine } from "../../state/lines.ts"
import type { WidgetTexts } from "../../api.ts"

interface CardFrameProps {
  readonly title: string
  readonly line: CardLine
  readonly texts: WidgetTexts
  readonly children: ComponentChildren
  readonly onSubmit: () => void
}

export function CardFrame({ title, line, texts, children, onSubmit }: CardFrameProps) {
  const id = useId()
  const errors = line.errors ?? []
  return (
    <form
      class="card"
      part="card"
      aria-labelledby={id}
      aria-busy={line.isBusy}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (line.isBusy !== true) onSubmit()
      }}
    >
      <h3 class="card-title" id={id}>
        {title}
      </h3>
      {children}
      <p class="error" role="alert">
        {errors.length > 0 && (errors.some(({ field }) => field !== "") ? texts.fixFields : texts.failed)}
      </p>
    </form>
  )
}

interface ButtonsProps {
  readonly yes: string
  readonly no?: string
  readonly isBusy: boolean
  readonly onNo?: () => void
}

/** The button of the form and, before it, the one that declines. They keep the focus while an answer is sent. */
export function CardButtons({ yes, no, isBusy, onNo }: ButtonsProps) {
  return (
    <div class="card-buttons">
      {no !== undefined && (
        <button
          type="button"
          class="button"
          aria-disabled={isBusy}
          onClick={() => {
            if (!isBusy) onNo?.()
          }}
        >
          {no}
        </button>
      )}
      <button type="submit" class="button main" aria-disabled={isBusy}>
        {yes}
      </button>
    </div>
  )
}
