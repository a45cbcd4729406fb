// `turnhouse locks`: lists held locks and waiters of this home, or of its cluster. No host is queried or started.
import type { LockListing } from "../../../contract/views/host.ts"
import type { Args } from "../../command.ts"
import { listHomeLocks } from "../../../app/settings/locks.ts"
import { loadContextLeniently } from "../../../app/context.ts"
import { printResult, table, type Columns } from "../../output.ts"
import { span } from "../../../display/format.ts"
import { oneLine } from "../../../contract/text/text.ts"

export async function run(args: Args): Promise<number> {
  const { home, config } = await loadContextLeniently()
  const locks = await listHomeLocks(home, config)
  return printResult(args, locks, () => described(locks))
}

function described({ held, waiting }: LockListing): string {
  if (held.length + waiting.length === 0) return "No locks are held.\n"
  const isCluster = new Set([...held, ...waiting].flatMap(({ hostname }) => hostname ?? [])).size > 1
  const [heldBy, waitsOn] = isCluster ? [heldOnNodes, queueOnNodes] : [heldColumns, queueColumns]
  return [table(held, heldBy), ...(waiting.length === 0 ? [] : [table([...waiting.entries()], waitsOn)])].join("\n")
}

const heldColumns: Columns<LockListing["held"][number]> = {
  LOCK: ({ lock }) => lock,
  SCOPE: ({ scope }) => oneLine(scope, 40),
  HOLDER: ({ holder }) => short(holder),
  NUMBER: ({ fence }) => (fence === null ? "-" : String(fence)),
  SINCE: ({ heldMs }) => span(heldMs),
  FOR: ({ status, description }) => oneLine(status === "active" ? description : `${status}: ${description}`, 60),
}

const queueColumns: Columns<readonly [number, LockListing["waiting"][number]]> = {
  NEXT: ([index]) => String(index + 1),
  WAITS: ([, { holder }]) => short(holder),
  FOR: ([, { wants }]) => oneLine(wants.map(({ lock }) => lock).join(", "), 40),
  IN: ([, { wants }]) => oneLine([...new Set(wants.map(({ scope }) => scope))].join(", "), 40),
  SINCE: ([, { waitedMs }]) => span(waitedMs),
  WITH: ([, { description }]) => oneLine(description, 60),
}

const heldOnNodes: typeof heldColumns = { ...heldColumns, NODE: ({ hostname }) => oneLine(hostname, 20) }
const queueOnNodes: typeof queueColumns = { ...queueColumns, NODE: ([, { hostname = "" }]) => oneLine(hostname, 20) }

/** Sessions as in `ls`; agents of other programs by their own names. */
function short(holder: string): string {
  return oneLine(holder.slice(0, 13), 13)
}
