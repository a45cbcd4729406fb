import { once } from "node:events"
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createConnection, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { claimSocket, SocketTaken } from "./claimed-socket.ts"

const cleanups: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

function place(): { readonly folder: string; readonly path: string } {
  const folder = mkdtempSync(join(tmpdir(), "claim-"))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  return { folder, path: join(folder, "s.sock") }
}

async function claim(path: string, beforehand?: () => void) {
  const claimed = await claimSocket(
    path,
    () => true,
    (socket) =>
      socket
        .on("error", () => {})
        .resume()
        .end("hello"),
    beforehand === undefined ? {} : { beforehand },
  )
  cleanups.push(() => claimed.leave())
  return claimed
}

async function heardAt(path: string): Promise<string> {
  const socket = createConnection(path)
  let received = ""
  for await (const chunk of socket) received += String(chunk)
  return received
}

describe("a claimed socket", () => {
  it("exists once it accepts connections, for its owner only, and is removed on leaving", async () => {
    const { folder, path } = place()
    const claimed = await claim(path)
    expect(await heardAt(path)).toBe("hello")
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(["s.sock"])
    claimed.leave()
    await claimed.closed
    expect(readdirSync(folder)).toEqual([])
  })

  it("keeps the mode of an existing folder, and refuses one that others may write to", async () => {
    const { folder, path } = place()
    chmodSync(folder, 0o755)
    await claim(path)
    expect(statSync(folder).mode & 0o777).toBe(0o755)
    chmodSync(folder, 0o777)
    await expect(
      claimSocket(
        join(folder, "other.sock"),
        () => true,
        () => {},
      ),
    ).rejects.toThrow("other users may write to it")
    await claim(join(folder, "new", "s.sock"))
    expect(statSync(join(folder, "new")).mode & 0o777).toBe(0o700)
  })

  it("replaces an abandoned socket, and never a live one", async () => {
    const { path } = place()
    writeFileSync(path, "")
    await claim(path)
    await expect(
      claimSocket(
        path,
        () => true,
        () => {},
      ),
    ).rejects.toThrow(SocketTaken)
    expect(await heardAt(path)).toBe("hello")
  })

  it("keeps a socket that has replaced it", async () => {
    const { path } = place()
    const claimed = await claim(path)
    rmSync(path)
    const other = createServer().listen(path)
    cleanups.push(() => void other.close())
    await once(other, "listening")
    claimed.leave()
    await claimed.closed
    expect(existsSync(path)).toBe(true)
  })

  it("does not appear when the preparation fails", async () => {
    const { folder, path } = place()
    const fail = () => {
      throw new Error("disk full")
    }
    await expect(claim(path, fail)).rejects.toThrow("disk full")
    expect(readdirSync(folder)).toEqual([])
  })
})
