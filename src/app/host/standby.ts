// Who starts the next host when this one is killed: a shell that waits at the end of a pipe. When the pipe closes and
// nobody has said good-bye, it becomes the next host. It holds nothing and costs next to nothing.
import { spawn, type ChildProcess } from "node:child_process"
import { hostFlags, programFile } from "./background-host.ts"

/** Hosts that died one after the other before they ran steadily; one more would die as well. */
const mostDeaths = 5

/** `$deaths` counts up with every host that is killed before it says that it runs steadily. */
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
    if (deaths >= mostDeaths) return
    const host = [process.execPath, ...hostFlags, programFile, "host"]
    const args = ["-c", script, "turnhouse-standby", String(deaths), ...host]
    this.#shell = spawn("sh", args, { detached: true, stdio: ["pipe", "inherit", "inherit"] })
    this.#shell.unref()
    this.#shell.on("error", () => {}) // without a shell there is no successor; the next command starts one
    this.#shell.stdin?.on("error", () => {})
  }

  /** From here on a death is not another one in a row. */
  steady(): void {
    this.#shell?.stdin?.write("steady\n")
  }

  /** Resolves when it has been told: whoever ends before that is taken for dead. */
  dismiss(): Promise<void> {
    const stdin = this.#shell?.stdin
    if (stdin === undefined || stdin === null || stdin.destroyed) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    stdin.once("close", resolve)
    stdin.end("bye\n", resolve)
    return promise
  }
}
