// One process of a contest: takes random locks, holds each briefly, and prints what it held. It ends with its input. The
// clock of its locks runs 30 times as fast.
import { setTimeout as sleep } from "node:timers/promises"
import { lockOrder } from "../../src/features/locks/conflicts.ts"
import { Locks } from "../../src/features/locks/store/locks.ts"
import { sqliteLocks } from "../../src/features/locks/store/sqlite/sqlite-store.ts"
import { isAlive, thisHost } from "../../src/log/process-identity.ts"
import { seeded, ticks } from "./contest.ts"

const faster = 30
const scopes = ["/p", "/p/sub", "/q"]
const [, , file = "", holder = "", seed = "1"] = process.argv
const random = seeded(Number(seed))
const { pid, startTime, bootId } = thisHost("contest")

const locks = new Locks({
  openStore: sqliteLocks({
    file,
    moment: () => ({ now: Date.now(), ticks: Math.floor(ticks() * faster) }),
    mark: () => "",
  }),
  machine: { self: { pid, startTime, bootId }, hostname: "here", isAlive, isPidAlive: () => true },
  renewMs: 5000 / faster,
  end: () => Promise.resolve(true),
  warn: (sentence) => console.error(sentence),
})

const over = new AbortController()
process.stdin.resume().once("end", () => over.abort())

while (!over.signal.aborted) {
  const want = { kind: lockOrder[Math.floor(random() * 9)] ?? "build", scope: scopes[Math.floor(random() * 3)] ?? "/p" }
  const askedAt = ticks()
  const { signal } = new AbortController()
  const taken = await locks.acquireForCall({
    holder,
    requests: [want],
    description: "",
    signal,
    waitMs: 2000,
    onWait: () => {},
  })
  if (taken.kind !== "taken") continue
  const [lock] = taken.hold.locks
  const told = { ...want, holder, fence: lock?.fence, askedAt, gotAt: ticks() }
  console.log(JSON.stringify({ ...told, lost: false })) // the last word, if it is killed now
  await sleep(random() * 20)
  const lost = (await taken.hold.lostLocks()).length > 0
  const gaveAt = ticks()
  await taken.hold.release()
  console.log(JSON.stringify({ ...told, gaveAt, lost }))
}
await locks.close()
