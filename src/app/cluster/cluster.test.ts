import { describe, expect, it } from "vitest"
import { clusterOf } from "./cluster.ts"

const store = { type: "postgres", url: "postgres://h/db" } as const

describe("a node of a cluster", () => {
  it("exists only with PostgreSQL", () => {
    expect(clusterOf({ home: "/h", config: {} })).toBeUndefined()
    expect(clusterOf({ home: "/h", config: { store: { type: "sqlite" } } })).toBeUndefined()
  })

  it("has a name of its own for each home, which does not change", () => {
    const nameOf = (home: string) => clusterOf({ home, config: { store } })?.node.name
    expect(nameOf("/one")).toBe(nameOf("/one"))
    expect(nameOf("/one")).not.toBe(nameOf("/other"))
  })

  it("places a folder by the closest label above it, else on itself", () => {
    const labels = { projects: ["/srv", "/data/"], shop: ["/srv/shop"] }
    const cluster = clusterOf({ home: "/h", config: { store, node: { name: "a", labels } } })
    expect(cluster?.node.labels).toEqual(["a", "projects", "shop"])
    const places = ["/srv/x", "/srv", "/srv/shop/web", "/srv/shopping", "/data/y", "/home/me"].map((folder) =>
      cluster?.placeOf(folder),
    )
    expect(places).toEqual(["projects", "projects", "shop", "projects", "projects", "a"])
  })
})
