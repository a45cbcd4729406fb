// Stories of `turnhouse demo` in a place of a test: what they printed, and what they left behind.
import { readdirSync } from "node:fs"
import { expect } from "vitest"
import { processesNaming } from "../../src/app/demo/end-programs.ts"
import type { Place } from "../e2e/place.ts"
import type { Ended, Running } from "../e2e/running.ts"

export function startStory(place: Place, ...args: readonly string[]): Running {
  return place.start(["demo", ...args], { env: { TMPDIR: place.root } })
}

/** The folder that the story has named. */
export function folderOf(place: Place, { stdout }: Pick<Ended, "stdout">): string {
  const name = /turnhouse-demo-\w+/.exec(stdout)?.[0]
  if (name === undefined) throw new Error(`the story names no folder: ${stdout}`)
  return `${place.root}/${name}`
}

/** Folders and processes of the story, and what it wrote into the user's home: nothing. */
export async function leftBehind(place: Place, ended: Ended): Promise<readonly string[]> {
  const folders = readdirSync(place.root).filter((name) => name.startsWith("turnhouse-demo"))
  const processes = await processesNaming(folderOf(place, ended))
  const files = readdirSync(place.home).filter((name) => name !== "cache")
  return [...folders, ...processes.map(({ commandLine }) => commandLine), ...files]
}

export function expectVerified({ code, stdout, stderr }: Ended, claims: number): void {
  expect(code, `${stdout.slice(-500)}${stderr}`).toBe(0)
  expect(stderr).toBe("")
  expect(stdout).not.toContain("\u001b")
  expect(stdout.match(/^✓ /gm)).toHaveLength(claims)
  expect(stdout).toContain(`The story verified ${claims} claims.`)
}
