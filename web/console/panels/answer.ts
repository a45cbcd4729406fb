// The answer to a query, asked when a panel opens and again every few seconds while it is shown.
import { useEffect, useState } from "preact/hooks"
import type { Answered } from "../../../src/contract/host-port.ts"
import { describeRefusal } from "../../../src/contract/text/describe-refusal.ts"
import { isAway } from "../state/connection.ts"

export type Asked<Value> =
  | { readonly kind: "asking" }
  | { readonly kind: "answer"; readonly value: Value }
  | { readonly kind: "problem"; readonly what: string }

const REFRESH_MS = 3000

/** `about` names what is asked about: a change asks again at once. `once`: it is not asked again otherwise. While the server is
 *  away the last answer stays. */
export function useAnswer<Value>(
  about: string,
  ask: () => Promise<Answered<Value>>,
  repeated: "once" | "repeated" = "repeated",
): Asked<Value> {
  const [asked, setAsked] = useState<Asked<Value>>({ kind: "asking" })
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isCurrent = true
    const refresh = async () => {
      const answered = await ask()
      if (!isCurrent) return
      const isLate = answered.kind === "refused" && isAway(answered.refusal)
      if (!isLate) setAsked(shown(answered))
      if (isLate || repeated === "repeated") timer = setTimeout(() => void refresh(), REFRESH_MS)
    }
    void refresh()
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [about])
  return asked
}

function shown<Value>(answered: Answered<Value>): Asked<Value> {
  if (answered.kind === "answer") return { kind: "answer", value: answered.value }
  return { kind: "problem", what: describeRefusal(answered.refusal) }
}
