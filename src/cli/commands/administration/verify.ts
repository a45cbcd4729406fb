// `turnhouse verify [FILE]`: verifies an exported file, which needs no home, or every session of this home.
import { createReadStream } from "node:fs"
import type { SessionId } from "../../../contract/ids.ts"
import type { Damage, Outcome } from "../../../log/event-log.ts"
import { checkExport, type ExportCheck } from "../../../log/export-file.ts"
import { uncovered, type LogFinding } from "../../../log/sqlite/damage/head-records.ts"
import type { SqliteLog } from "../../../log/sqlite/sqlite-log.ts"
import { AppFault, refusalFault, usageFault, exitCodes, messageOf } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"
import { openLog } from "../../../app/compose.ts"
import { loadContextLeniently } from "../../../app/context.ts"
import { LineSplitter, type Line } from "../../../transports/framing/lines.ts"
import { writeJson } from "../../output.ts"

const longestLine = 256 * 1024 * 1024

export async function run(args: Args): Promise<number> {
  const [path] = args.positionals
  if (path !== undefined && args.text("accept-loss") !== undefined)
    throw usageFault("--accept-loss applies to the log of this home and cannot be combined with a file")
  return path === undefined ? verifyHome(args) : verifyFile(path, args)
}

async function verifyHome(args: Args): Promise<number> {
  const { home } = await loadContextLeniently()
  const log = openLog(home)
  try {
    const accepted = args.text("accept-loss")
    if (accepted !== undefined) return await acceptLoss(log, accepted, args)
    const damage = valueOf(await log.inspect())
    const findings = valueOf(await log.findings())
    if (args.flag("json")) writeJson({ damage, findings, notCovered: uncovered })
    else process.stdout.write(report(damage, findings))
    return damage.length + findings.length === 0 ? exitCodes.done : exitCodes.failed
  } finally {
    await log.close()
  }
}

function report(damage: readonly Damage[], findings: readonly LogFinding[]): string {
  const lines = [...damage.map(damageLine), ...findings.map(({ what, remedy }) => `${what}. ${remedy}.`)]
  const sessions = new Set(damage.map((one) => one.sessionId)).size
  const verdict =
    damage.length === 0
      ? "Every event matches its hash chain, and every session reaches its recorded head."
      : `${damage.length} damaged events in ${sessions} sessions; all other sessions are intact.`
  return [
    ...lines,
    lines.length === 0 ? `The log is intact. ${verdict}` : verdict,
    `Not covered: ${uncovered}.`,
    "",
  ].join("\n")
}

function damageLine({ sessionId, seq, what }: Damage): string {
  return `session ${sessionId}, event ${seq}: ${what}`
}

/** Continues without missing acknowledged events, by the user's decision. */
async function acceptLoss(log: SqliteLog, wanted: string, args: Args): Promise<number> {
  const sessionId = wanted === "all" ? undefined : await behindSession(log, wanted)
  const accepted = valueOf(await log.acceptLoss(sessionId))
  if (args.flag("json")) writeJson({ accepted })
  else process.stdout.write(accepted.map((one) => `accepted: ${damageLine(one)}\n`).join("") || "no event is missing\n")
  return exitCodes.done
}

async function behindSession(log: SqliteLog, wanted: string): Promise<SessionId> {
  const ids = valueOf(await log.behindHeads()).map((one) => one.sessionId)
  const [found, ...more] = ids.filter((id) => id.startsWith(wanted.toLowerCase()))
  if (found !== undefined && more.length === 0) return found
  const many = `'${wanted}' matches several damaged sessions. Give the full id, or 'all'.`
  const none = `no event is missing in session '${wanted}'. 'turnhouse verify' lists damaged sessions.`
  throw new AppFault(found === undefined ? none : many)
}

function valueOf<Value>(outcome: Outcome<Value>): Value {
  if (outcome.kind === "refused") throw refusalFault(outcome.refusal)
  return outcome.value
}

async function verifyFile(path: string, args: Args): Promise<number> {
  const checked = await check(path)
  const verdict = checked.kind === "broken" ? `line ${checked.line}: ${checked.what}` : mismatch(checked, args)
  if (args.flag("json")) {
    const { sessionId, seal } = checked.kind === "intact" ? checked : { sessionId: undefined, seal: undefined }
    process.stdout.write(
      `${JSON.stringify({ intact: verdict === undefined, problem: verdict, sessionId, seal }, null, 2)}\n`,
    )
    return verdict === undefined ? exitCodes.done : exitCodes.failed
  }
  if (verdict !== undefined || checked.kind === "broken") throw new AppFault(`${path} cannot be trusted: ${verdict}`)
  const { sessionId, seal } = checked
  const facts = [
    `session ${sessionId}`,
    `chain intact: ${seal.seq} events up to ${seal.hash}`,
    `signature by key ${seal.publicKey}`,
    args.text("head") === undefined
      ? "not compared with an earlier head (use --head)"
      : "the earlier head is in the chain: nothing was cut off",
  ]
  process.stdout.write(`${facts.join("\n")}\n`)
  return exitCodes.done
}

function mismatch({ seal, hashes }: ExportCheck & { kind: "intact" }, args: Args): string | undefined {
  const head = args.text("head")
  const key = args.text("key")
  if (head !== undefined && !hashes.has(head))
    return `the hash ${head} is not in the chain: events were cut off or replaced`
  if (key !== undefined && key !== seal.publicKey) return `it is signed by ${seal.publicKey}, not by ${key}`
  return undefined
}

async function check(path: string): Promise<ExportCheck> {
  try {
    return await checkExport(linesOf(path))
  } catch (fault) {
    throw new AppFault(`${path} cannot be read: ${messageOf(fault)}`)
  }
}

/** Only LF ends a line: texts may contain other line separators. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const lines: Line[] = []
  const splitter = new LineSplitter(longestLine, (line) => lines.push(line))
  for await (const chunk of createReadStream(path)) {
    splitter.push(Buffer.from(chunk))
    yield* lines.splice(0).map(textOf)
  }
  splitter.end()
  yield* lines.splice(0).map(textOf)
}

function textOf(line: Line): string {
  return line.kind === "line" ? line.text : "" // an empty line is reported as invalid JSON
}
