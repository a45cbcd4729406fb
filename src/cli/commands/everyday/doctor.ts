// `turnhouse doctor`: checks the installation and prints what to fix. Changes nothing, except that it installs bubblewrap
// after a yes at a terminal.
import { counted, writeJson } from "../../output.ts"
import { join } from "node:path"
import { ConfigFault } from "../../../config/config-fault.ts"
import { homeFolder } from "../../../config/home.ts"
import { usageFault, exitCodes } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"
import { databaseChecks } from "../../../app/doctor/database.ts"
import type { Finding } from "../../../app/doctor/finding.ts"
import { homeChecks } from "../../../app/doctor/home.ts"
import { knowledgeChecks } from "../../../app/doctor/knowledge.ts"
import { canAsk, confirm } from "../../confirm.ts"
import { offerBubblewrap } from "../../../app/doctor/install-bubblewrap.ts"
import { machineChecks } from "../../../app/doctor/machine.ts"
import { programChecks } from "../../../app/doctor/programs.ts"
import { providerChecks } from "../../../app/doctor/providers.ts"
import { runChecks } from "../../../app/doctor/run-checks.ts"
import { readSettings, settingsChecks } from "../../../app/doctor/settings.ts"
import { closedFolders } from "../../../app/settings/tool-set.ts"
import { oneLine } from "../../../contract/text/text.ts"
import { styled } from "../../../app/terminal.ts"

const limitMs = 5000
const colours = { ok: "green", warning: "yellow", problem: "red" } as const

export async function run(args: Args): Promise<number> {
  if (args.positionals.length > 0) throw usageFault("doctor takes no arguments")
  const home = wantedHome()
  const { config, findings: settings, isUsable } = await readSettings(home, process.cwd(), process.env)
  const checks = [
    ...machineChecks(home),
    ...homeChecks(home),
    ...databaseChecks(home),
    ...knowledgeChecks(home, config),
    ...programChecks({
      env: process.env,
      sandbox: config.tools?.sandbox ?? "auto",
      closed: closedFolders(home, config),
    }),
    { subject: "configuration", look: async () => settings },
    ...settingsChecks(join(home, "prices.json"), process.env),
    ...providerChecks(config, process.env),
  ]
  const findings = await runChecks(checks, limitMs)
  const problems = findings.filter(({ level }) => level === "problem").length
  if (args.flag("json")) writeJson({ ok: problems === 0, findings })
  else process.stdout.write(text(findings))
  const wantsSandbox = config.tools?.sandbox !== "off" && !args.flag("json")
  if (wantsSandbox && (await offerBubblewrap({ canAsk, confirm })))
    process.stdout.write("bubblewrap is installed; run 'turnhouse doctor' again to check it.\n")
  if (problems === 0) return exitCodes.done
  return isUsable ? exitCodes.failed : exitCodes.usage
}

function wantedHome(): string {
  try {
    return homeFolder(process.env)
  } catch (fault) {
    if (fault instanceof ConfigFault) throw usageFault(fault.message)
    throw fault
  }
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
