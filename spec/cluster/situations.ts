// Sessions of a cluster in the four situations in which a fault can hit them: streaming, an unsafe tool, a tool that reads, and
// an approval that waits. Each has watchers at other nodes and a visitor that finds another node when its socket is closed.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import type { Step } from "../../src/models/offline/part.ts"
import type { WsClient } from "../../src/testing/doors/served-ws.ts"
import { eventually } from "../e2e/eventually.ts"
import type { Json } from "../e2e/printed.ts"
import { SessionView, type ClusterNode } from "./cluster.ts"

export const situations = ["streaming", "an unsafe tool", "a tool that reads", "a parked approval"] as const
export type Situation = (typeof situations)[number]

const words = Array.from({ length: 40 }, (_, index) => `word${index} `)
export const spoken = words.join("")
const speaking: Step = words.flatMap((word) => [{ chunks: [word] }, { delayMs: 100 }])
const call = (tool: string): Step => [{ call: { tool, input: {} } }]
const done: Step = [{ text: "It is done." }]

const agents: Readonly<Record<Situation | "greeting", { readonly name: string; readonly steps: readonly Step[] }>> = {
  streaming: { name: "speaker", steps: [speaking] },
  "an unsafe tool": { name: "payer", steps: [call("pay"), done] },
  "a tool that reads": { name: "looker", steps: [call("look"), done] },
  "a parked approval": { name: "asker", steps: [call("transfer"), done] },
  greeting: { name: "greeter", steps: [[{ text: "Hello." }]] },
}

/** Files of the tools; their path is in the command line of each. */
export class Tools {
  readonly #prefix: string

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  get mark(): string {
    return this.#prefix
  }

  config(): Json {
    const model = (name: string, steps: readonly Step[]) => {
      writeFileSync(`${this.#prefix}-${name}.json`, JSON.stringify({ delayMs: 0, steps }))
      return { model: `offline/script:${this.#prefix}-${name}.json` }
    }
    const waiting = (name: string) =>
      `echo run >> ${this.#prefix}-${name}; until [ -e ${this.#prefix}-go ]; do sleep 0.05; done; echo done`
    return {
      agents: Object.fromEntries(Object.values(agents).map(({ name, steps }) => [name, model(name, steps)])),
      tools: {
        sandbox: "off",
        allow: ["pay", "look"],
        confirm: ["transfer"],
        define: {
          pay: definition("pay", "unsafe", waiting("pay")),
          look: definition("look", "read", waiting("look")),
          transfer: definition("transfer", "unsafe", `echo run >> ${this.#prefix}-transfer; echo done`),
        },
      },
    }
  }

  runs(name: "pay" | "look" | "transfer"): number {
    const path = `${this.#prefix}-${name}`
    return existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0
  }

  /** Lets the tools that wait end. */
  go(): void {
    writeFileSync(`${this.#prefix}-go`, "")
  }

  reset(): void {
    for (const name of ["pay", "look", "transfer", "go"]) rmSync(`${this.#prefix}-${name}`, { force: true })
  }

  remove(): void {
    this.reset()
    for (const { name } of Object.values(agents)) rmSync(`${this.#prefix}-${name}.json`, { force: true })
  }
}

function definition(name: string, type: "read" | "unsafe", script: string): Json {
  return { description: `Does ${name}.`, class: type, input: {}, run: ["sh", "-c", script] }
}

export interface Nodes {
  readonly owner: ClusterNode
  readonly others: readonly [ClusterNode, ClusterNode]
}

/** A session of the owner, in one of the situations. */
export class Scene {
  readonly sessionId: string
  readonly views: readonly SessionView[]
  readonly #agentId: string

  static async open(situation: Situation, { owner, others }: Nodes, tools: Tools): Promise<Scene> {
    const { name } = agents[situation]
    const visitor = await owner.visitor()
    const { sessionId: visit, conversationId } = await visitor.create({ agentId: name })
    visitor.say({ action: "send_message", requestId: "r1", sessionId: visit, message: "go" })
    const scene = new Scene(conversationId, name, await viewsOf(conversationId, others))
    await scene.#reached(situation, tools)
    void visitor.closed.then(() => scene.#returnTo(others[0]))
    return scene
  }

  private constructor(sessionId: string, agentId: string, views: readonly SessionView[]) {
    this.sessionId = sessionId
    this.#agentId = agentId
    this.views = views
  }

  get first(): SessionView {
    const [view] = this.views
    if (view === undefined) throw new Error("nobody watches")
    return view
  }

  /** A socket of another node that resumed the conversation after the first one was closed. */
  readonly #returned = Promise.withResolvers<{ readonly visitor: WsClient; readonly visit: string }>()
  hasReturned = false

  get returned(): Promise<{ readonly visitor: WsClient; readonly visit: string }> {
    return this.#returned.promise
  }

  /** Another visit at a node. */
  async visitAt(node: ClusterNode): Promise<{ readonly visitor: WsClient; readonly visit: string }> {
    return eventually(`a visit at ${node.name}`, async () => {
      try {
        const visitor = await node.visitor()
        const { sessionId, conversationId } = await visitor.create({
          agentId: this.#agentId,
          conversationId: this.sessionId,
        })
        if (conversationId !== this.sessionId) throw new Error("another conversation was opened")
        return { visitor, visit: sessionId }
      } catch {
        return undefined // it is fenced, or restarts
      }
    })
  }

  async ended(): Promise<void> {
    await Promise.all(this.views.map((view) => view.until("the end of the turn", (at) => at.count("turn.ended") > 0)))
  }

  async #returnTo(node: ClusterNode): Promise<void> {
    this.hasReturned = true
    await this.visitAt(node).then(this.#returned.resolve, this.#returned.reject)
  }

  async #reached(situation: Situation, tools: Tools): Promise<void> {
    const { first } = this
    if (situation === "streaming") return first.until("live text", ({ text }) => text.includes("word5 "))
    if (situation === "a parked approval") return first.until("a request", (at) => at.count("approval.requested") === 1)
    const name = situation === "an unsafe tool" ? "pay" : "look"
    await eventually(`${name} runs`, () => tools.runs(name) === 1 || undefined)
    await first.until("the start of the call", (at) => at.count("tool.started") === 1)
  }
}

function viewsOf(sessionId: string, nodes: readonly ClusterNode[]): Promise<readonly SessionView[]> {
  return Promise.all(nodes.map((node) => SessionView.at(node, sessionId)))
}

/** A new conversation at a node, up to its answer. */
export async function greet(node: ClusterNode): Promise<string> {
  const visitor = await node.visitor()
  const { sessionId } = await visitor.create({ agentId: agents.greeting.name })
  visitor.say({ action: "send_message", requestId: "r1", sessionId, message: "hello" })
  const { type } = await visitor.end("r1")
  await visitor.close()
  return type
}
