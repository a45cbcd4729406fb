// The visitor enters the code that was sent to them.
import { useId, useRef } from "preact/hooks"
import { filled } from "../../options/texts.ts"
import type { CodeRequest } from "../../state/lines.ts"
import { afterRender } from "../after-render.ts"
import { CardButtons, CardFrame } from "./card-frame.tsx"
import type { CardProps } from "./card-props.ts"

export function CodeCard({ line, card, view }: CardProps & { readonly card: CodeRequest }) {
  const { texts } = view.appearance.value
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  const { attempts, destination } = card
  const verify = async () => {
    const code = input.current?.value.replaceAll(/\s/g, "") ?? ""
    if (code === "") return input.current?.focus()
    await view.chat.verify(line, code)
    await afterRender()
    if (input.current === null || !input.current.isConnected) return view.focusMessage()
    input.current.select()
  }
  return (
    <CardFrame title={texts.codeTitle} line={line} texts={texts} onSubmit={() => void verify()}>
      <p class="card-text">
        {texts.codeNeeded} {filled(texts.codeSent, { destination })}
      </p>
      <label class="field">
        <span class="label">{texts.code}</span>
        <input
          ref={input}
          class="input code"
          type="text"
          inputMode="numeric"
          autocomplete="one-time-code"
          maxLength={12}
          aria-invalid={attempts !== undefined}
          aria-describedby={attempts === undefined ? undefined : id}
        />
      </label>
      {attempts !== undefined && line.isBusy !== true && (
        <p class="error" id={id} role="alert">
          {filled(texts.wrongCode, { attempts })}
        </p>
      )}
      <CardButtons yes={texts.verify} isBusy={line.isBusy === true} />
    </CardFrame>
  )
}
