// The stdio door (synaps RPC) as a target, in this process.
import { maxFrameBytes } from "../../../../protocols/rpc/limits.ts"
import { doors } from "../../../../doors/table.ts"
import { newId } from "../../../../host/new-ids.ts"
import { LineSplitter } from "../../../../transports/framing/lines.ts"
import { accepted } from "../../../app-fault.ts"
import type { FuzzTarget, TargetPlace } from "../fuzz-target.ts"
import { inTime } from "./answered.ts"
import type { ByteChannel } from "./byte-channel.ts"
import { FuzzedHost } from "./fuzzed-host.ts"
import { RpcClient, rpcSeeds, rpcWords } from "./rpc-client.ts"

export async function openTarget(place: TargetPlace): Promise<FuzzTarget> {
  const host = await FuzzedHost.open(place, "rpc")
  const client = new RpcClient(host, (onLine) => openChild(host, onLine))
  return {
    name: "rpc",
    seeds: rpcSeeds,
    words: rpcWords,
    modules: ["doors/rpc/", "doors/core/", "protocols/rpc/", "transports/framing/lines"],
    run: (input) => client.run(input),
    check: () => client.check(),
    close: async () => {
      client.close()
      await host.close()
    },
  }
}

/** On a new session. */
async function openChild(host: FuzzedHost, onLine: (line: string) => void): Promise<ByteChannel> {
  const { port, host: sessions } = host.running
  const by = { principal: "you", door: "rpc" }
  const request = { cwd: host.cwd, origin: "rpc" }
  const created = accepted(await port.create(request, by))
  const over = Promise.withResolvers<void>()
  let room: PromiseWithResolvers<void> | undefined
  let isClosed = false
  const close = () => {
    isClosed = true
    room?.resolve()
    over.resolve()
  }
  const { open } = await doors.rpc.load()
  const door = await open(created.handle, {
    port,
    by,
    request,
    extended: true,
    errorWindowMs: 55_000,
    pipe: {
      write: (text) => {
        for (const line of text.split("\n").slice(0, -1)) onLine(line)
        return true
      },
    },
    listen: (isListening) => {
      room?.resolve()
      room = isListening ? undefined : Promise.withResolvers()
    },
    newId,
    now: Date.now,
    onReplaced: (sessionId) => sessions.closeSession(sessionId),
    onShutdown: close,
    onLost: ({ code }) => host.report("session", `the session was lost: ${code}`),
    onFault: (fault) => host.report("command", `the door failed: ${fault instanceof Error ? fault.stack : "unknown"}`),
  })
  door.greet()
  const input = new LineSplitter(maxFrameBytes, (line) => door.receive(line))
  return {
    write: (bytes) => {
      input.push(bytes)
      return room === undefined ? Promise.resolve(true) : inTime(room.promise)
    },
    get isClosed() {
      return isClosed
    },
    closed: over.promise,
    close,
  }
}
