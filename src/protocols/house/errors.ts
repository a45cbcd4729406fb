// The house wire carries a refusal as it is, with its code and fields; a client shows it in these words.
import { refusalTexts, type RefusalTexts } from "../../contract/text/describe-refusal.ts"
import type { Refusal } from "../../contract/refusals.ts"

export const houseErrors = refusalTexts satisfies RefusalTexts

export function badFrame(what: string): Refusal {
  return { code: "frame.bad", what }
}
