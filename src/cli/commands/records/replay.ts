// `turnhouse replay FILE`: prints an exported session as a conversation; needs no home. A file that does not match its
// seal is printed with a warning and exit code 1.
import { emptyTranscript, foldTranscript } from "../../../projection/transcript.ts"
import { exitCodes } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"
import { readExport, type ReadExport } from "../../../app/sessions/export.ts"
import { printNotice } from "../../../app/terminal.ts"
import { transcriptText } from "../../transcript-text.ts"
import { writeJson } from "../../output.ts"

export async function run(args: Args): Promise<number> {
  const path = args.first("name one file of 'turnhouse export'")
  const read = await readExport(path)
  const { items } = read.events.reduce(foldTranscript, emptyTranscript())
  const problem = problemOf(read)
  if (problem !== undefined) printNotice(`turnhouse: ${path} cannot be trusted: ${problem}`)
  if (args.flag("json")) writeJson({ sessionId: sessionIdOf(read), intact: problem === undefined, problem, items })
  else process.stdout.write(`${head(read)}\n\n${transcriptText(items)}`)
  return problem === undefined ? exitCodes.done : exitCodes.failed
}

function problemOf({ check, unreadable }: ReadExport): string | undefined {
  if (check.kind === "broken") return `line ${check.line}: ${check.what}`
  return unreadable === 0 ? undefined : `${unreadable} events cannot be read by this version`
}

function head(read: ReadExport): string {
  const id = sessionIdOf(read) ?? "of unknown id"
  if (read.check.kind === "broken") return `session ${id}, ${read.events.length} events, damaged`
  return `session ${id}, ${read.check.seal.seq} events, chain intact, signed by ${read.check.seal.publicKey}`
}

function sessionIdOf({ check, events }: ReadExport): string | undefined {
  if (check.kind === "intact") return check.sessionId
  const first = events[0]?.event
  return first?.type === "session.created" ? first.sessionId : undefined
}
