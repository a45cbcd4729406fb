// What cards ask for, and the visitor's answers as the server reads them. Pure. A specification that does not fit its kind
// asks for nothing; the visitor can decline it.
import type { Interaction } from "../../../src/clients/ws/index.ts"
import {
  readSpec,
  type ChoiceQuestion,
  type ChoicesSpec,
  type IdentityField,
  type IdentitySpec,
} from "../../../src/contract/rules/interactions.ts"
import type { InteractionKind } from "../../../src/contract/values.ts"

export type { IdentityField }

export function identityFields({ spec }: Interaction): readonly IdentityField[] {
  const read = specOf("identity_intake", spec)
  return read !== undefined && "fields" in read ? read.fields : []
}

export function choiceQuestions({ spec }: Interaction): readonly ChoiceQuestion[] {
  const read = specOf("choices", spec)
  return read !== undefined && "questions" in read ? read.questions : []
}

function specOf(kind: InteractionKind, spec: Interaction["spec"]): IdentitySpec | ChoicesSpec | undefined {
  const checked = readSpec(kind, spec)
  return checked.kind === "ok" ? checked.value : undefined
}

/** A type, because an interface is no JSON value to the compiler. */
export type ChoiceAnswer = {
  readonly header: string
  readonly options: readonly string[]
  readonly other?: string
}

export function choiceAnswer(
  { header }: ChoiceQuestion,
  { chosen, other }: { readonly chosen: readonly string[]; readonly other: string },
): ChoiceAnswer {
  const own = other.trim()
  return { header, options: [...chosen], ...(own !== "" && { other: own }) }
}

/** What the card shows once it is answered. */
export function summaryOf(answers: readonly ChoiceAnswer[]): string {
  return answers
    .map(({ options, other }) => [...options, ...(other === undefined ? [] : [other])].join(", "))
    .join(" · ")
}
