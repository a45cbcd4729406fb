// The stories of the team and the shop with the real program.
import { existsSync } from "node:fs"
import { expect, it } from "vitest"
import { newPlace } from "../e2e/turnhouse.ts"
import { leftBehind, expectVerified, folderOf, startStory } from "./place.ts"

it("leads four agents through locks, a budget and a guard, and stops them", async (test) => {
  const place = newPlace(test)
  const ended = await startStory(place, "team").ended
  expectVerified(ended, 14)
  expect(await leftBehind(place, ended)).toEqual([])
})

it("serves a visitor with citations, a code, a refund and a lost connection", async (test) => {
  const place = newPlace(test)
  const ended = await startStory(place, "shop").ended
  expectVerified(ended, 15)
  expect(await leftBehind(place, ended)).toEqual([])
})

it.for(["team", "shop"])("ends the processes of the story of the %s on Ctrl-C", async (name, test) => {
  const place = newPlace(test)
  const running = startStory(place, name)
  await running.prints("2 of 5")
  running.signal("SIGINT")
  const ended = await running.ended
  expect(ended.code).toBe(130)
  expect(await leftBehind(place, ended)).toEqual([])
})

it("keeps the folder with --keep, and no process", async (test) => {
  const place = newPlace(test)
  const ended = await startStory(place, "shop", "--keep").ended
  const folder = folderOf(place, ended)
  expect(ended.stdout).toContain(`folder is kept:\n  ${folder}\n`)
  expect(existsSync(`${folder}/visit.ndjson`)).toBe(true)
  expect(existsSync(`${folder}/home/turnhouse.db`)).toBe(true)
})
