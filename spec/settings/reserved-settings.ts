// Settings whose feature does not exist yet: with one of them nothing starts.
import { expect } from "vitest"
import type { SettingTests } from "./setting-tests.ts"
import type { World } from "./world.ts"

function refusedWith(content: object) {
  return async (world: World) => {
    expect(await world.loads({})).toBe("loaded")
    expect(await world.loads(content)).toContain("not supported yet")
  }
}

export const reservedSettings: SettingTests = {
  "events.wake": async (world) => {
    expect(await world.loads({ events: { wake: ["mail"] } })).toContain("events cannot start turns yet")
  },
  "store.type": async (world) => {
    expect(await world.loads({ store: { type: "sqlite" } })).toBe("loaded")
    expect(await world.loads({ store: { type: "postgres", url: "postgres://h/db" } })).toContain("PostgreSQL")
  },
  "store.url": refusedWith({ store: { type: "postgres", url: "postgres://h/db" } }),
  "bus.type": async (world) => {
    expect(await world.loads({ bus: { type: "local" } })).toBe("loaded")
    expect(await world.loads({ bus: { type: "nats", url: "nats://h:4222" } })).toContain("NATS")
  },
  "bus.url": refusedWith({ bus: { type: "nats", url: "nats://h:4222" } }),
}
