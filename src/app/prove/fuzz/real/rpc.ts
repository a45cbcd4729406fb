// The stdio door of a real child.
import type { ProofFolder } from "../../run-proof.ts"
import { inTime } from "../doors/answered.ts"
import type { ByteChannel } from "../doors/byte-channel.ts"
import { RpcClient, rpcSeeds, rpcWords } from "../doors/rpc-client.ts"
import { Finding, type FuzzTarget } from "../fuzz-target.ts"
import { RealProcess } from "./real-process.ts"

export async function openReal(folder: ProofFolder): Promise<FuzzTarget> {
  const listeners: ((line: string) => void)[] = []
  const child = new RealProcess(folder, "rpc-real", ["rpc", "--extended"], (line) => listeners.at(-1)?.(line))
  const connect = async (received: (line: string) => void) => {
    listeners.splice(0, listeners.length, received)
    const { exit } = child.process
    if (exit !== undefined && exit.code !== 0)
      throw new Finding("process", `the child has ended with ${exit.code ?? exit.signal}`)
    if (exit !== undefined) child.startAgain() // it was told to shut down
    return channelTo(child)
  }
  const client = new RpcClient(child, connect)
  return {
    name: "rpc",
    seeds: rpcSeeds,
    words: rpcWords,
    modules: [],
    run: (input) => client.run(input),
    check: async () => {
      await client.check()
      if (child.process.exit === undefined) child.check()
    },
    close: () => child.close(),
  }
}

function channelTo({ process }: RealProcess): ByteChannel {
  return {
    write: async (bytes) => {
      const { stdin } = process
      if (stdin === null || process.exit !== undefined || stdin.write(bytes)) return true
      const drained = new Promise<void>((resolve) => void stdin.once("drain", resolve))
      return inTime(Promise.race([drained, process.exited]))
    },
    get isClosed() {
      return process.exit !== undefined
    },
    closed: process.exited,
    close: () => process.signal("SIGKILL"),
  }
}
