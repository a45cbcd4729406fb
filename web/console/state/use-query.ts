// The answer to a query as part of a component. A refusal keeps the last answer: what is shown is optional.
import { useEffect, useState } from "preact/hooks"
import type { HostPort } from "../../../src/contract/host-port.ts"
import type { Answers, Queries, QueryType } from "../../../src/contract/queries.ts"

/** Asked again when the query or `version` changes; not at all while the query is undefined. */
export function useQuery<Type extends QueryType>(
  port: Pick<HostPort, "query">,
  query: (Queries[Type] & { readonly type: Type }) | undefined,
  version?: unknown,
): Answers[Type] | undefined {
  const [value, setValue] = useState<Answers[Type]>()
  useEffect(() => {
    let isCurrent = true
    const ask = async () => {
      const answer = query === undefined ? undefined : await port.query(query)
      if (isCurrent && answer?.kind === "answer") setValue(() => answer.value)
    }
    void ask()
    return () => {
      isCurrent = false
    }
  }, [port, JSON.stringify(query), version])
  return value
}
