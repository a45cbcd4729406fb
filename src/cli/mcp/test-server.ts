// `turnhouse mcp test`: connects to a server once and shows what it has.
import { exitCodes } from "../../app/app-fault.ts"
import { probeNamed } from "../../app/mcp/probe-named.ts"
import type { Probe, ProbedTool, ServerReport } from "../../app/mcp/probe.ts"
import { printNotice } from "../../app/terminal.ts"
import { oneLine } from "../../contract/text/text.ts"
import type { Args } from "../command.ts"
import { contextWithWarnings } from "../context-options.ts"
import { interruptible } from "../interruptible.ts"
import { table, writeJson, type Columns } from "../output.ts"
import { counted } from "../../display/format.ts"

const codes: Readonly<Record<Probe["kind"], number>> = {
  answered: exitCodes.done,
  failed: exitCodes.failed,
  "needs login": exitCodes.failed,
  unreachable: exitCodes.unreachable,
}

export async function test(name: string, args: Args): Promise<number> {
  const context = await contextWithWarnings(args)
  const probe = await interruptible((signal) => probeNamed(name, context, signal))
  if (args.flag("json")) writeJson(probe)
  else if (probe.kind === "answered") showReport(name, probe)
  else showFailure(name, probe)
  return codes[probe.kind]
}

function showFailure(name: string, { kind, error, stderr }: Exclude<Probe, ServerReport>): void {
  const subject = kind === "needs login" ? "" : `MCP server "${name}": `
  printNotice(`turnhouse: ${subject}${error}`)
  if (stderr !== null) printNotice(`turnhouse: its last line on stderr: ${stderr}`)
}

function showReport(name: string, report: ServerReport): void {
  process.stdout.write(reportText(report))
  for (const problem of report.problems) printNotice(oneLine(`turnhouse: MCP server "${name}": ${problem}.`, 500))
}

function reportText(report: ServerReport): string {
  const { server, protocolVersion, capabilities, tools, prompts, resources, connectMs, pingMs } = report
  const lines = [
    `server        ${oneLine(`${server.name} ${server.version}`, 200)}`,
    `protocol      ${oneLine(protocolVersion, 40)}`,
    `capabilities  ${oneLine(capabilities.join(", ") || "-", 200)}`,
    `connect       ${connectMs} ms`,
    `ping          ${pingMs === null ? "no answer" : `${pingMs} ms`}`,
    `prompts       ${prompts.length === 0 ? "-" : oneLine(prompts.join(", "), 1000)}`,
    `resources     ${resources}`,
    `tools         ${counted(tools.length, "tool")}`,
  ]
  const shown = tools.length === 0 ? "" : `\n${table(tools, columns)}`
  return `${lines.join("\n")}\n${shown}`
}

const columns: Columns<ProbedTool> = {
  TOOL: ({ name }) => oneLine(name, 128),
  CLASS: ({ class: toolClass }) => toolClass,
  ANNOTATIONS: ({ annotations }) => oneLine(hintsOf(annotations) || "-", 100),
  DESCRIPTION: ({ description }) => oneLine(description, 80),
}

/** Those that are set: `readOnly`, `destructive`. */
function hintsOf(annotations: ProbedTool["annotations"]): string {
  const hints = Object.entries(annotations).filter(([, isSet]) => isSet)
  return hints.map(([name]) => name.replace(/Hint$/, "")).join(",")
}
