// Starts the next host when this one is killed: a shell waits on a pipe and becomes the next host if the pipe closes
// without a dismissal.
import { spawn, type ChildProcess } from "node:child_process"
import { entryFile } from "../../program/program-files.ts"
import { hostFlags } from "./background-host.ts"

/** Hosts that died in a row before they were steady; another one would die too. */
const MAX_DEATHS = 5

/** `$deaths` counts the hosts that were killed before they were steady. */
const script = `
deaths=$1; shift
while read -r word; do
  case $word in
    bye) exit 0 ;;
    steady) deaths=0 ;;
  esac
done
exec "$@" --deaths $((deaths + 1))
`

export class Standby {
  readonly #shell: ChildProcess | undefined

  constructor(deaths: number) {
    if (deaths >= MAX_DEATHS) return
    const host = [process.execPath, ...hostFlags, entryFile, "host"]
    const args = ["-c", script, "turnhouse-standby", String(deaths), ...host]
    this.#shell = spawn("sh", args, { detached: true, stdio: ["pipe", "inherit", "inherit"] })
    this.#shell.unref()
    this.#shell.on("error", () => {}) // without a shell there is no successor; the next command starts one
    this.#shell.stdin?.on("error", () => {})
  }

  /** Resets the count of deaths. */
  steady(): void {
    this.#shell?.stdin?.write("steady\n")
  }

  /** Resolves when the shell has received it; a host that exits earlier counts as killed. */
  dismiss(): Promise<void> {
    const stdin = this.#shell?.stdin
    if (stdin === undefined || stdin === null || stdin.destroyed) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    stdin.once("close", resolve)
    stdin.end("bye\n", resolve)
    return promise
  }
}
