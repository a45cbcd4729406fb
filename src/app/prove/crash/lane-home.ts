// The temporary home of one lane: its folder, configuration and scripts, and the log for reading.
import { existsSync, watch } from "node:fs"
import type { Part } from "../../../models/offline/part.ts"
import type { Workspace } from "../../demo/workspace.ts"
import { openHomeLog } from "../../host/open-log.ts"
import { proofHome } from "../proof-home.ts"
import type { ProofFolder } from "../run-proof.ts"
import { definedTools } from "./effects.ts"
import type { LaneHome, LaneKind } from "./lane-kind.ts"
import { childSteps, stepsOf } from "./play.ts"
import { serverTool, writePrograms } from "./programs.ts"

const scriptSettings = { delayMs: 1 }

export type LaneFolder = Pick<ProofFolder, "root" | "cache">
type Steps = readonly (readonly Part[])[]

/** `steps`: of the script; default: the conversation that is killed. */
export function createLaneHome(place: LaneFolder, name: string, kind: LaneKind, steps?: Steps): LaneHome {
  const workspace = proofHome(place, name)
  const { model, tools } = prepareLane(workspace, kind, steps)
  const programs = steps === undefined && kind.hasPrograms ? writePrograms(workspace) : {}
  workspace.writeJson("home/config.json", { ...configOf(kind, model, tools), ...programs })
  return { workspace, model, log: openHomeLog(workspace.home) }
}

/** The scripts of a lane, in its folder. */
export function prepareLane(workspace: Workspace, kind: LaneKind, steps?: Steps) {
  workspace.write("effects", "")
  const childModel = `offline/script:${workspace.writeJson("agent.json", { ...scriptSettings, steps: childSteps })}`
  const script = { ...scriptSettings, steps: steps ?? stepsOf(kind, childModel) }
  const model = `offline/script:${workspace.writeJson("script.json", script)}`
  return { model, tools: definedTools(workspace) }
}

export function configOf(kind: LaneKind, model: string, define: ReturnType<typeof definedTools>) {
  const tools = {
    sandbox: "off", // what the proof measures does not depend on it, and it looks different on every machine
    allow: ["look", "keep", "note", serverTool],
    confirm: ["risky"],
    define,
  }
  return { model, tools, ...kind.config }
}

/** Calls back when the log has grown, or a tool had its effect. Returns a function that stops that. */
export function watchFiles(
  { workspace }: LaneHome,
  on: { readonly log: () => void; readonly effect: () => void },
): () => void {
  const home = watch(workspace.home, (_, name) => {
    if (name === "turnhouse.db-wal") on.log()
  })
  const files = ["effects", "served"].map((name) => workspace.path(name)).filter((path) => existsSync(path))
  const effects = files.map((path) => watch(path, () => on.effect()))
  return () => {
    for (const watcher of [home, ...effects]) watcher.close()
  }
}
