// The agent asks for the visitor's name, e-mail address or phone number. Errors are shown at their fields, all at once.
import { useId, useRef } from "preact/hooks"
import type { Interaction } from "../../../../src/clients/ws/index.ts"
import { identityFields, type IdentityField } from "../../state/card-values.ts"
import type { WidgetTexts } from "../../api.ts"
import { afterRender } from "../after-render.ts"
import { CardButtons, CardFrame } from "./card-frame.tsx"
import type { CardProps } from "./card-props.ts"

export function FormCard({ line, card, view }: CardProps & { readonly card: Interaction }) {
  const { texts } = view.appearance.value
  const box = useRef<HTMLDivElement>(null)
  const fields = identityFields(card)
  const inputs = () => [...(box.current?.querySelectorAll("input") ?? [])]
  const submit = async () => {
    const values = Object.fromEntries(inputs().map(({ name, value }) => [name, value.trim()]))
    const summary = Object.values(values).filter(Boolean).join(", ")
    await view.chat.submit(line, values, summary)
    await afterRender()
    const wrong = inputs().find((input) => input.getAttribute("aria-invalid") === "true")
    if (box.current?.isConnected === true) wrong?.focus()
    else view.focusMessage()
  }
  const decline = async () => {
    await view.chat.decline(line)
    view.focusMessage()
  }
  return (
    <CardFrame title={texts.formTitle} line={line} texts={texts} onSubmit={() => void submit()}>
      {card.reason !== "" && (
        <p class="card-text" dir="auto">
          {card.reason}
        </p>
      )}
      <div ref={box}>
        {fields.map((field) => (
          <FieldInput
            key={field.key}
            field={field}
            texts={texts}
            isWrong={line.errors?.some((error) => error.field === field.key || error.field === "values") ?? false}
          />
        ))}
      </div>
      <CardButtons yes={texts.submit} no={texts.notNow} isBusy={line.isBusy === true} onNo={() => void decline()} />
    </CardFrame>
  )
}

interface FieldInputProps {
  readonly field: IdentityField
  readonly texts: WidgetTexts
  readonly isWrong: boolean
}

function FieldInput({ field: { key, label, required }, texts, isWrong }: FieldInputProps) {
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  const error = input.current?.value.trim() === "" ? texts.fieldRequired : texts[faults[key]]
  return (
    <div class="field">
      <label class="label" for={`${id}-input`}>
        {label ?? texts[key]}
        {!required && <span class="optional"> ({texts.optional})</span>}
      </label>
      <input
        ref={input}
        id={`${id}-input`}
        class="input"
        dir="auto"
        name={key}
        {...types[key]}
        autocomplete={completions[key]}
        maxLength={300}
        required={required}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? id : undefined}
      />
      {isWrong && (
        <p class="error" id={id}>
          {error}
        </p>
      )}
    </div>
  )
}

/** No type `email`: the server checks addresses by its own rules. */
const types = {
  name: { inputMode: "text" },
  email: { inputMode: "email", spellcheck: false },
  phone: { inputMode: "tel" },
} as const
const completions = { name: "name", email: "email", phone: "tel" } as const
const faults = { name: "fieldRequired", email: "badEmail", phone: "badPhone" } as const
