// The native API (house wire) as a target, in this process: as on a control socket, and as behind a key.
import { HouseConnection, type HouseDoorOptions } from "../../../../doors/house/connection.ts"
import { houseLimits } from "../../../../protocols/house/limits.ts"
import { LineSplitter } from "../../../../transports/framing/lines.ts"
import type { FuzzTarget, TargetPlace } from "../fuzz-target.ts"
import { inTime } from "./answered.ts"
import type { ByteChannel } from "./byte-channel.ts"
import { FuzzedHost } from "./fuzzed-host.ts"
import { FuzzingHouseClient, houseWords } from "./house-client.ts"
import { houseSeeds } from "./house-seeds.ts"
import { LinePipe } from "./line-pipe.ts"

export async function openTarget(place: TargetPlace): Promise<FuzzTarget> {
  const host = await FuzzedHost.open(place, "host")
  const { port, role } = host.running
  const options: HouseDoorOptions = { port, by: { principal: "you", door: "house" }, host: "h1", role, release: "0" }
  const connect = async (onLine: (line: string) => void) => openConnection(options, onLine)
  const connectWithoutKey = async (onLine: (line: string) => void) =>
    openConnection({ ...options, admit: async () => undefined }, onLine)
  const client = new FuzzingHouseClient({
    sessionId: await host.createSession("test"),
    connect,
    strangers: [connect, connectWithoutKey],
    report: host.report,
    throwReported: () => host.throwReported(),
  })
  return {
    name: "house",
    seeds: houseSeeds(host.cwd),
    words: houseWords,
    modules: ["doors/house/", "doors/core/", "protocols/house/", "host/local-port", "host/queries/"],
    run: (input) => client.run(input),
    check: () => client.check(),
    close: async () => {
      client.close()
      await host.close()
    },
  }
}

function openConnection(options: HouseDoorOptions, onLine: (line: string) => void): ByteChannel {
  const pipe = new LinePipe(onLine)
  const door = new HouseConnection(pipe, options)
  const input = new LineSplitter(houseLimits.lineBytes, (line) => door.receive(line))
  return {
    write: (bytes) => {
      input.push(bytes)
      return pipe.room === undefined ? Promise.resolve(true) : inTime(pipe.room)
    },
    get isClosed() {
      return pipe.isClosed
    },
    closed: pipe.closed,
    close: () => pipe.destroy(),
  }
}
