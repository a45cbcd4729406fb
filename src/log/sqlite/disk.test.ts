// A full disk, and read-only files: refused with a message, nothing acknowledged, and the log
// works again as soon as it can. Real processes, since limits and rights belong to a process.
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { sessionIdOf, valueOf } from "../fixtures.ts"
import { Child } from "./fixtures/child.ts"
import { openSqliteLog } from "./sqlite-log.ts"

let folder: string
let path: string
let child: Child | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnhouse-disk-"))
  path = join(folder, "home", "turnhouse.db")
})
afterEach(async () => {
  await child?.kill()
  rmSync(folder, { recursive: true })
})

/** Permissions do not restrict root: there the program runs as the user "nobody". */
const unprivilegedUid = process.getuid?.() === 0 ? 65534 : undefined

function start(shell = "", uid?: number): Child {
  child = new Child("trying-process", [path], uid === undefined ? { shell } : { shell, uid })
  return child
}

function giveTo(uid: number | undefined, file: string): void {
  if (uid !== undefined) chownSync(file, uid, uid)
}

async function storedEvents(): Promise<number> {
  const log = valueOf(openSqliteLog({ path }))
  const { events } = valueOf(await log.load(sessionIdOf(1)))
  expect(valueOf(await log.inspect())).toEqual([])
  await log.close()
  return events.length
}

describe("a full disk", () => {
  it("refuses what does not fit, stores what does, and stores everything once there is space", async () => {
    const limited = start("ulimit -f 800;") // files of at most 400 kB
    for (let round = 0; round < 6; round++) {
      expect(await limited.ask("2000")).toBe("ok")
      const refusal: unknown = JSON.parse(await limited.ask("500000"))
      expect(refusal).toMatchObject({ code: "log.unavailable", what: expect.stringContaining(path) })
    }
    expect(await limited.end()).toBe(0)
    expect(await storedEvents()).toBe(6)
    const free = start()
    expect(await free.ask("500000")).toBe("ok")
    expect(await free.end()).toBe(0)
    expect(await storedEvents()).toBe(7)
  })
})

describe("read-only files", () => {
  beforeEach(() => chmodSync(folder, 0o755))

  it("a read-only folder is refused until it becomes writable", async () => {
    const home = join(folder, "home")
    mkdirSync(home, { mode: 0o555 })
    giveTo(unprivilegedUid, home)
    const trying = start("", unprivilegedUid)
    expect(JSON.parse(await trying.ask("10"))).toMatchObject({
      code: "log.unavailable",
      what: expect.stringContaining("permission denied"),
    })
    chmodSync(home, 0o700)
    expect(await trying.ask("10")).toBe("ok")
    expect(await trying.end()).toBe(0)
    expect(await storedEvents()).toBe(1)
  })

  it("a read-only file is refused until it becomes writable", async () => {
    const home = join(folder, "home")
    mkdirSync(home, { mode: 0o700 })
    giveTo(unprivilegedUid, home)
    const first = start("", unprivilegedUid)
    expect(await first.ask("10")).toBe("ok")
    expect(await first.end()).toBe(0)
    chmodSync(path, 0o400)
    const second = start("", unprivilegedUid)
    const refusal = { code: "log.unavailable", what: `${path} is read-only` }
    expect(JSON.parse(await second.ask("10"))).toEqual(refusal)
    expect(JSON.parse(await second.ask("10"))).toEqual(refusal)
    chmodSync(path, 0o600)
    expect(await second.ask("10")).toBe("ok")
    expect(await second.end()).toBe(0)
    expect(await storedEvents()).toBe(2)
  })
})

describe("the files of the log", () => {
  const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8)

  it.each(["0000", "0077", "0777"])("are accessible only to their user with umask %s", async (umask) => {
    const running = start(`umask ${umask};`)
    expect(await running.ask("10")).toBe("ok")
    expect(await running.ask("10")).toBe("ok")
    expect(modeOf(join(folder, "home"))).toBe("700")
    for (const suffix of ["", "-wal", "-shm"]) expect(modeOf(path + suffix)).toBe("600")
    expect(await running.end()).toBe(0)
  })

  it("that other users could read become private", async () => {
    await valueOf(openSqliteLog({ path })).close()
    chmodSync(path, 0o644)
    await valueOf(openSqliteLog({ path })).close()
    expect(modeOf(path)).toBe("600")
  })
})
