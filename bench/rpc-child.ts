// A stdio child with its own home, and a parent that only reads lines.
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const program = join(dirname(dirname(fileURLToPath(import.meta.url))), "bin", "turnhouse")

export class RpcChild {
  readonly ended: Promise<unknown>
  readonly #process: ChildProcessWithoutNullStreams
  #text = ""
  #lines: string[] = []
  #wake = () => {}

  constructor(home: string, args: readonly string[]) {
    this.#process = spawn(program, ["rpc", ...args], { env: { ...process.env, TURNHOUSE_HOME: home }, cwd: home })
    this.ended = once(this.#process, "exit")
    this.#process.stderr.pipe(process.stderr)
    this.#process.stdout.setEncoding("latin1").on("data", (text: string) => {
      const parts = (this.#text + text).split("\n")
      this.#text = parts.pop() ?? ""
      this.#lines.push(...parts)
      this.#wake()
    })
  }

  write(text: string): void {
    this.#process.stdin.write(text)
  }

  send(command: object): void {
    this.write(`${JSON.stringify(command)}\n`)
  }

  async lines(count: number): Promise<readonly string[]> {
    while (this.#lines.length < count) await new Promise<void>((resolve) => (this.#wake = resolve))
    return this.#lines.splice(0, count)
  }

  async turns(count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      this.send({ type: "prompt", id: "p", message: "How are you?" })
      for (let last = ""; !last.includes('"command":"prompt"');) last = (await this.lines(1))[0] ?? ""
    }
  }

  memoryMb(): number {
    return Number(this.#status("VmRSS")) / 1024
  }

  threads(): number {
    return Number(this.#status("Threads"))
  }

  #status(name: string): string {
    const found = new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${this.#process.pid}/status`, "utf8"))
    return found?.[1] ?? ""
  }
}
