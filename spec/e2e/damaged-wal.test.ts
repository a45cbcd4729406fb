// Damage in the write-ahead log, which SQLite ignores silently, and in the file that records the newest event of every
// session. Lost acknowledged events are reported by the session, by `verify` and by `doctor`.
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it, type TestContext } from "vitest"
import { complaintOf, noComplaint } from "./complaints.ts"
import { crashedHome, cut, flip, lossesOf, restore, type CrashedHome } from "./damaged-wal.ts"
import { endWriter } from "./log-writer.ts"
import { object } from "./printed.ts"
import { newPlace, sharedPlace, type Place } from "./turnhouse.ts"

const failed = 1
const frameBytes = 24 + 4096
const headerBytes = 32

const made = sharedPlace()
let crashed: CrashedHome
beforeAll(async () => {
  crashed = await crashedHome(made)
})

function placeWith(test: TestContext, wal?: Uint8Array): Place {
  const place = newPlace(test)
  restore(crashed, place, wal)
  return place
}

const headsFile = (place: Place) => join(place.home, "turnhouse.db-heads")
const frame = (number: number) => headerBytes + (number - 1) * frameBytes
const frames = () => Math.floor((crashed.wal.length - headerBytes) / frameBytes)
const copies = (place: Place) => readdirSync(place.home).filter((name) => name.startsWith("turnhouse.db-wal.damaged-"))

describe.concurrent("a damaged write-ahead log", () => {
  it.for([
    ["was flipped in its first frame", () => flip(crashed.wal, frame(1) + 100), true],
    ["was flipped in the middle", () => flip(crashed.wal, frame(Math.floor(frames() / 2)) + 2000), true],
    ["has a bad header", () => flip(crashed.wal, 17), true],
    ["was cut in the middle", () => cut(crashed.wal, frame(Math.floor(frames() / 2)) + 50), false],
    ["was emptied", () => cut(crashed.wal, 0), false],
  ] as const)("that %s is reported by open, verify and doctor", async ([, harm, hasFramesBehind], test) => {
    const wal = harm()
    const place = placeWith(test, wal)
    const losses = lossesOf(crashed, place, wal)
    expect(losses.size).toBeGreaterThan(0)
    const verified = await place.run("verify", "--json")
    expect(verified.code).toBe(failed)
    const doctor = await place.run("doctor", "--json")
    expect(doctor.code).toBe(failed)
    for (const [id, lost] of losses) {
      const named = new RegExp(`"sessionId": "${id}",\\s+"seq": \\d+,\\s+"what": "[^"]*\\b${lost} events? (was|were) `)
      expect(verified.stdout).toMatch(named)
      expect(doctor.stdout).toMatch(new RegExp(`session ${id} is damaged at event \\d+: [^"]*\\b${lost} events? `))
      const refused = await place.run("run", "go on", "--session", id, "--json")
      const words = [`Session ${id} is damaged at event`, `turnhouse verify --accept-loss ${id}`]
      expect(complaintOf(refused, ...words)).toEqual(noComplaint(failed))
    }
    expect(copies(place)).toHaveLength(hasFramesBehind ? 1 : 0)
    for (const name of copies(place)) {
      expect(readFileSync(join(place.home, name)).equals(wal)).toBe(true)
      expect(verified.stdout + doctor.stdout).toContain(name)
      expect(verified.stderr).toContain(name) // the first command that opened it
    }
    expect(await place.run("run", "go on", "--session", crashed.untouched)).toMatchObject({ code: 0 })
  })

  it("as a crash leaves it is recovered without a report", async (test) => {
    const place = placeWith(test)
    expect(await place.run("verify")).toMatchObject({ code: 0, stderr: "" })
    expect((await place.run("verify")).stdout).toMatch(/^The log is intact\..*\nNot covered: events that were /)
    for (const id of [crashed.untouched, crashed.continued, crashed.created])
      expect(await place.run("run", "go on", "--session", id)).toMatchObject({ code: 0 })
    expect(copies(place)).toEqual([])
  })
})

describe.concurrent("--accept-loss", () => {
  it("lets a session continue from what is left, and leaves the others refused", async (test) => {
    const place = placeWith(test, cut(crashed.wal, 0))
    const accepted = await place.run("verify", "--accept-loss", crashed.continued)
    expect(accepted).toMatchObject({ code: 0, stderr: "" })
    expect(accepted.stdout).toMatch(new RegExp(`^accepted: session ${crashed.continued}, event \\d+: `))
    expect(await place.run("run", "go on", "--session", crashed.continued)).toMatchObject({ code: 0 })
    const verified = await place.run("verify")
    expect(verified.code).toBe(failed)
    expect(verified.stdout).not.toContain(crashed.continued)
    expect(verified.stdout).toContain(`session ${crashed.created}, event 1: the whole session is missing`)
  })

  it("all accepts every loss, after which verify and doctor have nothing to report", async (test) => {
    const place = placeWith(test, flip(crashed.wal, frame(1) + 100))
    expect((await place.run("verify")).code).toBe(failed)
    expect((await place.run("verify", "--accept-loss", "all")).code).toBe(0)
    expect(await place.run("verify")).toMatchObject({ code: 0 })
    expect((await place.run("doctor")).stdout).toMatch(/ok +heads /)
    expect(await place.run("run", "go on", "--session", crashed.continued)).toMatchObject({ code: 0 })
  })

  it("refuses a session that misses nothing, and a file", async (test) => {
    const place = placeWith(test)
    const refused = await place.run("verify", "--accept-loss", crashed.untouched)
    expect(complaintOf(refused, "no event is missing")).toEqual(noComplaint(failed))
    expect((await place.run("verify", "file", "--accept-loss", "all")).code).toBe(2)
  })
})

describe.concurrent("the head file", () => {
  it("of a session that was deleted does not miss it", async (test) => {
    const place = placeWith(test)
    expect((await place.run("rm", crashed.created, "--yes")).code).toBe(0)
    expect(await place.run("verify")).toMatchObject({ code: 0 })
    expect(readFileSync(headsFile(place), "latin1")).toContain(`r ${crashed.created}`)
  })

  it("that was deleted is reported before and after it is created anew, until that is accepted", async (test) => {
    const place = placeWith(test)
    rmSync(headsFile(place))
    const before = await place.run("verify")
    expect(before).toMatchObject({ code: failed })
    expect(before.stdout).toContain(`${headsFile(place)} is missing`)
    expect(await place.run("run", "go on", "--session", crashed.continued)).toMatchObject({ code: 0 })
    await endWriter(place.home)
    const after = await place.run("doctor")
    expect(after.code).toBe(failed)
    expect(after.stdout).toContain("was missing and was created again")
    expect((await place.run("verify", "--accept-loss", "all")).code).toBe(0)
    expect((await place.run("verify")).code).toBe(0)
  })

  it("with a forged line is reported", async (test) => {
    const place = placeWith(test)
    appendFileSync(headsFile(place), `h ${crashed.created} 1 ${"0".repeat(64)} ${"0".repeat(32)}\n`)
    const verified = await place.run("verify", "--json")
    expect(verified.code).toBe(failed)
    expect(JSON.stringify(object(verified.stdout)["findings"])).toContain("damaged or forged")
  })

  it("of another home is reported", async (test) => {
    const place = placeWith(test)
    writeFileSync(join(place.home, "secret.key"), Buffer.alloc(32, 1))
    expect((await place.run("doctor")).stdout).toContain("was not written with the key of this home")
    expect((await place.run("verify")).code).toBe(failed)
  })

  it("is not missed where a backup is used", async (test) => {
    const place = placeWith(test)
    expect((await place.run("backup", place.path("copy.db"))).code).toBe(0)
    const other = newPlace(test)
    writeFileSync(join(other.home, "turnhouse.db"), readFileSync(place.path("copy.db")))
    expect((await other.run("verify")).code).toBe(0)
    expect(await other.run("run", "go on", "--session", crashed.created)).toMatchObject({ code: 0 })
    expect((await other.run("verify")).code).toBe(0)
  })
})
