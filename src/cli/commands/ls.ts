// `turnhouse ls`: the sessions of this home, without opening any.
import type { SessionRow } from "../../log/event-log.ts"
import { activityOf, readStatus, type SessionStatus } from "../../projection/status.ts"
import { refusalFault } from "../cli-fault.ts"
import type { Args } from "../command.ts"
import { openLog, surroundings } from "../compose.ts"
import { exitCodes } from "../exit-codes.ts"
import { oneLine, styled } from "../terminal.ts"

interface Listed {
  readonly row: SessionRow
  readonly status: SessionStatus
}

export async function run(args: Args): Promise<number> {
  const { home } = await surroundings()
  const log = openLog(home)
  try {
    const listed = await log.list()
    if (listed.kind === "refused") throw refusalFault(listed.refusal)
    const shown = listed.value.flatMap(withStatus).filter((one) => args.flag("all") || isOfInterest(one))
    process.stdout.write(args.flag("json") ? `${JSON.stringify(shown.map(asJson), null, 2)}\n` : table(shown))
    return exitCodes.done
  } finally {
    await log.close()
  }
}

function withStatus(row: SessionRow): readonly Listed[] {
  const status = readStatus(row.summary)
  return status === undefined ? [] : [{ row, status }]
}

function isOfInterest({ status }: Listed): boolean {
  return status.turns > 0
}

function asJson({ row, status }: Listed) {
  const { sessionId, createdAt, updatedAt, seq, owner: host } = row
  return { id: sessionId, createdAt, updatedAt, seq, host, activity: activityOf(status), ...status }
}

function table(sessions: readonly Listed[]): string {
  if (sessions.length === 0) return "No sessions yet. 'turnhouse run \"look around\"' begins one.\n"
  const rows = sessions.map(({ row, status }) => [
    row.sessionId.slice(0, 13),
    stateOf(row, status),
    ago(Date.now() - row.updatedAt),
    oneLine(status.model, 24),
    oneLine(status.name ?? status.title ?? "", 60),
  ])
  const header = ["ID", "STATE", "ACTIVE", "MODEL", "TITLE"]
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd()
  return [styled("dim", line(header), process.stdout), ...rows.map(line), ""].join("\n")
}

/** A turn that nobody is working on was left open by a host that died. */
function stateOf({ owner }: SessionRow, status: SessionStatus): string {
  if (status.life === "ended") return "ended"
  const activity = activityOf(status)
  if (owner !== undefined) return activity
  return activity === "idle" ? "closed" : `${activity}, left open`
}

function ago(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return "just now"
  if (minutes < 60) return `${minutes} min ago`
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ago`
  return `${Math.floor(minutes / 1440)} d ago`
}
