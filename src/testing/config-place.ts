// For tests: a new home and project folder for each test, and the problems of a configuration in them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, expect } from "vitest"
import { ConfigFault } from "../config/faults.ts"
import type { ConfigRequest } from "../config/layer-files.ts"
import { loadConfig } from "../config/load-config.ts"
import type { FolderTrust } from "../config/trust/trust.ts"

export let root: string
export let home: string
export let cwd: string

/** Call at the top of a test file. */
export function useConfigPlace(): void {
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "turnhouse-config-"))
    home = join(root, "home")
    cwd = join(root, "project")
    mkdirSync(home)
    mkdirSync(cwd)
  })
  afterEach(() => {
    rmSync(root, { recursive: true, force: true })
  })
}

export function write(path: string, content: unknown): string {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  const raw = typeof content === "string" || content instanceof Uint8Array
  writeFileSync(file, raw ? content : JSON.stringify(content))
  return file
}

export function folder(state: FolderTrust["state"]): FolderTrust {
  return { state, folder: cwd, files: state === "nothing" ? [] : ["turnhouse.json"], warnings: [] }
}

export async function load(more: Partial<ConfigRequest> = {}) {
  return await loadConfig({ env: {}, home, cwd, trust: folder("nothing"), ...more })
}

export async function problemsOf(loading: Promise<unknown>): Promise<string> {
  const outcome: unknown = await loading.then(
    () => "no fault",
    (error: unknown) => error,
  )
  expect(outcome).toBeInstanceOf(ConfigFault)
  return outcome instanceof ConfigFault ? outcome.message.replaceAll(root, "") : ""
}

export async function problemsWith(content: unknown, more: Partial<ConfigRequest> = {}): Promise<string> {
  write("home/config.json", content)
  return await problemsOf(load(more))
}
