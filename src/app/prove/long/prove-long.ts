// `turnhouse prove long`: conversations that are many times longer than the window of their model. Each request of the
// model is compared with the log.
import { mkdirSync } from "node:fs"
import { openHomeLog } from "../../host/open-log.ts"
import { DoorMemory } from "../crash/doors/door-client.ts"
import { backgroundHost, stdioChild, type LaneHome, type LaneKind, type Started } from "../crash/lane-kind.ts"
import { proofHome, reportIn } from "../proof-home.ts"
import { runProof, type ProofFolder, type ProofOptions, type ProofResult } from "../run-proof.ts"
import { seeded } from "../seeded.ts"
import { LongConversation } from "./long-conversation.ts"
import { LongModel } from "./long-model.ts"
import { Provider } from "./provider.ts"

export interface LongRow {
  readonly host: string
  /** Tokens that the model takes, and that the host believes it takes. */
  readonly window: number
  readonly assumed: number
  readonly tokens: number
  readonly longestTurn: number
  readonly turns: number
  /** Texts of events that were looked for in the requests. */
  readonly events: number
  readonly requests: number
  readonly compactions: number
  readonly summaries: number
  readonly tooLong: number
  readonly leftOut: number
}

export interface LongResult extends ProofResult {
  readonly tokens: number
  readonly rows: readonly LongRow[]
}

interface Plan {
  readonly window: number
  readonly assumed: number
  readonly charactersPerToken: number
  readonly reportsUsage: boolean
  /** Of all tokens. */
  readonly share: number
}

const hosts: readonly { readonly kind: LaneKind; readonly plans: readonly Plan[] }[] = [
  {
    kind: backgroundHost,
    plans: [
      { window: 24_000, assumed: 24_000, charactersPerToken: 3, reportsUsage: true, share: 0.3 },
      { window: 20_000, assumed: 40_000, charactersPerToken: 4, reportsUsage: false, share: 0.2 },
    ],
  },
  {
    kind: stdioChild,
    plans: [{ window: 64_000, assumed: 64_000, charactersPerToken: 4, reportsUsage: true, share: 0.5 }],
  },
]

interface Shared extends ProofFolder {
  readonly seed: number
  readonly count: number
  readonly provider: Provider
  readonly baseURL: string
  readonly onSpent: (tokens: number) => void
}

export function proveLong({ count, seed, signal, onProgress }: ProofOptions): Promise<LongResult> {
  return runProof({ seed, signal }, async (place) => {
    const provider = new Provider()
    const baseURL = await provider.listen()
    let tokens = 0
    const onSpent = (more: number) => onProgress((tokens += more))
    try {
      const shared = { ...place, seed, count, provider, baseURL, onSpent }
      const rows = await Promise.all(hosts.map((_, number) => runHost(number, shared)))
      return { tokens, rows: rows.flat() }
    } finally {
      provider.close()
    }
  })
}

/** One host with its conversations. Leaves no process behind; the folder stays. */
async function runHost(number: number, shared: Shared): Promise<readonly LongRow[]> {
  const { kind, plans } = hosts[number] ?? { kind: backgroundHost, plans: [] }
  const home = createHome(shared, number, plans)
  const report = reportIn(shared, home.workspace)
  const memory = new DoorMemory(kind.name, report, true)
  const host = kind.start(home, memory, undefined)
  let isOver = false
  const reportExit = () => isOver || shared.signal.aborted || report("broken", "none", "the host exited by itself")
  void host.process.exited.then(reportExit)
  try {
    const held = plans.map((plan, index) =>
      holdConversation({ ...shared, kind, home, host, memory, number, index, plan }),
    )
    return await Promise.all(held)
  } finally {
    isOver = true
    host.process.signal("SIGKILL")
    await host.process.exited
    await home.log.close()
    await home.workspace.close(true)
  }
}

interface Held extends Shared {
  readonly kind: LaneKind
  readonly home: LaneHome
  readonly host: Started
  readonly memory: DoorMemory
  readonly number: number
  readonly index: number
  readonly plan: Plan
}

async function holdConversation({ kind, home, host, memory, number, index, plan, ...shared }: Held): Promise<LongRow> {
  const { seed, count, provider, signal, onSpent } = shared
  const { window, assumed, charactersPerToken, reportsUsage, share } = plan
  const report = reportIn(shared, home.workspace)
  const name = modelName(number, index)
  const model = new LongModel({
    below: seeded((seed * 2 + number) * 100 + index),
    window,
    isOverrated: assumed > window,
    charactersPerToken,
    reportsUsage,
    outputs: home.workspace.path("folder/out"),
    report,
    onSpent,
    onSteer: () => conversation.steer(),
  })
  const below = seeded((seed * 2 + number) * 100 + 50 + index)
  const own = { ...home, model: `proof/${name}` }
  const conversation = new LongConversation({
    home: own,
    kind,
    host,
    memory,
    model,
    below,
    tokens: count * share,
    report,
    signal,
  })
  provider.models.set(name, model)
  await conversation.hold()
  const { spent: tokens, steps, summaries, tooLong } = model
  const { longestTurn, turns, compactions, events } = conversation
  return {
    host: kind.name,
    window,
    assumed,
    tokens,
    longestTurn,
    turns,
    events,
    requests: steps,
    compactions,
    summaries,
    tooLong,
    leftOut: model.aged.size,
  }
}

function modelName(number: number, index: number): string {
  return `model-${number}-${index}`
}

function createHome(place: Shared, number: number, plans: readonly Plan[]): LaneHome {
  const workspace = proofHome(place, String(number))
  mkdirSync(workspace.path("folder/out"))
  const model = `proof/${modelName(number, 0)}`
  const look = {
    description: "Shows a file.",
    input: { type: "object", properties: { file: { type: "string" }, note: { type: "string" } }, required: ["file"] },
    class: "read",
    run: ["sh", "-c", 'IFS= read -r line; name=${line#*\\"file\\":\\"}; exec cat "out/${name%%\\"*}"'],
  }
  const tools = { sandbox: "off", allow: ["look", "bash"], define: { look } }
  const providers = { proof: { type: "openai-compatible", baseURL: place.baseURL, apiKey: "proof" } }
  workspace.writeJson("home/config.json", { model, tools, providers, limits: { stepsPerTurn: 1_000_000 } })
  const models = plans.map(({ assumed }, index) => {
    return [
      `proof/${modelName(number, index)}`,
      { input: 0, output: 0, contextWindow: assumed, maxOutput: 4000 },
    ] as const
  })
  workspace.writeJson("home/prices.json", { models: Object.fromEntries(models) })
  return { workspace, model, log: openHomeLog(workspace.home) }
}
