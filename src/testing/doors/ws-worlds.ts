// For tests of the network door: worlds that are gone when their test is over.
import { afterEach } from "vitest"
import { wsWorld, type WsWorld } from "./served-ws.ts"

/** To be called once in a test file. */
export function wsWorlds(): typeof wsWorld {
  const made: WsWorld[] = []
  afterEach(async () => {
    for (const world of made.splice(0)) await world.close()
  })
  return async (...given) => {
    const world = await wsWorld(...given)
    made.push(world)
    return world
  }
}
