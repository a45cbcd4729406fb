// `turnhouse search TEXT`: finds sessions by what was said and done in them.
import { exitCodes, usageFault } from "../../../app/app-fault.ts"
import { loadContextLeniently } from "../../../app/context.ts"
import { withLog } from "../../../app/host/open-log.ts"
import { searchTexts, type FoundText } from "../../../app/search/search-index.ts"
import { listSessions, titleOf, type ListedSession } from "../../../app/sessions/sessions.ts"
import { styled } from "../../../app/terminal.ts"
import { oneLine } from "../../../contract/text/text.ts"
import type { Args } from "../../command.ts"
import { printResult, ProgressLine } from "../../output.ts"
import { ago, counted, moment } from "../../../display/format.ts"
import { folderFilter, limitOf } from "../../session-filter.ts"

const DEFAULT_LIMIT = 10
const SNIPPETS_PER_SESSION = 3
const PROGRESS_AFTER_MS = 1000

interface FoundSession {
  readonly session: ListedSession
  readonly found: readonly FoundText[]
}

export async function run(args: Args): Promise<number> {
  const text = args.positionals.join(" ").trim()
  if (text === "") throw usageFault("say what to search for")
  const limit = limitOf(args) ?? DEFAULT_LIMIT
  const isInFolder = folderFilter(args)
  const { home } = await loadContextLeniently()
  return withLog(async (log) => {
    const texts = await searchTexts(home, log, text, progress())
    const sessions = new Map<string, ListedSession>(
      (await listSessions(log)).map((session) => [session.row.sessionId, session]),
    )
    const all = [...Map.groupBy(texts, ({ sessionId }) => sessionId)].flatMap(
      ([id, found]): readonly FoundSession[] => {
        const session = sessions.get(id)
        return session === undefined || !isInFolder(session) ? [] : [{ session, found }]
      },
    )
    const shown = all.slice(0, limit)
    printResult(args, shown.map(asJson), () => described(text, shown, all.length))
    return shown.length === 0 ? exitCodes.failed : exitCodes.done
  })
}

function progress(): (done: number, all: number) => void {
  const line = new ProgressLine()
  const startedAt = performance.now()
  return (done, all) => {
    if (done + 1 === all) line.clear()
    else if (performance.now() - startedAt > PROGRESS_AFTER_MS) line.show(`indexing ${done + 1} of ${all} sessions`)
  }
}

function asJson({ session: { row, status }, found }: FoundSession) {
  const matches = found.slice(0, SNIPPETS_PER_SESSION).map(({ seq, at, kind, snippet }) => ({ seq, at, kind, snippet }))
  return { id: row.sessionId, title: titleOf(status), folder: status.cwd, updatedAt: row.updatedAt, matches }
}

function described(text: string, shown: readonly FoundSession[], all: number): string {
  if (all === 0) return `Nothing found for '${oneLine(text, 60)}'. All words must occur in one text.\n`
  const more = all > shown.length ? [`… ${counted(all - shown.length, "more session")}: --limit N`] : []
  return [...shown.flatMap(sessionLines), ...more, "Open one: turnhouse attach ID", ""].join("\n")
}

function sessionLines({ session: { row, status }, found }: FoundSession): readonly string[] {
  const head = `${row.sessionId.slice(0, 13)}  ${oneLine(titleOf(status), 60)}`
  const place = styled("dim", `  ${ago(Date.now() - row.updatedAt)}  ${oneLine(status.cwd, 80)}`, process.stdout)
  const lines = found.slice(0, SNIPPETS_PER_SESSION).map((one) => {
    return `  ${moment(one.at).slice(0, 16)}  ${one.kind.padEnd(6)}  ${oneLine(one.snippet, 160)}`
  })
  return [head, place, ...lines, ""]
}
