// A real NATS server for tests; Debian's package is installed if it is missing.
import { needPackage } from "../../../spec/need-package.ts"
import { freePort, ServerProcess } from "./server-process.ts"

export interface NatsServer {
  readonly url: string
  readonly port: number
  readonly process: ServerProcess
  /** Starts it again after `process.stop`, at the same address. */
  start(): Promise<void>
  stop(): Promise<void>
}

export async function startNats(args: readonly string[] = []): Promise<NatsServer> {
  needPackage("nats-server", "nats-server")
  const port = await freePort()
  const process = new ServerProcess({
    program: "nats-server",
    args: ["-a", "127.0.0.1", "-p", String(port), ...args],
    ready: /Server is ready/,
  })
  await process.start()
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    process,
    start: () => process.start(),
    stop: () => process.stop("SIGTERM"),
  }
}
