// Checks the programs that Turnhouse and its tools use, by running them.
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { readyToHide } from "../../processes/bwrap-arguments.ts"
import { findBwrap, bwrapProblem } from "../../processes/bwrap-trial.ts"
import { peerCheckProblem } from "../../processes/peer-process.ts"
import { findBash } from "../../tools/start-command.ts"
import type { NetworkSetting } from "../../tools/network/command-network.ts"
import { shellRisk } from "../settings/tool-set.ts"
import { installCommand } from "./install-bubblewrap.ts"
import { type Check, type Finding, ok, problem, warning } from "./finding.ts"

export interface ProgramFacts {
  readonly env: NodeJS.ProcessEnv
  /** `tools.sandbox` of the configuration. */
  readonly sandbox: "auto" | "off" | "require"
  /** `tools.network` of the configuration. */
  readonly network: NetworkSetting
  /** Folders to hide from commands. */
  readonly closed: readonly string[]
}

const timeoutMs = 4000

export function programChecks(facts: ProgramFacts): readonly Check[] {
  return [
    { subject: "bash", look: () => bash(facts.env) },
    { subject: "git", look: git },
    { subject: "ripgrep", look: ripgrep },
    { subject: "bubblewrap", look: () => bubblewrap(facts) },
    { subject: "network", look: () => network(facts) },
    { subject: "sockets", look: sockets },
  ]
}

async function bash(env: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  const path = findBash({ PATH: env["PATH"] ?? "" })
  if (path === undefined) return [warning("bash", "not installed; commands run in sh", "install bash")]
  const ran = await run(path, ["-c", "echo $BASH_VERSION"])
  return [
    ran.works
      ? ok("bash", `${ran.firstLine} (${path})`)
      : problem("bash", `${path}: ${ran.reason}`, "repair or remove it"),
  ]
}

async function git(): Promise<readonly Finding[]> {
  const ran = await run("git", ["--version"])
  if (ran.works) return [ok("git", ran.firstLine)]
  return [warning("git", ran.reason, "install git; agents and branch locks need it")]
}

async function ripgrep(): Promise<readonly Finding[]> {
  const { rgPath } = await import("@vscode/ripgrep")
  const ran = await run(rgPath, ["--version"])
  if (ran.works) return [ok("ripgrep", ran.firstLine)]
  return [
    problem(
      "ripgrep",
      `the bundled program does not run: ${ran.reason}`,
      "reinstall with 'npm ci'; grep and find need it",
    ),
  ]
}

/** Runs it as the tools do: in many containers it is installed but not permitted. */
async function bubblewrap(facts: ProgramFacts): Promise<readonly Finding[]> {
  return [sandboxFinding(facts.sandbox, await trial(facts, true))]
}

function trial({ closed, env }: ProgramFacts, hasNetwork: boolean): Promise<string | undefined> {
  const hidden = readyToHide(closed.filter((folder) => existsSync(folder)))
  return bwrapProblem(findBwrap(env["PATH"]), hidden, { timeoutMs, hasNetwork })
}

/** Nothing to report where the network is not limited. */
async function network(facts: ProgramFacts): Promise<readonly Finding[]> {
  if (facts.network === "all") return []
  const reason = facts.sandbox === "off" ? "tools.sandbox is off" : await trial(facts, false)
  return [networkFinding(facts.network, reason)]
}

export function networkFinding(setting: Exclude<NetworkSetting, "all">, reason: string | undefined): Finding {
  if (reason !== undefined)
    return problem(
      "network",
      `tools.network limits the network of commands, which needs a sandbox: ${reason}. Commands are refused`,
      'make bubblewrap work, or set tools.network to "all"',
    )
  if (setting === "none") return ok("network", "commands of tools have no network (tools.network)")
  const count = setting.allow.length
  const hosts = count === 1 ? "1 listed host" : `${count} listed hosts`
  return ok("network", `commands of tools can connect to ${hosts} (tools.network)`)
}

export function sandboxFinding(mode: ProgramFacts["sandbox"], reason: string | undefined): Finding {
  if (mode === "off")
    return warning(
      "bubblewrap",
      `tools.sandbox is off: ${shellRisk}; extensions are not confined`,
      "remove tools.sandbox from the configuration",
    )
  if (reason === undefined)
    return ok("bubblewrap", "works: commands of tools and extensions cannot see the home folder")
  const install = installCommand()?.join(" ") ?? "install bubblewrap"
  const todo = findBwrap() === undefined ? install : "allow bubblewrap to create user namespaces"
  if (mode === "require") return problem("bubblewrap", `tools.sandbox requires it, but ${reason}`, todo)
  return warning("bubblewrap", `${reason}: ${shellRisk}; extensions are not confined`, todo)
}

/** Whether a tool's process is recognised when it connects to a socket of Turnhouse. */
async function sockets(): Promise<readonly Finding[]> {
  const reason = peerCheckProblem()
  if (reason === undefined) return [ok("sockets", "connections from tool processes are refused")]
  const what = `${reason}: tool processes can connect to sockets; only the command line refuses them`
  return [warning("sockets", what, "run 'npm ci' again, on Linux")]
}

interface Ran {
  readonly works: boolean
  readonly firstLine: string
  readonly reason: string
}

function run(program: string, args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { timeout: timeoutMs, killSignal: "SIGKILL", encoding: "utf8" } as const
    execFile(program, args, options, (fault, stdout, stderr) => {
      const isMissing = fault !== null && fault.code === "ENOENT"
      const lastLine = stderr.trim().split("\n").at(-1) ?? ""
      const reason = isMissing ? "not installed" : lastLine === "" ? (fault?.message.split("\n")[0] ?? "") : lastLine
      resolve({ works: fault === null, firstLine: stdout.split("\n")[0] ?? "", reason })
    })
  })
}
