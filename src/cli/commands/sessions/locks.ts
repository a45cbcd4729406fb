// `turnhouse locks`: the lock book of this home with its queue. No host is asked, and none is started for it.
import { thisHost } from "../../../log/process-identity.ts"
import { lockBook, type LockBook } from "../../../features/locks/effects/lock-answers.ts"
import { refusalFault } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"
import { exitCodes } from "../../../app/exit-codes.ts"
import { openLocks } from "../../../app/settings/locks.ts"
import { loadContextLeniently } from "../../../app/context.ts"
import { table } from "../../table.ts"
import { oneLine } from "../../../contract/printable.ts"
import { span } from "../../times.ts"
import { writeJson } from "../../write-json.ts"

export async function run(args: Args): Promise<number> {
  const { home, config } = await loadContextLeniently()
  const locks = openLocks(home, config, thisHost("locks"))
  try {
    const book = await lockBook(locks, Date.now())
    if (book.kind === "refused") throw refusalFault(book.refusal)
    if (args.flag("json")) writeJson(book.value)
    else process.stdout.write(described(book.value))
    return exitCodes.done
  } finally {
    await locks.close()
  }
}

function described({ held, waiting }: LockBook): string {
  if (held.length + waiting.length === 0) return "Nobody holds a lock, and nobody waits for one.\n"
  const rows = held.map(({ lock, scope, holder, fence, heldMs, status, description }) => [
    lock,
    oneLine(scope, 40),
    short(holder),
    fence === null ? "-" : String(fence),
    span(heldMs),
    oneLine(status === "active" ? description : `${status}: ${description}`, 60),
  ])
  return [table(["LOCK", "SCOPE", "HOLDER", "NUMBER", "SINCE", "FOR"], rows), ...queue(waiting)].join("\n")
}

function queue(waiting: LockBook["waiting"]): readonly string[] {
  if (waiting.length === 0) return []
  const rows = waiting.map(({ holder, wants, waitedMs, description }, index) => [
    String(index + 1),
    short(holder),
    oneLine(wants.map(({ lock }) => lock).join(", "), 40),
    oneLine([...new Set(wants.map(({ scope }) => scope))].join(", "), 40),
    span(waitedMs),
    oneLine(description, 60),
  ])
  return [table(["NEXT", "WAITS", "FOR", "IN", "SINCE", "WITH"], rows)]
}

/** As `ls` shows sessions; agents of other programs have names of their own. */
function short(holder: string): string {
  return oneLine(holder.slice(0, 13), 13)
}
