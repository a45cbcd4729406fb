// A server of another program as a child process: started until it reports that it is ready, killed and started again.
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"

export interface ServerCommand {
  readonly program: string
  readonly args: readonly string[]
  /** What it prints when it accepts connections. */
  readonly ready: RegExp
  readonly uid?: number
  readonly gid?: number
}

export class ServerProcess {
  readonly #command: ServerCommand
  #child: ChildProcess | undefined

  constructor(command: ServerCommand) {
    this.#command = command
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  async start(): Promise<void> {
    const { program, args, ready, uid, gid } = this.#command
    const ids = uid === undefined || gid === undefined ? {} : { uid, gid }
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], cwd: "/", ...ids })
    this.#child = child
    let printed = ""
    await new Promise<void>((resolve, reject) => {
      const onOutput = (chunk: Buffer) => {
        printed = (printed + chunk.toString()).slice(-10_000)
        if (ready.test(printed)) resolve()
      }
      child.stdout.on("data", onOutput)
      child.stderr.on("data", onOutput)
      child.once("error", reject)
      child.once("exit", () => reject(new Error(`${program} ended before it was ready: ${printed}`)))
    })
  }

  /** Resolves when it has exited. */
  async stop(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, "exit")
    child.kill(signal)
    await exited
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal)
  }
}

export async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  if (address === null || typeof address === "string") throw new Error("no port is free")
  return address.port
}
