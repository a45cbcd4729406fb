// The server that `prove visitor` attacks, and what no visitor may change or learn.
import { existsSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { accepted } from "../../app-fault.ts"
import type { Workspace } from "../../demo/workspace.ts"
import { openHomeLog } from "../../host/open-log.ts"
import { textIn, tryParseJson } from "../../../contract/json-object.ts"
import { proofHome } from "../proof-home.ts"
import type { ProofFolder } from "../run-proof.ts"
import { proofLimits, repeatingModel, startServer, type ProofServer } from "../served/proof-server.ts"
import type { Target } from "./attacks.ts"

/** In a session of the owner, where no visitor may see it. */
const ownersWord = "word-of-the-owner"
/** Characters of the event of a visit: names and capabilities are bounded. */
const MAX_VISIT_LENGTH = 20_000
const MAX_EVENTS = 100_000

export class AttackedServer {
  readonly server: ProofServer
  readonly target: Target
  #fetched = 0
  readonly #bystander: Server

  static async open(folder: ProofFolder): Promise<AttackedServer> {
    const workspace = proofHome(folder, "0")
    const model = repeatingModel(workspace, "Hello.")
    const theft = { delayMs: 0, steps: [[{ call: { tool: "pay_out", input: {} } }], [{ text: "Paid." }]] }
    const script = `offline/script:${workspace.writeJson("theft.json", theft)}`
    const run = ["sh", "-c", `echo paid >>'${workspace.path("paid.txt")}'`]
    const config = {
      model,
      tools: { define: { pay_out: { description: "Pays.", class: "unsafe", input: {}, run } } },
      agents: {
        shop: { tools: ["pay_out"], models: ["offline/demo", "offline/demo:0", script] },
        desk: { visibility: "internal", embed: { origins: ["https://desk.example"] } },
      },
      server: { limits: proofLimits },
    }
    const server = await startServer(workspace, config)
    try {
      const local = await createOwnersSession(workspace)
      const bystander = createServer()
      await new Promise<void>((resolve) => bystander.listen(0, "127.0.0.1", () => resolve()))
      const address = bystander.address()
      const port = typeof address === "object" ? address?.port : 0
      const missing = "6f1c0f4e-0000-4000-8000-00000000ffff"
      return new AttackedServer(server, bystander, { missing, local, script, bystander: `http://127.0.0.1:${port}` })
    } catch (fault) {
      await server.close()
      throw fault
    }
  }

  private constructor(server: ProofServer, bystander: Server, target: Target) {
    this.server = server
    this.target = target
    this.#bystander = bystander.on("request", (_, response) => {
      this.#fetched += 1
      response.end("secret")
    })
  }

  async close(): Promise<void> {
    await this.server.close()
    await new Promise((resolve) => this.#bystander.close(resolve))
  }

  /** What a text that a visitor received reveals of the machine. */
  leakIn(text: string): string | undefined {
    const { home } = this.server.workspace
    const secret = [ownersWord, "root:x:0", home].find((one) => text.includes(one))
    return secret === undefined ? undefined : `'${secret}' was sent to a visitor: ${text.slice(0, 500)}`
  }

  /** What happened on the machine that no visitor may cause. */
  damage(): string | undefined {
    const { workspace } = this.server
    if (existsSync(workspace.path("paid.txt"))) return "a tool ran that the model did not call"
    if (this.#fetched > 0) return "the host fetched an address that a visitor named"
    const places = [
      workspace.path("escaped.txt"),
      workspace.path("..", "escaped.txt"),
      workspace.path("home/escaped.txt"),
    ]
    const escaped = places.find((path) => existsSync(path))
    return escaped === undefined ? undefined : `a file of a visitor was written to ${escaped}`
  }

  /** What a conversation stores of its visitor that it must not. */
  async storedIn(conversationId: string): Promise<string | undefined> {
    const log = openHomeLog(this.server.workspace.home)
    try {
      const lines = accepted(await log.readLines(conversationId, 0, MAX_EVENTS)).value.map(({ text }) => text)
      const visits = lines.filter((line) => line.includes('"visit.opened"'))
      if (visits.length === 0) return "the visit is not stored"
      if (visits.some((line) => line.length > MAX_VISIT_LENGTH)) return "a visit stores more than its limits allow"
      const other = visits.find((line) => !line.includes('"principal":"visitor"'))
      return other === undefined ? undefined : `a visitor chose who it is: ${other.slice(0, 500)}`
    } finally {
      await log.close()
    }
  }
}

/** Returns its id. */
async function createOwnersSession(workspace: Workspace): Promise<string> {
  const { stdout, stderr } = await workspace.turnhouse(["run", ownersWord, "--json"], workspace.path("folder"))
  const sessionId = textIn(tryParseJson(stdout.split("\n")[0] ?? ""), "sessionId")
  if (sessionId === undefined) throw new Error(`the session of the owner was not created: ${stderr}`)
  return sessionId
}
