// pi, in its RPC mode without a stored session.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { LineClient, type Dialect } from "../doors/clients/line-client.ts"
import type { World } from "../doors/world.ts"
import { installNewest, installPackage, type Installed } from "./install.ts"
import type { Peer } from "./peer.ts"
import { peerStream, spawnPeer } from "./spawn-peer.ts"

const packageName = "@earendil-works/pi-coding-agent"
const fixedVersion = "0.87.1"

const dialect: Dialect = {
  prompt: (message) => ({ type: "prompt", id: "p", message }),
  delta: '{"type":"message_update"',
  text: '"type":"text_delta","contentIndex":0,"delta":"',
  isAccepted: (line) => line.startsWith('{"id":"p","type":"response"'),
  isEnd: (line) => line.startsWith('{"type":"agent_settled"'),
  question: { type: "get_state", id: "q" },
  isAnswer: (line) => line.startsWith('{"id":"q"'),
  isFailure: (line) => line.includes('"success":false') || line.includes('"stopReason":"error"'),
}

export const pi = piOf(`pi ${fixedVersion}`, (world) => installPackage(world, packageName, fixedVersion))
export const newestPi = piOf("pi, newest", (world) => installNewest(world, packageName, fixedVersion))

function piOf(name: string, install: (world: World) => Promise<Installed>): Peer {
  let program = ""
  return {
    name,
    mode: "pi --mode rpc --no-session, chat completions",
    tools: { read: `read {"path":"file.txt","limit":1#}`, bash: `bash {"command":"true #"}` },
    async install(world) {
      const { folder, version } = await install(world)
      program = join(folder, "node_modules", packageName, "dist/bundle/cli.js")
      return version
    },
    async start(world) {
      const home = world.path(`home-${name.replaceAll(/\W/g, "-")}`)
      mkdirSync(home, { recursive: true })
      const models = [{ id: "m", contextWindow: 100_000_000 }]
      const bench = { baseUrl: `${world.providerUrl}/v1`, api: "openai-completions", apiKey: "key", models }
      writeFileSync(join(home, "models.json"), JSON.stringify({ providers: { bench } }))
      const env = { PI_CODING_AGENT_DIR: home, PI_OFFLINE: "1", PI_TELEMETRY: "0" }
      const args = [process.execPath, program, "--mode", "rpc", "--no-session", "--model", "bench/m"] as const
      const { child, process: running, stop } = spawnPeer(world, home, args, env)
      const client = new LineClient(peerStream(child), dialect)
      const connect = async () => {
        await client.request({ type: "new_session", id: "n" }, (line) => line.startsWith('{"id":"n"'))
        return client
      }
      return { process: running, connect, stop }
    },
  }
}
