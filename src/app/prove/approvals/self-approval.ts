// An agent tries to answer its own request in every way that its tools allow, with and without a sandbox. The request must
// stay open until the client of the proof answers it.
import { chmodSync, renameSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { memberIn, tryParseJson } from "../../../contract/json-object.ts"
import type { JsonValue } from "../../../contract/values.ts"
import { openApprovals } from "../../../features/approvals/state.ts"
import { bwrapProblem, findBwrap } from "../../../processes/bwrap-trial.ts"
import { entryFile } from "../../../program/program-files.ts"
import { accepted, messageOf } from "../../app-fault.ts"
import { openHomeLog } from "../../host/open-log.ts"
import { eventsOf } from "../crash/check-history.ts"
import { DoorMemory } from "../crash/doors/door-client.ts"
import { definedTools, readEffects } from "../crash/effects.ts"
import { backgroundHost, reachHost, type LaneHome } from "../crash/lane-kind.ts"
import { SessionRecord } from "../crash/session-record.ts"
import { answeringExtension } from "../extension-program.ts"
import { proofHome, reportIn } from "../proof-home.ts"
import type { ProofFolder } from "../run-proof.ts"
import type { Report } from "../violation.ts"
import { attackerProgram, attackTarget } from "./attacker-program.ts"

export interface WayRow {
  readonly way: string
  readonly sandbox: boolean
  readonly tries: number
}

const PATIENCE_MS = 120_000
const LOOK_MS = 20

const call = (tool: string, input: { readonly [key: string]: JsonValue } = {}) => ({ call: { tool, input } })

/** The tries by way; a request that was answered is reported. Leaves no process behind. */
export async function attackWays(place: ProofFolder): Promise<readonly WayRow[]> {
  const hasSandbox = (await bwrapProblem(findBwrap(), [])) === undefined
  const all = hasSandbox ? [true, false] : [false]
  const rows = await Promise.all(
    all.map(async (sandbox) => {
      const home = createAttackedHome(place, sandbox)
      const report = reportIn(place, home.workspace)
      try {
        return await attack(home, sandbox, report, place.signal)
      } catch (fault) {
        if (!place.signal.aborted) report("broken", "none", messageOf(fault))
        return []
      } finally {
        await home.log.close()
        await home.workspace.close(true)
      }
    }),
  )
  return rows.flat()
}

/** The agent attacks the guard only in a sandbox: without one it can rewrite the file of the guard. */
function createAttackedHome(place: ProofFolder, sandbox: boolean): LaneHome {
  const workspace = proofHome(place, `agent-${sandbox ? "with" : "without"}-sandbox`)
  workspace.write("effects", "")
  const guard = workspace.write("home/plugins/guard/guard.mjs", answeringExtension({ action: "block", reason: "no" }))
  chmodSync(guard, 0o644)
  workspace.writeJson("home/plugins/guard/.synaps-plugin/plugin.json", {
    name: "guard",
    extension: {
      protocol_version: 1,
      runtime: "process",
      command: "node",
      args: ["guard.mjs"],
      permissions: ["tools.intercept"],
      hooks: [{ hook: "before_tool_call", tool: "note" }],
    },
  })
  const attacker = workspace.write("attacker.mjs", attackerProgram)
  const words = [process.execPath, attacker, entryFile, workspace.home, workspace.path("target")]
  const command = [...words, ...(sandbox ? [guard] : [])].map((word) => `'${word}'`).join(" ")
  const attempt = call("bash", { command, timeout: PATIENCE_MS / 1000 })
  const script = { steps: [[call("risky"), attempt], [call("note")], [{ text: "Done." }]] }
  const model = `offline/script:${workspace.writeJson("script.json", script)}`
  workspace.writeJson("home/config.json", {
    model,
    tools: {
      sandbox: sandbox ? "require" : "off",
      allow: ["bash", "note"],
      confirm: ["risky"],
      define: definedTools(workspace),
    },
    extensions: { failClosed: ["guard"] },
  })
  return { workspace, model, log: openHomeLog(workspace.home) }
}

async function attack(
  home: LaneHome,
  sandbox: boolean,
  report: Report,
  signal: AbortSignal,
): Promise<readonly WayRow[]> {
  const memory = new DoorMemory("host", report, true)
  const started = backgroundHost.start(home, memory, undefined)
  try {
    const isOver = () => signal.aborted || started.process.exit !== undefined
    const client = await reachHost(backgroundHost, home, started, isOver)
    if (client === undefined) throw new Error("the host exited by itself")
    const record = new SessionRecord(await backgroundHost.create(home, started, client, memory), report)
    const { handle } = accepted(await client.open(record.sessionId))
    await handle.watch(0, (item) => record.take(item))
    accepted(await handle.send({ type: "prompt", promptId: "prm_1", text: "go", ifBusy: "wait" }))
    const request = await until(signal, () => openApprovals(record.state)[0])
    await until(signal, () => eventsOf(record.shown, "tool.started")[0])
    const target = home.workspace.writeJson("new-target", attackTarget(request.id, record.sessionId))
    renameSync(target, home.workspace.path("target")) // the program must not read a part of it
    const { output } = await until(signal, () => eventsOf(record.shown, "tool.ended")[0])
    if (!openApprovals(record.state).some(({ id }) => id === request.id))
      report("broken", "approval.decided", "an agent has answered its own request")
    accepted(await handle.send({ type: "approve", approvalId: request.id, approved: false }))
    await until(signal, () => eventsOf(record.shown, "turn.ended")[0])
    const ran = new Set(eventsOf(record.shown, "tool.started").map(({ callId }) => callId))
    if (ran.size > 1 || readEffects(home.workspace).length > 0)
      report("broken", "tool.started", "a call ran that was denied, or that a guard had blocked")
    client.close()
    return triesIn(output, sandbox)
  } finally {
    started.process.signal("SIGKILL")
    await started.process.exited
  }
}

function triesIn(output: string, sandbox: boolean): readonly WayRow[] {
  const tries = tryParseJson(output)
  if (typeof tries !== "object" || tries === null) throw new Error(`the program of the agent did not finish: ${output}`)
  return Object.keys(tries).map((way) => ({ way, sandbox, tries: Number(memberIn(tries, way)) }))
}

async function until<Found>(signal: AbortSignal, find: () => Found | undefined): Promise<Found> {
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await sleep(LOOK_MS)) {
    signal.throwIfAborted()
    const found = find()
    if (found !== undefined) return found
  }
  throw new Error(`nothing happened for ${PATIENCE_MS / 1000} s while an agent tried to answer`)
}
