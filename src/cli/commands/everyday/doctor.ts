// `turnhouse doctor`: checks the installation and prints what to fix. Changes nothing, except that it installs bubblewrap
// after a yes at a terminal.
import { exitCodes } from "../../../app/app-fault.ts"
import type { Finding } from "../../../app/doctor/finding.ts"
import { offerBubblewrap } from "../../../app/doctor/install-bubblewrap.ts"
import { examine } from "../../../app/doctor/run-checks.ts"
import { styled } from "../../../app/terminal.ts"
import { oneLine } from "../../../contract/text/text.ts"
import type { Args } from "../../command.ts"
import { canAsk, confirm } from "../../confirm.ts"
import { counted, writeJson } from "../../output.ts"

const colours = { ok: "green", warning: "yellow", problem: "red" } as const

export async function run(args: Args): Promise<number> {
  const { findings, isUsable, usesSandbox: wantsSandbox } = await examine(process.cwd(), process.env)
  const isOk = findings.every(({ level }) => level !== "problem")
  if (args.flag("json")) writeJson({ ok: isOk, findings })
  else process.stdout.write(text(findings))
  if (wantsSandbox && !args.flag("json") && (await offerBubblewrap({ canAsk, confirm })))
    process.stdout.write("bubblewrap is installed; run 'turnhouse doctor' again to check it.\n")
  if (isOk) return exitCodes.done
  return isUsable ? exitCodes.failed : exitCodes.usage
}

function text(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ subject }) => subject.length))
  const lines = findings.flatMap(({ level, subject, what, todo }) => [
    `${styled(colours[level], level.padEnd(7), process.stdout)}  ${subject.padEnd(width)}  ${oneLine(what, Infinity)}`,
    ...(todo === undefined ? [] : [`${" ".repeat(width + 11)}→ ${oneLine(todo, Infinity)}`]),
  ])
  return [...lines, summary(findings), ""].join("\n")
}

function summary(findings: readonly Finding[]): string {
  const count = (level: Finding["level"]) => findings.filter((finding) => finding.level === level).length
  const [problems, warnings] = [count("problem"), count("warning")]
  if (problems === 0) return warnings === 0 ? "OK" : `OK, ${counted(warnings, "warning")}`
  return `${counted(problems, "error")}, ${counted(warnings, "warning")}`
}
