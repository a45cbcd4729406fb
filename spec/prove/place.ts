// `turnhouse prove` in a place of a test, with the program of this checkout or of a copy with a planted bug.
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { processesNaming } from "../../src/app/demo/end-programs.ts"
import type { Place } from "../e2e/place.ts"
import { object, type Json } from "../e2e/printed.ts"
import type { Ended, Running } from "../e2e/running.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Its homes are in the folder of the place. */
export function startProof(place: Place, program: string, ...args: readonly string[]): Running {
  return place.startOther(program, ["prove", ...args], { env: { TMPDIR: place.root } })
}

/** The homes that exist. */
export function homesIn(place: Place): readonly string[] {
  return readdirSync(place.root).filter((name) => name.startsWith("turnhouse-prove-"))
}

/** Homes, and processes that use them. */
export async function leftBehind(place: Place): Promise<readonly string[]> {
  const processes = await processesNaming(join(place.root, "turnhouse-prove-"))
  return [...homesIn(place), ...processes.map(({ commandLine }) => commandLine)]
}

/** The last line of `--json`. */
export function countsIn({ stdout }: Ended): Json {
  return object(stdout.trimEnd().split("\n").at(-1) ?? "")
}

/** What says that a patch of `spec/bugs` does not fit the sources; empty if it fits. */
export function misfitOf(patch: string): string {
  return spawnSync("git", ["apply", "--check", join(root, "spec/bugs", patch)], { cwd: root, encoding: "utf8" }).stderr
}

/** A copy of this checkout with a patch of `spec/bugs`. Returns its program. */
export function plantBug(place: Place, patch: string): string {
  const copy = join(place.root, "copy")
  mkdirSync(copy)
  for (const name of ["bin", "src", "package.json"]) cpSync(join(root, name), join(copy, name), { recursive: true })
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  execFileSync("git", ["apply", join(root, "spec/bugs", patch)], { cwd: copy })
  return join(copy, "bin/turnhouse")
}
