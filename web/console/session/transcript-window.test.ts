import { expect, it } from "vitest"
import { grownDown, grownUp, keysIn, newestWindow, windowAround, withNewer } from "./transcript-window.ts"

const keys = Array.from({ length: 100_000 }, (_, at) => String(at))

it("begins with the newest items", () => {
  const shown = keysIn(newestWindow, keys)
  expect(shown.at(-1)).toBe("99999")
  expect(shown.length).toBeLessThan(100)
  expect(keysIn(newestWindow, ["a"])).toEqual(["a"])
})

it("never has more than a few hundred items, however far a person scrolls", () => {
  let window = newestWindow
  for (let step = 0; step < 3000; step += 1) {
    window = grownUp(window, keys.length)
    expect(keysIn(window, keys).length).toBeLessThanOrEqual(300)
  }
  expect(keysIn(window, keys)[0]).toBe("0")
  for (let step = 0; step < 3000; step += 1) window = grownDown(window)
  expect(keysIn(window, keys).at(-1)).toBe("99999")
})

it("shows the same items when newer ones are added while older ones are read", () => {
  let window = newestWindow
  for (let step = 0; step < 10; step += 1) window = grownUp(window, keys.length)
  const before = keysIn(window, keys)
  expect(keysIn(withNewer(window, 2), [...keys, "x", "y"])).toEqual(before)
  expect(keysIn(withNewer(newestWindow, 1), [...keys, "x"]).at(-1)).toBe("x")
})

it("shows what is around an item, wherever it is", () => {
  for (const index of [0, 20, 50_000, 99_980, 99_999]) {
    const window = windowAround(index, keys.length)
    const shown = keysIn(window, keys)
    expect(shown).toContain(String(index))
    expect(shown.length).toBeLessThanOrEqual(200)
    for (const grown of [grownDown(window), grownUp(window, keys.length)])
      expect(keysIn(grown, keys)).toContain(String(index))
  }
  expect(windowAround(99_999, keys.length).skipped).toBe(0)
  expect(keysIn(windowAround(1, 3), ["a", "b", "c"])).toEqual(["a", "b", "c"])
})
