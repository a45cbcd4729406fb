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
import { writeJson } from "../../output.ts"
import { counted } from "../../../display/format.ts"
import { hanging, textWidth } from "../../print/hanging.ts"

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
    ...row(`${level.padEnd(7)}  ${subject.padEnd(width)}  `, what).map((line, at) =>
      at === 0 ? `${styled(colours[level], level, process.stdout)}${line.slice(level.length)}` : line,
    ),
    ...(todo === undefined ? [] : row(`${" ".repeat(width + 11)}→ `, todo)),
  ])
  return [...lines, summary(findings), ""].join("\n")
}

/** On a terminal broken between words; a program reads whole lines. */
function row(label: string, sentence: string): readonly string[] {
  const line = oneLine(sentence, Infinity)
  return process.stdout.isTTY ? hanging(label, line, textWidth(process.stdout)) : [`${label}${line}`]
}

function summary(findings: readonly Finding[]): string {
  const count = (level: Finding["level"]) => findings.filter((finding) => finding.level === level).length
  const [problems, warnings] = [count("problem"), count("warning")]
  if (problems === 0) return warnings === 0 ? "OK" : `OK, ${counted(warnings, "warning")}`
  return `${counted(problems, "error")}, ${counted(warnings, "warning")}`
}
