// The temporary home of one run of the proof: secrets in its environment, its configuration and its stored logins, a model
// on loopback, an MCP server and an extension.
import { existsSync, readFileSync } from "node:fs"
import { changeServerLogin } from "../../../mcp/oauth/login-file.ts"
import { changeLogins } from "../../../models/logins/login-store.ts"
import type { Workspace } from "../../demo/workspace.ts"
import { openHomeLog } from "../../host/open-log.ts"
import { agentId } from "../crash/doors/visitor.ts"
import { server, type LaneHome, type LaneKind } from "../crash/lane-kind.ts"
import { HostProcess } from "../host-process.ts"
import { proofHome } from "../proof-home.ts"
import type { ProofFolder } from "../run-proof.ts"
import { ModelServer } from "./model-server.ts"
import { extensionProgram, manifest, serverProgram } from "./programs.ts"
import {
  loginAddress,
  passedVariable,
  randomLinkKey,
  randomSecrets,
  type PlantedSecret,
  type SecretSet,
} from "./random-secrets.ts"

type Below = (below: number) => number

const model = "mock/any"
/** The folder of the plugin. */
const extensionId = "telling"
const calledTools = ["bash", "read", "ls", "confess", "mcp__work__work", "mcp__work__fail", "mcp__work__log"]

/** The server with its request log. */
export const loudServer: LaneKind = {
  ...server,
  start: ({ workspace }) => ({ process: HostProcess.start(workspace, ["serve", "--port", "0"]) }),
}

export interface SecretHome extends LaneHome {
  readonly set: SecretSet
  readonly models: ModelServer
}

export async function createSecretHome(
  place: ProofFolder,
  name: string,
  kind: LaneKind,
  below: Below,
): Promise<SecretHome> {
  const set = randomSecrets(below, kind !== loudServer)
  const workspace = proofHome(place, name, set.env)
  for (const folder of ["planted", "notes", "documents"]) workspace.write(`${folder}/.keep`, "")
  const models = await ModelServer.open(set.apiKey, below)
  workspace.writeJson("home/config.json", configOf(workspace, set, models.url, kind === loudServer))
  // No compaction of its own takes an answer that is meant for a turn.
  workspace.writeJson("home/prices.json", { models: { [model]: { input: 0, output: 0, contextWindow: 1_000_000 } } })
  writePrograms(workspace)
  const savedAt = new Date(0).toISOString()
  await changeLogins(workspace.home, () => ({ groq: { kind: "key", value: set.loginKey, savedAt } }))
  await changeServerLogin(workspace.home, loginAddress, () => ({
    kind: "tokens",
    url: loginAddress,
    issuer: "https://mcp.example",
    tokenUrl: "https://mcp.example/token",
    clientId: "prove",
    clientMethod: "none",
    access: set.serverToken,
    savedAt,
  }))
  return { workspace, set, models, model, log: openHomeLog(workspace.home) }
}

function configOf(workspace: Workspace, set: SecretSet, baseURL: string, isServer: boolean): object {
  const { providers, mcpServers, agents, ...config } = set.config
  const args = [workspace.path("server.mjs"), workspace.path("planted"), workspace.path("notes/server")]
  return {
    ...config,
    model,
    providers: { ...object(providers), mock: { type: "openai-compatible", baseURL, apiKey: set.apiKey } },
    tools: {
      sandbox: "off", // what the proof measures does not depend on it, and it looks different on every machine
      env: [passedVariable],
      allow: calledTools.filter((tool) => tool !== "confess"),
      confirm: ["confess"],
      define: { confess: { description: "Asks.", input: { type: "object" }, class: "unsafe", run: ["cat"] } },
    },
    mcpServers: { ...object(mcpServers), work: { command: "node", args, env: set.serverEnv } },
    extensions: { paths: [workspace.path(extensionId)], ...(isServer ? { shared: [extensionId] } : {}) },
    agents: { ...object(agents), [agentId]: { tools: calledTools, extensions: [extensionId] } },
  }
}

function object(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {}
}

function writePrograms(workspace: Workspace): void {
  workspace.write("server.mjs", serverProgram)
  workspace.write(`${extensionId}/telling.mjs`, extensionProgram)
  const args = ["telling.mjs", workspace.path("planted"), workspace.path("notes/extension")]
  const { extension } = manifest
  workspace.writeJson(`${extensionId}/.synaps-plugin/plugin.json`, { ...manifest, extension: { ...extension, args } })
  const list = process.platform === "linux" ? "cat /proc/[0-9]*/cmdline" : "ps -A -ww -o args="
  const look = `env >'${workspace.path("notes/tool")}'; ${list} >'${workspace.path("notes/commands")}' 2>/dev/null; echo looked`
  workspace.write("look.sh", look)
}

/** Turnhouse's own keys, when the host has created them. */
export function ownKeys({ workspace }: SecretHome, sessionId: string, below: Below): readonly PlantedSecret[] {
  const homeKey = readFileSync(workspace.path("home/secret.key"))
  const token = workspace.path(`home/sessions/${sessionId}.token`)
  return [
    own("console.key", readFileSync(workspace.path("home/console.key"), "utf8").trim()),
    own("secret.key", homeKey.toString("base64").replace("=", "")),
    own("secret.key in hexadecimal", homeKey.toString("hex")),
    ...(existsSync(token) ? [own("session token", readFileSync(token, "utf8").trim())] : []), // visits have none
    randomLinkKey(below),
  ]
}

function own(kind: string, value: string): PlantedSecret {
  return { kind, value, random: [value] }
}
