import { describe, expect, it } from "vitest"
import { placementOf, repositoryPrefix, type Wishes } from "./placement.ts"
import type { RegisteredSource } from "./registry.ts"

const nothing: Wishes = {
  audience: undefined,
  sets: undefined,
  everyMs: undefined,
  include: undefined,
  exclude: undefined,
}

function known(root: string, more: Partial<RegisteredSource> = {}): RegisteredSource {
  return {
    id: 1,
    org: "local",
    kind: "folder",
    root,
    prefix: "",
    audience: undefined,
    sets: [],
    options: { include: [], exclude: [] },
    everyMs: undefined,
    nextRunAt: undefined,
    failures: 0,
    revision: undefined,
    addedAt: 1,
    ...more,
  }
}

const folder = (root: string) => ({ kind: "folder", root }) as const
const file = (root: string) => ({ kind: "file", root }) as const

describe("a place inside of a known folder", () => {
  const docs = known("/docs")

  it("is part of it if nothing else is said", () => {
    expect(placementOf(folder("/docs/sub"), nothing, [docs])).toEqual({ kind: "part", of: docs, part: "sub" })
    expect(placementOf(file("/docs/sub/a.md"), nothing, [docs])).toMatchObject({ kind: "part", part: "sub/a.md" })
    const same = { ...nothing, audience: { groups: undefined }, sets: [] }
    expect(placementOf(folder("/docs/sub"), same, [docs])).toMatchObject({ kind: "part" })
  })

  it("is a source of its own with other rights or a schedule, and its documents keep their names", () => {
    const inside = { kind: "own", inside: docs, prefix: "sub/" }
    expect(placementOf(folder("/docs/sub"), { ...nothing, audience: { groups: [] } }, [docs])).toMatchObject(inside)
    expect(placementOf(folder("/docs/sub"), { ...nothing, sets: ["a"] }, [docs])).toMatchObject(inside)
    expect(placementOf(file("/docs/sub/a.md"), { ...nothing, everyMs: 1 }, [docs])).toMatchObject(inside)
    expect(placementOf(file("/docs/a.md"), { ...nothing, everyMs: 1 }, [docs])).toMatchObject({ prefix: "" })
  })

  it("is a source of its own if the folder leaves it out", () => {
    const some = known("/docs", { options: { include: ["*.txt"], exclude: [] } })
    expect(placementOf(file("/docs/a.md"), nothing, [some])).toMatchObject({ kind: "own" })
    expect(placementOf(folder("/docs/.hidden"), nothing, [docs])).toMatchObject({ kind: "own" })
    expect(placementOf(folder("/docsother"), nothing, [docs])).toMatchObject({ kind: "own", inside: undefined })
  })

  it("belongs to the nearest folder", () => {
    const sub = known("/docs/sub", { prefix: "sub/", audience: [] })
    expect(placementOf(folder("/docs/sub/deep"), nothing, [docs, sub])).toMatchObject({
      kind: "part",
      of: sub,
      part: "deep",
    })
  })
})

describe("a folder around known ones", () => {
  it("takes over those with the same rights and no schedule, and leaves the others", () => {
    const same = known("/docs/a")
    const locked = known("/docs/b", { audience: [] })
    const scheduled = known("/docs/c", { everyMs: 1 })
    const page = known("https://a.example/", { kind: "page" })
    const placement = placementOf(folder("/docs"), nothing, [same, locked, scheduled, page])
    expect(placement).toEqual({
      kind: "own",
      prefix: "",
      inside: undefined,
      absorbed: [same],
      kept: [locked, scheduled],
    })
  })

  it("does not take over public ones when it is locked itself", () => {
    const open = known("/docs/a")
    const placement = placementOf(folder("/docs"), { ...nothing, audience: { groups: [] } }, [open])
    expect(placement).toMatchObject({ absorbed: [], kept: [open] })
  })
})

describe("the names of files of a repository", () => {
  it.for([
    ["https://example.com/shop/api.git", [], "api/"],
    ["https://example.com/shop/api.git", ["api/"], "shop/api/"],
    ["git@example.com:shop/api.git", ["api/"], "shop/api/"],
    ["/home/ada/api/", [], "api/"],
    ["/home/ada/api/.git", [], "api/"],
  ] as const)("begin with that of %s, where %j are taken: %s", ([location, taken, prefix]) =>
    expect(repositoryPrefix(location, taken)).toBe(prefix),
  )
})
