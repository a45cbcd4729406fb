// `turnhouse verify [FILE]`: verifies an exported file, which needs no home, or every session of this home.
import { AppFault, exitCodes, usageFault } from "../../../app/app-fault.ts"
import { withLog } from "../../../app/host/open-log.ts"
import { verifyExport } from "../../../app/sessions/export.ts"
import { acceptLoss, verifyLog, type LogReport } from "../../../app/sessions/verify-log.ts"
import type { Args } from "../../command.ts"
import { printResult, writeJson } from "../../output.ts"

export async function run(args: Args): Promise<number> {
  const [path] = args.positionals
  if (path !== undefined && args.text("accept-loss") !== undefined)
    throw usageFault("--accept-loss applies to the log of this home and cannot be combined with a file")
  return path === undefined ? verifyHome(args) : verifyFile(path, args)
}

function verifyHome(args: Args): Promise<number> {
  return withLog(async (log) => {
    const idOrName = args.text("accept-loss")
    if (idOrName !== undefined) return reportAccepted(await acceptLoss(log, idOrName), args)
    const report = await verifyLog(log)
    if (args.flag("json")) writeJson(report)
    else process.stdout.write(reportText(report))
    return report.damage.length + report.findings.length === 0 ? exitCodes.done : exitCodes.failed
  })
}

function reportText({ damage, findings, comparedHeads, notCovered }: LogReport): string {
  const lines = [...damage.map(damageLine), ...findings.map(({ what, remedy }) => `${what}. ${remedy}.`)]
  const sessions = new Set(damage.map((one) => one.sessionId)).size
  const result =
    damage.length === 0
      ? `Every event matches its hash chain${comparedHeads ? ", and every session reaches its recorded head" : ""}.`
      : `${damage.length} damaged events in ${sessions} sessions; all other sessions are intact.`
  const summary = lines.length === 0 ? `The log is intact. ${result}` : result
  return [...lines, summary, `Not covered: ${notCovered}.`, ""].join("\n")
}

function damageLine({ sessionId, seq, what }: LogReport["damage"][number]): string {
  return `session ${sessionId}, event ${seq}: ${what}`
}

function reportAccepted(accepted: LogReport["damage"], args: Args): number {
  return printResult(
    args,
    { accepted },
    () => accepted.map((one) => `accepted: ${damageLine(one)}\n`).join("") || "no event is missing\n",
  )
}

async function verifyFile(path: string, args: Args): Promise<number> {
  const checked = await verifyExport(path)
  const result = checked.kind === "broken" ? `line ${checked.line}: ${checked.what}` : mismatch(checked, args)
  if (args.flag("json")) {
    const { sessionId, seal } = checked.kind === "intact" ? checked : { sessionId: undefined, seal: undefined }
    writeJson({ intact: result === undefined, problem: result, sessionId, seal })
    return result === undefined ? exitCodes.done : exitCodes.failed
  }
  if (result !== undefined || checked.kind === "broken") throw new AppFault(`${path} cannot be trusted: ${result}`)
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

type Intact = Extract<Awaited<ReturnType<typeof verifyExport>>, { kind: "intact" }>

function mismatch({ seal, hashes }: Intact, args: Args): string | undefined {
  const head = args.text("head")
  const key = args.text("key")
  if (head !== undefined && !hashes.has(head))
    return `the hash ${head} is not in the chain: events were cut off or replaced`
  if (key !== undefined && key !== seal.publicKey) return `it is signed by ${seal.publicKey}, not by ${key}`
  return undefined
}
