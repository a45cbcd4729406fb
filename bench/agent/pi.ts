// pi, the agent to compare with: installed from npm on first use, with an agent folder of its own and the scripted model.
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { messageOf } from "../../src/contract/faults.ts"

const execute = promisify(execFile)
const version = "0.87.1"
const installation = fileURLToPath(new URL(`../../node_modules/.cache/pi-${version}`, import.meta.url))
const program = join(installation, "node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js")
const runLimitMs = 120_000

export interface Pi {
  /** Undefined, or why it ended with an error. */
  run(folder: string, instruction: string): Promise<string | undefined>
  close(): void
}

export async function startPi(serverUrl: string): Promise<Pi> {
  await install()
  const root = mkdtempSync(join(tmpdir(), "turnhouse-bench-pi-"))
  const models = [{ id: "claude-sonnet-5", reasoning: true, input: ["text", "image"], contextWindow: 200_000 }]
  const scripted = { baseUrl: serverUrl, api: "anthropic-messages", apiKey: "scripted", models }
  writeFileSync(join(root, "models.json"), JSON.stringify({ providers: { scripted } }))
  const env = { PATH: process.env["PATH"], HOME: root, PI_CODING_AGENT_DIR: root, PI_OFFLINE: "1", PI_TELEMETRY: "0" }
  return {
    async run(folder, instruction) {
      const args = [program, "--print", "--model", "scripted/claude-sonnet-5", "--", instruction]
      try {
        const running = execute(process.execPath, args, { cwd: folder, env, timeout: runLimitMs })
        running.child.stdin?.end() // it reads what is piped in
        await running
        return undefined
      } catch (fault) {
        return messageOf(fault)
      }
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  }
}

async function install(): Promise<void> {
  if (existsSync(program)) return
  console.error(`Installing pi ${version} from npm, about 160 MB …`)
  mkdirSync(installation, { recursive: true })
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", installation]
  await execute("npm", [...args, `@earendil-works/pi-coding-agent@${version}`])
}
