// The agent asks questions with a few answers each, and takes one in the visitor's own words too.
import { useId, useRef } from "preact/hooks"
import type { Interaction } from "../../../../src/clients/ws/index.ts"
import type { ChoiceQuestion } from "../../../../src/contract/rules/interactions.ts"
import { choiceAnswer, choiceQuestions, summaryOf } from "../../state/card-values.ts"
import type { WidgetTexts } from "../../api.ts"
import { afterRender } from "../after-render.ts"
import { CardButtons, CardFrame } from "./card-frame.tsx"
import type { CardProps } from "./card-props.ts"

export function ChoiceCard({ line, card, view }: CardProps & { readonly card: Interaction }) {
  const { texts } = view.appearance.value
  const box = useRef<HTMLDivElement>(null)
  const questions = choiceQuestions(card)
  const submit = async () => {
    const groups = [...(box.current?.querySelectorAll("fieldset") ?? [])]
    const answers = questions.map((question, at) => choiceAnswer(question, readGroup(groups[at])))
    await view.chat.submit(line, { answers }, summaryOf(answers))
    await afterRender()
    if (box.current?.isConnected === true)
      box.current.querySelector<HTMLInputElement>("[data-wrong=true] input")?.focus()
    else view.focusMessage()
  }
  const decline = async () => {
    await view.chat.decline(line)
    view.focusMessage()
  }
  return (
    <CardFrame title={texts.choiceTitle} line={line} texts={texts} onSubmit={() => void submit()}>
      {card.reason !== "" && (
        <p class="card-text" dir="auto">
          {card.reason}
        </p>
      )}
      <div ref={box}>
        {questions.map((question) => (
          <Question
            key={question.header}
            question={question}
            texts={texts}
            isWrong={line.errors?.some(({ field }) => field === question.header || field === "values") ?? false}
          />
        ))}
      </div>
      <CardButtons yes={texts.submit} no={texts.notNow} isBusy={line.isBusy === true} onNo={() => void decline()} />
    </CardFrame>
  )
}

interface QuestionProps {
  readonly question: ChoiceQuestion
  readonly texts: WidgetTexts
  readonly isWrong: boolean
}

function Question({ question: { question, multiSelect, options }, texts, isWrong }: QuestionProps) {
  const id = useId()
  return (
    <fieldset class="question" data-wrong={isWrong} aria-describedby={isWrong ? id : undefined}>
      <legend dir="auto">{question}</legend>
      {options.map(({ label, description }) => (
        <label key={label} class="option">
          <input
            type={multiSelect ? "checkbox" : "radio"}
            name={id}
            value={label}
            onChange={({ currentTarget }) => {
              if (!multiSelect) clearOwnWords(currentTarget.closest("fieldset"))
            }}
          />
          <span dir="auto">
            <span class="option-label">{label}</span>
            {description !== "" && <span class="option-description">{description}</span>}
          </span>
        </label>
      ))}
      <input
        class="input other"
        type="text"
        dir="auto"
        maxLength={500}
        aria-label={`${texts.other}: ${question}`}
        placeholder={texts.other}
        onInput={({ currentTarget }) => {
          if (!multiSelect && currentTarget.value.trim() !== "") clearChoice(currentTarget.closest("fieldset"))
        }}
      />
      {isWrong && (
        <p class="error" id={id}>
          {texts.chooseOne}
        </p>
      )}
    </fieldset>
  )
}

/** One answer only: own words take the place of a chosen option. */
function clearChoice(group: HTMLElement | null): void {
  for (const input of group?.querySelectorAll<HTMLInputElement>("input[type=radio]") ?? []) input.checked = false
}

function clearOwnWords(group: HTMLElement | null): void {
  const input = group?.querySelector<HTMLInputElement>("input.other")
  if (input !== undefined && input !== null) input.value = ""
}

function readGroup(group: HTMLElement | undefined) {
  const chosen = [...(group?.querySelectorAll<HTMLInputElement>("input:checked") ?? [])].map(({ value }) => value)
  return { chosen, other: group?.querySelector<HTMLInputElement>("input.other")?.value ?? "" }
}
