// Queries of commands: a refusal ends the command.
import type { HostPort } from "../../contract/host-port.ts"
import type { Answers, Queries, QueryType } from "../../contract/queries.ts"
import { refusalFault } from "../../app/app-fault.ts"

export async function ask<Type extends QueryType>(
  port: HostPort,
  query: Queries[Type] & { readonly type: Type },
): Promise<Answers[Type]> {
  const answered = await port.query(query)
  if (answered.kind === "refused") throw refusalFault(answered.refusal)
  return answered.value
}
