// A home with planted secrets, one in the environment, one in the configuration and, on demand, a stored login, and the
// search for them in all that was stored or printed.
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Step } from "../src/models/offline/part.ts"
import { formsOf } from "../src/secrets/forms.ts"
import type { Json } from "./e2e/printed.ts"
import type { Running } from "./e2e/running.ts"
import { Place } from "./e2e/turnhouse.ts"

export const planted = "tOk/4pQ+zR7&wX=2mV%9kJ<hG5>sD"
export const apiKey = "cfg-8Yn3Lq6Tb1Wd0Fx5Ru7Ez2"
/** Known only from the stored login. */
export const loginKey = "log-5Hc9Vm2Kp7Qa4Ns8Jw1Gy6"
const secrets = [planted, apiKey, loginKey]
/** A piece of this length of a secret as it is. */
const pieceLength = 8

/** What a secret can be recognised by: all its spellings, and every piece. */
const needles = secrets.flatMap((secret) => [
  ...formsOf(secret),
  ...Array.from({ length: secret.length - pieceLength + 1 }, (_, from) => secret.slice(from, from + pieceLength)),
])

/** The surroundings of what leaked, so that a failure shows where it comes from. */
function leaksIn(where: string, text: string): readonly string[] {
  const found = needles.map((needle) => text.indexOf(needle)).filter((at) => at >= 0)
  if (found.length === 0) return []
  const at = Math.min(...found)
  return [`${where}: …${text.slice(Math.max(0, at - 150), at + 80)}…`]
}

export class Planted {
  readonly place = new Place().open()
  readonly started: { readonly args: readonly string[]; readonly running: Running }[] = []

  constructor(config: Json = {}) {
    const tools = {
      env: ["PLANTED_TOKEN"],
      define: {
        tell: { description: "d", input: {}, class: "unsafe", run: ["sh", "-c", 'echo "$PLANTED_TOKEN"; cat'] },
        fail: { description: "d", input: {}, class: "unsafe", run: ["sh", "-c", 'echo "$PLANTED_TOKEN" >&2; exit 3'] },
      },
    }
    const providers = { mock: { type: "openai-compatible", baseURL: "http://127.0.0.1:9/v1", apiKey } }
    writeFileSync(this.configFile, JSON.stringify({ tools, providers, ...config }))
  }

  get configFile(): string {
    return join(this.place.root, "config.json")
  }

  /** The program as its user starts it, with the secrets. What it prints is looked at in the end. */
  start(...args: readonly string[]): Running {
    const running = this.place.start(args, { env: { PLANTED_TOKEN: planted } })
    this.started.push({ args, running })
    return running
  }

  async run(steps: readonly Step[], ...more: readonly string[]): Promise<void> {
    await this.begin(steps, ...more).ended
  }

  begin(steps: readonly Step[], ...more: readonly string[]): Running {
    const model = this.place.script(steps)
    return this.start("run", "go", "--model", model, "--config", this.configFile, ...more)
  }

  /** In everything that was printed and everything that lies in the home. */
  async leaks(): Promise<readonly string[]> {
    const leaks: string[] = []
    for (const { args, running } of this.started) {
      const { stdout, stderr } = await running.ended
      leaks.push(...leaksIn(`stdout of ${args[0]}`, stdout), ...leaksIn(`stderr of ${args[0]}`, stderr))
    }
    return [...leaks, ...this.#onDisk(this.place.home)]
  }

  /** The same, and in what the commands print that read. They do not know the secrets, so they show what is stored. */
  async leaksToReaders(): Promise<readonly string[]> {
    const leaks = [...(await this.leaks())]
    const sessions = (await this.place.sessions()).flatMap(({ id }) => [
      ["log", String(id)],
      ["log", String(id), "--json"],
      ["export", String(id)],
    ])
    const readers = [["ls", "--all"], ["ls", "--all", "--json"], ["approvals"], ["approvals", "--json"], ...sessions]
    for (const args of readers) leaks.push(...(await this.#printedBy(args)))
    return leaks
  }

  async #printedBy(args: readonly string[]): Promise<readonly string[]> {
    const { code, stdout, stderr } = await this.place.run(...args)
    if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}`)
    return leaksIn(args.join(" "), stdout + stderr)
  }

  /** Keys are allowed there, in their place; nothing else is. */
  #beyondLogin(path: string): readonly string[] {
    if ((statSync(path).mode & 0o777) !== 0o600) return ["auth.json can be read by others"]
    return leaksIn("file auth.json", readFileSync(path, "utf8").replace(`"value": "${loginKey}"`, ""))
  }

  #onDisk(folder: string): readonly string[] {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name)
      if (path === join(this.place.home, "snapshots")) return [] // files as they are, for undo: docs/secrets.md says so
      if (entry.isDirectory()) return this.#onDisk(path)
      if (path === join(this.place.home, "auth.json")) return this.#beyondLogin(path)
      return entry.isFile() ? leaksIn(`file ${entry.name}`, readFileSync(path, "utf8")) : []
    })
  }
}
