// The proofs must be able to fail on a cluster too: each finds the bug that is planted in a copy of the sources.
import { afterAll, beforeAll, expect, it } from "vitest"
import { startNats, type NatsServer } from "../../src/testing/servers/nats-server.ts"
import { startPostgres, type PostgresServer } from "../../src/testing/servers/postgres-server.ts"
import { newPlace } from "../e2e/turnhouse.ts"
import { countsIn, plantBug, startProof } from "../prove/place.ts"

let postgres: PostgresServer
let nats: NatsServer

beforeAll(async () => {
  ;[postgres, nats] = await Promise.all([startPostgres(), startNats()])
})
afterAll(() => Promise.all([postgres.remove(), nats.stop()]))

it.for([
  { patch: "show-before-commit.patch", proof: ["crash", "--kills", "2000"], kind: "lost" },
  { patch: "repeat-unsafe-call.patch", proof: ["crash", "--kills", "2000"], kind: "doubled" },
  { patch: "resume-after-next-event.patch", proof: ["cuts", "--cuts", "5000"], kind: "lost" },
] as const)("finds $patch", async ({ patch, proof: [name, ...count], kind }, test) => {
  const place = newPlace(test)
  const servers = ["--store", postgres.createDatabase(), "--bus", nats.url]
  const ended = await startProof(place, plantBug(place, patch), name, ...servers, ...count, "--seed", "1", "--json")
    .ended
  expect({ code: ended.code, stderr: ended.stderr }).toMatchObject({ code: 1 })
  expect(countsIn(ended)[kind]).toBeGreaterThan(0)
})
