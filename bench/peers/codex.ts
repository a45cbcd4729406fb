// Codex: its app server on standard input and output, threads that are not stored, and no sandbox.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { LineClient, type Dialect } from "../doors/clients/line-client.ts"
import type { World } from "../doors/world.ts"
import { installPackage, programIn } from "./install.ts"
import type { Peer } from "./peer.ts"
import { peerStream, spawnPeer } from "./spawn-peer.ts"

const platforms = [
  ["codex-linux-x64", "x86_64-unknown-linux-musl"],
  ["codex-linux-arm64", "aarch64-unknown-linux-musl"],
]
let program = ""

export const codex: Peer = {
  name: "Codex",
  mode: "codex app-server, ephemeral threads, danger-full-access, responses",
  tools: { bash: `exec_command {"cmd":"true #"}` },
  async install(world) {
    const installed = await installPackage(world, "@openai/codex", "latest")
    program = await programIn(
      installed,
      platforms.map(([name, target]) => `@openai/${name}/vendor/${target}/bin/codex`),
    )
    return installed.version
  },
  async start(world) {
    const home = world.path("home-codex")
    configure(world, home)
    const { child, process, stop } = spawnPeer(world, home, [program, "app-server"], { CODEX_HOME: home })
    const stream = peerStream(child)
    const server = new LineClient(stream, dialectOf(""))
    const clientInfo = { name: "bench", title: "bench", version: "1" }
    await server.request({ method: "initialize", id: "i", params: { clientInfo } }, (line) =>
      line.startsWith('{"id":"i"'),
    )
    stream.write('{"method":"initialized"}\n')
    const connect = async () => {
      const params = { cwd: world.folder, approvalPolicy: "never", sandbox: "danger-full-access", ephemeral: true }
      const answer = await server.request({ method: "thread/start", id: "t", params }, (line) =>
        line.startsWith('{"id":"t"'),
      )
      return new LineClient(stream, dialectOf(/"thread":\{"id":"([^"]+)"/.exec(answer)?.[1] ?? ""))
    }
    return { process, connect, stop }
  },
}

function configure(world: World, home: string): void {
  mkdirSync(home, { recursive: true })
  const lines = [
    `model = "m"`,
    `model_provider = "bench"`,
    `check_for_update_on_startup = false`,
    `[model_providers.bench]`,
    `name = "bench"`,
    `base_url = "${world.providerUrl}/v1"`,
    `wire_api = "responses"`,
    `[analytics]`,
    `enabled = false`,
  ]
  writeFileSync(join(home, "config.toml"), `${lines.join("\n")}\n`)
}

function dialectOf(threadId: string): Dialect {
  return {
    prompt: (text) => ({ method: "turn/start", id: "p", params: { threadId, input: [{ type: "text", text }] } }),
    delta: '{"method":"item/agentMessage/delta"',
    text: '"delta":"',
    isAccepted: (line) => line.startsWith('{"id":"p","result"'),
    isEnd: (line) => line.startsWith('{"method":"turn/completed"'),
    question: { method: "thread/loaded/list", id: "q", params: {} },
    isAnswer: (line) => line.startsWith('{"id":"q"'),
    isFailure: (line) => line.startsWith('{"error"') || line.startsWith('{"method":"error"'),
  }
}
