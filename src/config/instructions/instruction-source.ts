// The instruction files of one session, read again when one of them, the folder's place in a repository or the list of
// trusted folders has changed. Finding that out costs a few file system calls.
import { statSync } from "node:fs"
import { join } from "node:path"
import type { Environment } from "../home.ts"
import { instructionFolders, instructionNames, trustsInstructions } from "./folders.ts"
import { readInstructions, type Instructions } from "./read-instructions.ts"

export interface InstructionRequest {
  readonly home: string
  readonly env: Environment
  readonly cwd: string
  /** The folder whose trust counts, where the session works in a worktree created for it. */
  readonly settingsFolder: string
}

export class InstructionSource {
  readonly #request: InstructionRequest
  #known: { readonly signature: string; readonly instructions: Instructions } | undefined

  constructor(request: InstructionRequest) {
    this.#request = request
  }

  async read(): Promise<Instructions> {
    const { home, env, cwd, settingsFolder } = this.#request
    const folders = instructionFolders(cwd)
    const places = folders.folders.flatMap((folder) => instructionNames.map((name) => join(folder, name)))
    const always = [...places, join(home, "trust.json")]
    const known = this.#known
    if (known !== undefined && known.signature === signatureOf([...always, ...known.instructions.paths]))
      return known.instructions
    const trusted = await trustsInstructions(home, instructionFolders(settingsFolder))
    const instructions = readInstructions({ home, env, folders, trusted })
    this.#known = { signature: signatureOf([...always, ...instructions.paths]), instructions }
    return instructions
  }
}

function signatureOf(paths: readonly string[]): string {
  return JSON.stringify(paths.map((path) => [path, stateOf(path)]))
}

function stateOf(path: string): readonly number[] | undefined {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = statSync(path)
    return [dev, ino, size, mtimeMs, ctimeMs]
  } catch {
    return undefined // absent or not reachable: both are read as such
  }
}
