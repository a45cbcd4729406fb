// The native API of a real background host.
import type { ProofFolder } from "../../run-proof.ts"
import { FuzzingHouseClient, houseWords } from "../doors/house-client.ts"
import { houseSeeds } from "../doors/house-seeds.ts"
import type { FuzzTarget } from "../fuzz-target.ts"
import { RealHost } from "./real-host.ts"

export async function openReal(folder: ProofFolder): Promise<FuzzTarget> {
  const host = await RealHost.start(folder, "house-real")
  const connect = (onLine: (line: string) => void) => host.connect(onLine)
  const client = new FuzzingHouseClient({
    sessionId: await host.createSession(),
    connect,
    strangers: [connect],
    report: host.report,
    throwReported: () => host.throwReported(),
  })
  return {
    name: "house",
    seeds: houseSeeds(host.cwd),
    words: houseWords,
    modules: [],
    run: (input) => client.run(input),
    check: async () => {
      await client.check()
      host.check()
    },
    close: async () => {
      client.close()
      await host.close()
    },
  }
}
