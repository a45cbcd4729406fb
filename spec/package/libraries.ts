// Programs of a user that import the libraries: compiled without `skipLibCheck` in both common settings, then run.
import { execFileSync } from "node:child_process"
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { openInput, type Place } from "../e2e/place.ts"
import { checkout, nodeFolder, type Installed } from "./installed.ts"

const clients = `
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { connect } from "turnhouse/client"
import { allow, defineExtension, type JsonValue } from "turnhouse/extension"
import { describeRefusal, HouseClient } from "turnhouse/house"
import { listAgents, Viewer } from "turnhouse/ipc"
import { startRpc } from "turnhouse/rpc"

const child = await startRpc({ model: "offline/demo:0" })
const turn = child.prompt("hello")
let text = ""
for await (const event of turn) if (event.type === "text_delta") text += event.delta
console.log("rpc", text.includes("offline demo"))

const home = String(process.env["TURNHOUSE_HOME"])
const [host] = readdirSync(join(home, "hosts")).filter((name) => name.endsWith(".sock"))
const house = await HouseClient.connect(join(home, "hosts", String(host)))
const sessions = await house.query({ type: "sessions" })
if (sessions.kind === "refused") throw new Error(describeRefusal(sessions.refusal))
console.log("house", sessions.value.some(({ sessionId }) => sessionId === child.sessionId))
house.close()

const folder = join(home, "sessions")
let agents = await listAgents(folder)
while (!agents.some((agent) => agent.session_id === child.sessionId)) agents = await listAgents(folder) // after ready
const viewer = await Viewer.attach({ folder, id: child.sessionId })
const said = viewer.say("hello")
let shown = ""
for await (const piece of said) shown += piece
console.log("ipc", shown.includes("offline demo"))
await viewer.close()
await child.close()

const session = await connect(String(process.argv[2]), { agentId: "default" })
const answer = await session.send("hello").result
console.log("client", JSON.stringify(answer).includes("offline demo"))
await session.close()

const value: JsonValue = { ok: true }
console.log("extension", typeof defineExtension({ hooks: { on_session_start: () => allow() } }).run, JSON.stringify(value))
`

const engine = `
import { describeRefusal, emptyTranscript, openHost } from "turnhouse"
import { openMemoryLog, scriptedModel } from "turnhouse/testing"

const host = await openHost()
const answered = await host.port.query({ type: "sessions" })
if (answered.kind === "refused") throw new Error(describeRefusal(answered.refusal))
console.log("engine", Array.isArray(answered.value), typeof emptyTranscript)
await host.close()
console.log("testing", typeof openMemoryLog, typeof scriptedModel)
`

const settings = {
  nodenext: { module: "nodenext", outDir: "out" },
  bundler: { module: "esnext", moduleResolution: "bundler", noEmit: true },
}

/** What the compiler says in each setting. The programs are compiled to out/. */
export function compileLibraries(project: string): Record<string, string> {
  writeFileSync(join(project, "clients.ts"), clients)
  writeFileSync(join(project, "engine.ts"), engine)
  copyFileSync(join(checkout, "examples/embedded-host.ts"), join(project, "embedded-host.ts"))
  for (const name of ["@types", "undici-types"]) linkPackage(project, name)
  return Object.fromEntries(Object.entries(settings).map(([name, options]) => [name, compile(project, options)]))
}

export const clientsPrint = 'rpc true\nhouse true\nipc true\nclient true\nextension function {"ok":true}\n'

/** What the program with the client libraries prints on each version of Node. */
export async function runClients(place: Place, { program, project }: Installed, versions: readonly string[]) {
  const server = place.startOther(program, ["serve", "--port", "0"], { input: openInput })
  const address = await server.until("its address", () => /listening on (http:\/\/\S+)/.exec(server.stdout)?.[1])
  const url = `${address.replace("http", "ws")}/ws`
  const printed: string[] = []
  for (const version of versions) printed.push(await run(place, version, [join(project, "out/clients.js"), url]))
  server.signal("SIGTERM")
  await server.ended
  return printed
}

export async function runEngine(place: Place, { project }: Installed, version: string): Promise<readonly string[]> {
  place.write("package.json", '{"name":"demo-app"}')
  return [
    await run(place, version, [join(project, "out/engine.js")]),
    await run(place, version, [join(project, "out/embedded-host.js"), "read package.json and tell me the name"]),
  ]
}

async function run(place: Place, version: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await place.startOther(join(nodeFolder(version), "node"), args).ended
  return code === 0 ? stdout : `exit code ${code} on Node ${version}\n${stdout}\n${stderr}`
}

/** What the compiler says. */
function compile(project: string, options: Readonly<Record<string, unknown>>): string {
  const compilerOptions = { strict: true, target: "es2022", types: ["node"], ...options }
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }))
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc")
  try {
    return execFileSync(process.execPath, [tsc, "-p", project], { encoding: "utf8" })
  } catch (fault) {
    return fault instanceof Error && "stdout" in fault ? String(fault.stdout) : String(fault)
  }
}

/** As if the user had installed it. */
function linkPackage(project: string, name: string): void {
  mkdirSync(join(project, "node_modules"), { recursive: true })
  symlinkSync(join(checkout, "node_modules", name), join(project, "node_modules", name))
}
