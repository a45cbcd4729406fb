// Queries of commands: a refusal ends the command.
import type { HostPort } from "../../contract/host-port.ts"
import type { Answers, Queries, QueryType } from "../../contract/queries.ts"
import { accepted } from "../../app/app-fault.ts"

export async function ask<Type extends QueryType>(
  port: HostPort,
  query: Queries[Type] & { readonly type: Type },
): Promise<Answers[Type]> {
  const answered = accepted(await port.query(query))
  return answered.value
}
