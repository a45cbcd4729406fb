// Puts the house together for a command: home, configuration, secrets, log, models, tools, policy. The only place
// that knows all the parts.
import { tmpdir, userInfo } from "node:os"
import { join, sep } from "node:path"
import { ConfigFault } from "../config/config-fault.ts"
import { ensureHome, homeFolder } from "../config/home.ts"
import { loadConfig } from "../config/load-config.ts"
import { trustOf } from "../config/trust.ts"
import type { Config } from "../contract/config.ts"
import type { SessionId } from "../contract/ids.ts"
import { openHouse, type House, type HouseServices } from "../host/house.ts"
import { newId } from "../host/new-ids.ts"
import type { EventLog } from "../log/event-log.ts"
import { thisHost } from "../log/process-identity.ts"
import { openSqliteLog } from "../log/sqlite/sqlite-log.ts"
import { createModelSource, type ModelRegistry } from "../models/registry.ts"
import { ProcessKeeper } from "../processes/process-keeper.ts"
import { sweep } from "../processes/sweep.ts"
import { Ledger } from "../runner/budget.ts"
import { modeGate } from "../runner/gates.ts"
import { denyGate, policyGate, type PolicyRules } from "../runner/policy.ts"
import { secretsOf } from "../secrets/find-secrets.ts"
import { homeKey, HomeKeyFault } from "../secrets/home-key.ts"
import { createRedactor } from "../secrets/redactor.ts"
import { pathsOf } from "../tools/built-in-tools.ts"
import { FileMemory } from "../tools/file-memory.ts"
import { realPathOf } from "../tools/paths.ts"
import { CliFault, refusalFault, usageFault } from "./cli-fault.ts"
import { exitCodes } from "./exit-codes.ts"
import { houseTools } from "./house-tools.ts"
import { say } from "./terminal.ts"
import { toolEnvironment } from "./tool-environment.ts"

export interface Surroundings {
  readonly home: string
  readonly cwd: string
  readonly config: Config
  readonly warnings: readonly string[]
}

export interface RunningHouse {
  readonly house: House
  readonly models: ModelRegistry
  close(): Promise<void>
}

export interface HouseOptions {
  readonly role: string
  readonly approvalWaitMs: number | undefined
}

export async function surroundings(
  options: { configFile?: string | undefined; profile?: string | undefined } = {},
): Promise<Surroundings> {
  const home = homeFolder(process.env)
  const cwd = currentFolder()
  try {
    ensureHome(home)
    const trust = await trustOf(home, cwd)
    const { config, warnings } = await loadConfig({ env: process.env, cwd, home, trust, ...options })
    return { home, cwd, config, warnings }
  } catch (fault) {
    if (fault instanceof ConfigFault) throw usageFault(fault.message)
    throw fault
  }
}

function currentFolder(): string {
  try {
    return process.cwd()
  } catch {
    throw usageFault("the current folder is gone; change into one that is there")
  }
}

export function openLog(home: string): EventLog {
  const opened = openSqliteLog({ path: join(home, "turnhouse.db") })
  if (opened.kind === "refused") throw refusalFault(opened.refusal)
  return opened.value
}

export async function startHouse(around: Surroundings, options: HouseOptions): Promise<RunningHouse> {
  try {
    return await start(around, options)
  } catch (fault) {
    if (fault instanceof HomeKeyFault) throw new CliFault(fault.message, exitCodes.failed)
    throw fault
  }
}

async function start({ home, config }: Surroundings, options: HouseOptions): Promise<RunningHouse> {
  const host = thisHost(options.role)
  const processes = new ProcessKeeper(host.hostId)
  const models = createModelSource({ config, env: process.env, pricesFile: join(home, "prices.json") })
  const used = await services(home, config, options, models, processes)
  const log = openLog(home)
  const opened = await openHouse(log, host, used)
  if (opened.kind === "refused") throw refusalFault(opened.refusal)
  const { house } = opened
  const close = async () => {
    await house.close()
    await processes.close()
  }
  return { house, models, close }
}

async function services(
  home: string,
  config: Config,
  options: HouseOptions,
  models: ModelRegistry,
  processes: ProcessKeeper,
): Promise<HouseServices> {
  const key = homeKey(home)
  const rules = rulesOf(config)
  const fileMemories = new Map<SessionId, FileMemory>()
  const fileMemoryFor = (sessionId: SessionId) => remembered(fileMemories, sessionId)
  const scrubber = createRedactor({ secrets: secretsOf({ env: process.env, config }), key })
  const warn = (sentence: string) => say(scrubber.text(sentence))
  const { tools, gate } = await houseTools({ home, config, processes, fileMemoryFor, warn })
  return {
    now: Date.now,
    newId,
    models,
    tools,
    gates: [modeGate, denyGate(rules), gate, policyGate(rules, outsidePaths)],
    ledger: new Ledger(),
    scrubber,
    digestKey: key,
    leaveSession: async (sessionId) => {
      fileMemories.delete(sessionId)
      await processes.endOwned(sessionId)
    },
    toolEnv: toolEnvironment(process.env, config),
    approvalWaitMs: options.approvalWaitMs,
    sweep: async (found) =>
      (
        await sweep(
          found,
          found.flatMap(({ mark }) => mark ?? []),
        )
      ).map(({ evidence }) => evidence),
    warn: (message, sessionId) => warn(`session ${sessionId.slice(0, 8)}: ${message}`),
  }
}

function rulesOf({ tools, policy }: Config): PolicyRules {
  const { allow = [], confirm = [], approve = [], deny = [] } = tools ?? {}
  return { allow, confirm, approve, deny, taint: policy?.taint ?? true }
}

/** The system's temporary folder is nobody's home: writing there needs no question. */
function outsidePaths(tool: string, input: Parameters<typeof pathsOf>[1], cwd: string): readonly string[] {
  const inside = [realPathOf(cwd, "/"), realPathOf(tmpdir(), "/")]
  return pathsOf(tool, input, cwd).filter(
    (path) => !inside.some((root) => path === root || path.startsWith(root + sep)),
  )
}

function remembered(memories: Map<SessionId, FileMemory>, sessionId: SessionId): FileMemory {
  const known = memories.get(sessionId) ?? new FileMemory()
  memories.set(sessionId, known)
  return known
}

export function localUser(): string {
  try {
    return userInfo().username
  } catch {
    throw new CliFault("This user has no name in the system's user list.", exitCodes.failed)
  }
}
