import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { FileLinkStore } from "./file-link-store.ts"
import { newLinkId, type Link } from "./link-key.ts"

const now = 1_000_000

it("stores links readable for their owner only, deletes expired ones, and ignores other files", async () => {
  const home = mkdtempSync(join(tmpdir(), "turnhouse-links-"))
  const links = new FileLinkStore(home, () => now + 500)
  const [old, good] = [1, 1000].map((ms): Link => ({
    id: newLinkId(),
    role: "drive",
    issuedAt: now,
    expiresAt: now + ms,
  }))
  for (const link of [old, good]) if (link !== undefined) await links.add(link)
  const folder = join(home, "links")
  const modes = [folder, join(folder, `${good?.id}.json`)].map((path) => statSync(path).mode & 0o777)
  expect(modes).toEqual([0o700, 0o600])
  writeFileSync(join(folder, "lnk_000000000000000000.json"), "no JSON")
  writeFileSync(join(folder, "something else"), "{}")
  expect(await links.list()).toEqual([good])
  expect(readdirSync(folder)).not.toContain(`${old?.id}.json`)
  rmSync(home, { recursive: true })
})
