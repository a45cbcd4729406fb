// Checks configuration files, the trust of this folder, and environment variables of Turnhouse. Values of variables are
// not shown: an address may contain a password.
import { messageOf } from "../app-fault.ts"
import type { ServerFiles } from "../../config/combine-files.ts"
import { ConfigFault } from "../../config/faults.ts"
import { loadConfig } from "../../config/load-config.ts"
import { InstructionSource, type InstructionRequest } from "../../config/instructions/instruction-source.ts"
import { describeInstructions } from "../../contract/text/describe-instructions.ts"
import { nearestKey } from "../../contract/text/nearest-key.ts"
import { trustOf, type FolderTrust } from "../../config/trust/trust.ts"
import { clusterVariables } from "../../config/cluster-settings.ts"
import type { Config } from "../../contract/config.ts"
import { readPriceOverrides } from "../../models/price-overrides.ts"
import { missingFolders } from "../extensions/discovery.ts"
import { clusterSecretVariable } from "../../secrets/cluster-keys.ts"
import { type Check, type Finding, ok, problem, warning } from "./finding.ts"

const places = ["TURNHOUSE_HOME", "TURNHOUSE_NODE", "TURNHOUSE_CACHE", "TURNHOUSE_THEME", "TURNHOUSE_SSH"]
const known = [...places, ...clusterVariables, clusterSecretVariable]
/** Set by Turnhouse for tool processes. */
const ownVariable = /^TURNHOUSE_(MARK|CALL_ID|IDEMPOTENCY_KEY|SESSION|ORG|USER|VERIFIED_EMAIL|VERIFIED_PHONE)$/

export interface ReadSettings {
  readonly config: Config
  readonly serverFiles: ServerFiles
  /** See LoadedConfig. */
  readonly ownPlaces: readonly string[]
  readonly findings: readonly Finding[]
  /** False if commands refuse the configuration. */
  readonly isUsable: boolean
}

/** With an invalid configuration the other checks use the defaults. */
export async function readSettings(home: string, cwd: string, env: NodeJS.ProcessEnv): Promise<ReadSettings> {
  try {
    const trust = await trustOf(home, cwd)
    const { config, sources, serverFiles, ownPlaces } = await loadConfig({ env, cwd, home, trust })
    const read = sources.flatMap(({ path, trusted }) => (trusted ? [path] : []))
    const what = read.length === 0 ? "no file; defaults apply" : `${read.join(", ")} valid`
    const todo = "create it, or remove it from the configuration"
    const missing = missingFolders(config).map((sentence) => warning("extensions", sentence, todo))
    const instructions = await instructionFindings(config, { home, cwd, env, settingsFolder: cwd })
    const findings = [ok("configuration", what), trustFinding(trust), ...missing, ...instructions]
    return { config, serverFiles, ownPlaces, findings, isUsable: true }
  } catch (fault) {
    if (!(fault instanceof ConfigFault)) throw fault
    const todo = "fix it; docs/configuration.md lists every key"
    const findings = fault.problems.map((what) => problem("configuration", what, todo))
    return { config: {}, serverFiles: new Map(), ownPlaces: [], findings, isUsable: false }
  }
}

export function settingsChecks(pricesFile: string, env: NodeJS.ProcessEnv): readonly Check[] {
  return [
    { subject: "prices", look: () => prices(pricesFile) },
    { subject: "variables", look: async () => variables(env) },
  ]
}

function trustFinding({ state, folder, files, warnings }: FolderTrust): Finding {
  const [distrust] = warnings
  if (distrust !== undefined) return problem("trust", distrust, "see docs/configuration.md, Trust")
  if (state === "nothing") return ok("trust", `${folder} has no project files`)
  if (state === "trusted") return ok("trust", `${folder} is trusted: ${files.join(", ")}`)
  const reason = state === "changed" ? "changed since it was trusted" : "not trusted"
  return warning(
    "trust",
    `${folder} is ${reason}; not read: ${files.join(", ")}`,
    `review them, then run 'turnhouse trust ${folder}'`,
  )
}

/** AGENTS.md and CLAUDE.md of this folder and of the user. */
async function instructionFindings({ instructions }: Config, request: InstructionRequest): Promise<readonly Finding[]> {
  if (instructions?.enabled === false) return [ok("instructions", "switched off by instructions.enabled")]
  const { files, notices } = await new InstructionSource(request).read()
  const line = describeInstructions({ files }) ?? "no AGENTS.md or CLAUDE.md is read"
  const todo = "see docs/instructions.md"
  return [ok("instructions", line), ...notices.map((notice) => warning("instructions", notice, todo))]
}

async function prices(file: string): Promise<readonly Finding[]> {
  try {
    const own = await readPriceOverrides(file)
    return own.size === 0 ? [] : [ok("prices", `${file} valid, ${own.size} models`)]
  } catch (fault) {
    const what = messageOf(fault)
    return [problem("prices", what, "fix or remove the file; no model is called until then")]
  }
}

function variables(env: NodeJS.ProcessEnv): readonly Finding[] {
  const set = Object.keys(env).filter(
    (name) => name.startsWith("TURNHOUSE_") && env[name] !== "" && !ownVariable.test(name),
  )
  const unknown = set.filter((name) => !known.includes(name))
  const inside = env["TURNHOUSE_MARK"] === undefined ? [] : [ok("variables", "running inside a tool of Turnhouse")]
  const used = set.filter((name) => known.includes(name))
  return [
    ok("variables", used.length === 0 ? "none set" : `set: ${used.join(", ")}`),
    ...inside,
    ...unknown.map((name) => warning("variables", `${name} is set but unknown`, advice(name))),
  ]
}

function advice(name: string): string {
  const close = nearestKey(name, known)
  return close?.close === true ? `did you mean ${close.key}?` : "unset it"
}
