// `turnhouse ls`: lists the sessions of this home without opening any.
import { activityOf } from "../../../projection/status.ts"
import type { Args } from "../../command.ts"
import { withLog } from "../../../app/host/open-log.ts"
import { hostOf, listSessions, titleOf, type ListedSession } from "../../../app/sessions/sessions.ts"
import { printResult, table, type Columns } from "../../output.ts"
import { ago } from "../../../display/format.ts"
import { homedir } from "node:os"
import { folderFilter, limitOf } from "../../session-filter.ts"
import { oneLine } from "../../../contract/text/text.ts"

const DEFAULT_LIMIT = 20

export function run(args: Args): Promise<number> {
  const limit =
    limitOf(args) ?? (process.stdout.isTTY && !args.flag("all") && !args.flag("json") ? DEFAULT_LIMIT : Infinity)
  const isInFolder = folderFilter(args)
  const [text = ""] = args.positionals
  return withLog(async (log) => {
    const sessions = await listSessions(log)
    const nonEmpty = args.flag("all") ? sessions : sessions.filter(({ status }) => status.turns > 0)
    const selected = nonEmpty.filter((session) => isInFolder(session) && contains(session, text))
    const shown = selected.slice(0, limit)
    const isSelection = selected.length < nonEmpty.length
    return printResult(args, shown.map(asJson), () => described(shown, selected.length - shown.length, isSelection))
  })
}

function contains({ status }: ListedSession, text: string): boolean {
  const wanted = text.toLowerCase()
  return [status.name, status.title, status.cwd].some((part) => part?.toLowerCase().includes(wanted) === true)
}

function asJson({ row, status }: ListedSession) {
  const { sessionId, createdAt, updatedAt, seq, owner, lapsed } = row
  const open = owner ?? lapsed
  const host = open && hostOf(open)
  return { id: sessionId, createdAt, updatedAt, seq, host, activity: activityOf(status), ...status }
}

/** Newest last, so that it is beside the prompt of the shell. */
function described(shown: readonly ListedSession[], more: number, isSelection: boolean): string {
  if (shown.length === 0)
    return isSelection ? "No session matches.\n" : "No sessions yet. 'turnhouse run \"look around\"' starts one.\n"
  const rest = more > 0 ? `… ${more} older: --all or --limit N\n` : ""
  return `${rest}${cutToTerminal(table(shown.toReversed(), columnsFor(shown)))}`
}

function columnsFor(shown: readonly ListedSession[]): Columns<ListedSession> {
  const costWidth = Math.max("COST".length, ...shown.map((session) => costOf(session).length))
  return {
    ID: ({ row }) => row.sessionId.slice(0, 13),
    STATE: stateOf,
    "OPEN IN": openIn,
    ACTIVE: ({ row }) => ago(Date.now() - row.updatedAt),
    ["COST".padStart(costWidth)]: (session) => costOf(session).padStart(costWidth),
    MODEL: ({ status }) => oneLine(status.model, 24),
    FOLDER: ({ status }) => folderOf(status.cwd),
    TITLE: ({ status }) => oneLine(titleOf(status), 60),
  }
}

/** A plus: some calls have no known price. */
function costOf({ status: { usage } }: ListedSession): string {
  const { usd, unpricedCalls } = usage.total
  return `$${usd.toFixed(2)}${unpricedCalls > 0 ? "+" : ""}`
}

const FOLDER_WIDTH = 24

/** The end of a long path says more than its beginning. */
function folderOf(cwd: string): string {
  const user = homedir()
  const path = cwd === user || cwd.startsWith(`${user}/`) ? `~${cwd.slice(user.length)}` : cwd
  const shown = oneLine(path, Infinity)
  return shown.length <= FOLDER_WIDTH ? shown : `…${shown.slice(1 - FOLDER_WIDTH)}`
}

function cutToTerminal(text: string): string {
  const { isTTY, columns } = process.stdout
  if (!isTTY) return text
  const [header = "", ...lines] = text.split("\n")
  return [header, ...lines.map((line) => (line.length > columns ? `${line.slice(0, columns - 1)}…` : line))].join("\n")
}

function stateOf(session: ListedSession): string {
  const activity = activityIn(session)
  return session.status.escalated === undefined ? activity : `${activity}, escalated`
}

/** An open turn without a host was left by one that died. */
function activityIn({ row: { owner, lapsed }, status }: ListedSession): string {
  if (status.life === "ended") return "ended"
  const activity = activityOf(status)
  if (owner !== undefined || activity === "hibernated") return activity
  if (lapsed !== undefined) return `${activity}, host not responding`
  return activity === "idle" ? "closed" : `${activity}, left open`
}

/** In a cluster the node: pids mean nothing on other machines. */
function openIn({ row: { owner, lapsed } }: ListedSession): string {
  const host = owner ?? lapsed
  if (host === undefined) return "-"
  return oneLine(host.node === undefined ? `${host.role} ${host.pid}` : `${host.role} (${host.node.name})`, 24)
}
