// The temporary home of one run: a session in it starts every script of the plan, as commands, by an MCP server and by an
// extension. Each process of a script has the folder of the script in its command line.
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { findProgram } from "../../../tools/start-command.ts"
import { AppFault } from "../../app-fault.ts"
import { processesNaming, type ListedProcess } from "../../demo/end-programs.ts"
import type { Workspace } from "../../demo/workspace.ts"
import { openHomeLog } from "../../host/open-log.ts"
import { agentId } from "../crash/doors/visitor.ts"
import { server as serverKind, type LaneHome, type LaneKind } from "../crash/lane-kind.ts"
import { proofHome } from "../proof-home.ts"
import type { ProofFolder } from "../run-proof.ts"
import type { Behaviour } from "./behaviours.ts"
import { starters, type Starter } from "./orphan-tally.ts"
import { extensionProgram, manifest, serverProgram } from "./programs.ts"

export type Plan = Readonly<Record<Starter, Behaviour>>

/** The folder of the plugin. */
const extensionId = "extension"

export interface OrphanHomeOptions {
  readonly kind: LaneKind
  readonly plan: Plan
  readonly sandbox: boolean
}

export function createOrphanHome(
  place: ProofFolder,
  name: string,
  { kind, plan, sandbox }: OrphanHomeOptions,
): LaneHome {
  const workspace = proofHome(place, name)
  const scripts = new Map(starters.map((starter) => [starter, writeScript(workspace, starter, plan[starter])]))
  const scriptOf = (starter: Starter) => scripts.get(starter) ?? ""
  const bash = (starter: Starter, more: object = {}) => ({
    call: { tool: "bash", input: { command: `sh '${scriptOf(starter)}'`, ...more } },
  })
  const steps = [[bash("shell", { run_in_background: true })], [bash("command")], [{ text: "Both." }, { hang: true }]]
  const model = `offline/script:${workspace.writeJson("script.json", { steps })}`
  const server = workspace.write("tools/server/server.mjs", serverProgram)
  const plugin = workspace.path("tools", extensionId)
  workspace.write(`tools/${extensionId}/nasty.mjs`, extensionProgram)
  const extension = { ...manifest.extension, args: ["nasty.mjs", scriptOf("extension")] }
  workspace.writeJson(`tools/${extensionId}/.synaps-plugin/plugin.json`, { ...manifest, extension })
  workspace.writeJson("home/config.json", {
    model,
    tools: { sandbox: sandbox ? "require" : "off", allow: ["bash"] },
    mcpServers: { nasty: { command: "node", args: [server, scriptOf("server")] } },
    extensions: { paths: [plugin], ...(kind === serverKind ? { shared: [extensionId] } : {}) }, // visitors have shared ones
    agents: { [agentId]: { tools: ["bash", "mcp__nasty__work"], extensions: [extensionId] } },
  })
  return { workspace, model, log: openHomeLog(workspace.home) }
}

/** A link to the program that sleeps, under a path by which its processes are found. */
function writeScript(workspace: Workspace, starter: Starter, { script }: Behaviour): string {
  const sleep = findProgram("sleep", process.env["PATH"])
  if (sleep === undefined) throw new AppFault("the program 'sleep' was not found on the PATH. The proof needs it.")
  const path = workspace.write(`tools/${starter}/nasty.sh`, `nap='${napOf(workspace, starter)}'\n${script}\n`)
  symlinkSync(sleep, napOf(workspace, starter))
  return path
}

function napOf(workspace: Workspace, starter: Starter): string {
  return workspace.path("tools", starter, "sleep")
}

/** Everything that the scripts and their starters have left; hosts and the log writer do not count. */
export function processesOf({ workspace }: LaneHome): Promise<readonly ListedProcess[]> {
  return processesNaming(join(workspace.path("tools"), "/"))
}

/** Starters whose scripts are at work, or have a process left. */
export function startersOf({ workspace }: LaneHome, processes: readonly ListedProcess[]): ReadonlySet<Starter> {
  const naps = (starter: Starter) => napsOf(workspace, starter, processes)
  return new Set(starters.filter((starter) => naps(starter) > 0))
}

export function isReady({ workspace }: LaneHome, plan: Plan, processes: readonly ListedProcess[]): boolean {
  return starters.every((starter) => napsOf(workspace, starter, processes) >= plan[starter].naps)
}

/** Without those that escape where commands have no sandbox, as documented. */
export function withoutEscaped(
  { workspace }: Pick<LaneHome, "workspace">,
  plan: Plan,
  processes: readonly ListedProcess[],
): readonly ListedProcess[] {
  const escaping = starters.filter((starter) => plan[starter].escapes)
  return processes.filter((process) => !escaping.some((starter) => isNap(workspace, starter, process)))
}

function napsOf(workspace: Workspace, starter: Starter, processes: readonly ListedProcess[]): number {
  return processes.filter((process) => isNap(workspace, starter, process)).length
}

function isNap(workspace: Workspace, starter: Starter, { commandLine }: ListedProcess): boolean {
  return commandLine.startsWith(`${napOf(workspace, starter)} `)
}
