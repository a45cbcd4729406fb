// `turnhouse verify [FILE]`: says what was checked and what was found. A file is checked without any home; without a
// file every session of this home is walked.
import { createReadStream } from "node:fs"
import type { Damage } from "../../log/event-log.ts"
import { checkExport, type ExportCheck } from "../../log/export-file.ts"
import { CliFault, refusalFault } from "../cli-fault.ts"
import type { Args } from "../command.ts"
import { openLog } from "../compose.ts"
import { lenientSurroundings } from "../surroundings.ts"
import { LineSplitter, type Line } from "../../transports/framing/lines.ts"
import { exitCodes } from "../exit-codes.ts"

const longestLine = 256 * 1024 * 1024

export async function run(args: Args): Promise<number> {
  const [path] = args.positionals
  return path === undefined ? verifyHome(args) : verifyFile(path, args)
}

async function verifyHome(args: Args): Promise<number> {
  const { home } = await lenientSurroundings()
  const log = openLog(home)
  try {
    const inspected = await log.inspect()
    if (inspected.kind === "refused") throw refusalFault(inspected.refusal)
    const damage = inspected.value
    process.stdout.write(args.flag("json") ? `${JSON.stringify({ damage }, null, 2)}\n` : report(damage))
    return damage.length === 0 ? exitCodes.done : exitCodes.failed
  } finally {
    await log.close()
  }
}

function report(damage: readonly Damage[]): string {
  if (damage.length === 0) return "The log is intact: every event of every session fits its hash chain.\n"
  const lines = damage.map(({ sessionId, seq, what }) => `session ${sessionId}, event ${seq}: ${what}`)
  const sessions = new Set(damage.map((one) => one.sessionId)).size
  return [...lines, `${damage.length} damaged events in ${sessions} sessions; all other sessions are intact.`, ""].join(
    "\n",
  )
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
  if (verdict !== undefined || checked.kind === "broken")
    throw new CliFault(`${path} is not to be trusted: ${verdict}`, exitCodes.failed)
  const { sessionId, seal } = checked
  const facts = [
    `session ${sessionId}`,
    `chain intact: ${seal.seq} events lead to ${seal.hash}`,
    `signature by key ${seal.publicKey}`,
    args.text("head") === undefined
      ? "not compared with an earlier head (--head)"
      : "the earlier head stands in the chain: nothing was cut off",
  ]
  process.stdout.write(`${facts.join("\n")}\n`)
  return exitCodes.done
}

function mismatch({ seal, hashes }: ExportCheck & { kind: "intact" }, args: Args): string | undefined {
  const head = args.text("head")
  const key = args.text("key")
  if (head !== undefined && !hashes.has(head))
    return `the hash ${head} is not in the chain: something was cut off or exchanged`
  if (key !== undefined && key !== seal.publicKey) return `it is signed by ${seal.publicKey}, not by ${key}`
  return undefined
}

async function check(path: string): Promise<ExportCheck> {
  try {
    return await checkExport(linesOf(path))
  } catch (fault) {
    throw new CliFault(
      `${path} cannot be read: ${fault instanceof Error ? fault.message : String(fault)}`,
      exitCodes.failed,
    )
  }
}

/** Only LF ends a line: texts may hold other line separators. */
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
  return line.kind === "line" ? line.text : "" // an empty line is no JSON, and is told as such
}
