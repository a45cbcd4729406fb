// opencode: its HTTP server, with the events that it streams to clients.
import { mkdirSync, writeFileSync } from "node:fs"
import { Agent, request as httpRequest } from "node:http"
import { join } from "node:path"
import { onLines, type Client } from "../doors/clients/client.ts"
import { LineClient, type Dialect } from "../doors/clients/line-client.ts"
import { failure, lineWith, type World } from "../doors/world.ts"
import { installPackage, programIn } from "./install.ts"
import type { Peer } from "./peer.ts"
import { spawnPeer } from "./spawn-peer.ts"

const builds = ["x64", "x64-baseline", "x64-musl", "arm64", "arm64-musl"]
const agent = new Agent({ keepAlive: true })
let program = ""

export const opencode: Peer = {
  name: "opencode",
  mode: "opencode serve --pure, prompt_async and its event stream, chat completions",
  tools: {
    read: `read {"filePath":"file.txt","limit":1#}`,
    bash: `bash {"command":"true #","description":"nothing"}`,
  },
  async install(world) {
    const installed = await installPackage(world, "opencode-ai", "latest")
    program = await programIn(
      installed,
      builds.map((build) => `opencode-linux-${build}/bin/opencode`),
    )
    return installed.version
  },
  async start(world) {
    const home = world.path("home-opencode")
    configure(world, home)
    const env = {
      OPENCODE_CONFIG: join(home, "opencode.json"),
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
    }
    const { child, process, stop } = spawnPeer(world, home, [program, "serve", "--port", "0", "--pure"], env)
    const line = await Promise.race([lineWith(child, "listening on http"), failure(child)])
    const url = line.slice(line.indexOf("http"))
    return { process, connect: () => connect(url), stop }
  },
}

function configure(world: World, home: string): void {
  mkdirSync(home, { recursive: true })
  const models = { m: { name: "m", limit: { context: 100_000_000, output: 1000 } } }
  const options = { baseURL: `${world.providerUrl}/v1`, apiKey: "key" }
  const bench = { npm: "@ai-sdk/openai-compatible", name: "bench", options, models }
  const choice = { model: "bench/m", small_model: "bench/m", autoupdate: false, share: "disabled" }
  writeFileSync(
    join(home, "opencode.json"),
    JSON.stringify({ ...choice, provider: { bench }, permission: { "*": "allow" } }),
  )
}

/** With a title: else each conversation would have one more request for it. */
async function connect(url: string): Promise<Client> {
  const created = await send(url, "POST", "/session", JSON.stringify({ title: "bench" }))
  const id = /"id":"(ses_[^"]+)"/.exec(created)?.[1] ?? ""
  let listener: ((line: string) => void) | undefined
  const close = await events(url, (line) => listener?.(line))
  const write = (prompt: string) => void send(url, "POST", `/session/${id}/prompt_async`, prompt)
  const client = new LineClient({ write, listen: (next) => (listener = next), close }, dialectOf(id))
  const ask = async () => void (await send(url, "GET", `/session/${id}`))
  return { turn: (message) => client.turn(message), ask, close }
}

function dialectOf(sessionId: string): Dialect {
  const isOurs = (line: string, type: string) => line.includes(`"type":"${type}"`) && line.includes(sessionId)
  return {
    prompt: (text) => ({ parts: [{ type: "text", text }] }),
    delta: 'data: {"id":"evt_',
    text: '"field":"text","delta":"',
    isAccepted: () => false,
    isEnd: (line) => isOurs(line, "session.idle"),
    question: {},
    isAnswer: () => false,
    isFailure: (line) => isOurs(line, "session.error"),
  }
}

async function events(url: string, onLine: (line: string) => void): Promise<() => void> {
  const { promise, resolve, reject } = Promise.withResolvers<() => void>()
  const request = httpRequest(`${url}/event`, (response) => {
    onLines(response, (line) => {
      if (line.includes('"server.connected"')) resolve(() => request.destroy())
      else onLine(line)
    })
    response.on("error", () => {}) // the client closed it
  })
  request.on("error", reject).end()
  return promise
}

function send(url: string, method: string, path: string, body = ""): Promise<string> {
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${url}${path}`, { method, agent, headers }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece))
      response.on("end", () => {
        if ((response.statusCode ?? 0) < 300) resolve(text)
        else reject(new Error(`opencode answered ${response.statusCode}: ${text.slice(0, 200)}`))
      })
    })
    request.on("error", reject).end(body)
  })
}
