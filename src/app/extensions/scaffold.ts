// Creates a small working extension for its author to change.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { manifestPath } from "../../hooks/discovery/discover.ts"
import { AppFault, messageOf, usageFault } from "../app-fault.ts"
import { pythonProgram, typeScriptProgram } from "./templates.ts"

interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly path: string
  readonly text: string
}

/** In a folder that is empty or does not exist. Returns its full path and the names of the files in it. */
export function createExtension(
  dir: string,
  language: string,
): { readonly folder: string; readonly files: readonly string[] } {
  const program = programIn(language)
  const folder = resolve(dir)
  const files = new Map([
    [manifestPath, manifestFor(basename(folder), program)],
    [program.path, program.text],
  ])
  try {
    write(folder, files)
  } catch (fault) {
    if (fault instanceof AppFault) throw fault
    throw new AppFault(`${dir} cannot be written: ${messageOf(fault)}`)
  }
  return { folder, files: [...files.keys()] }
}

function programIn(language: string): Program {
  switch (language) {
    case "ts": {
      const path = join("extensions", "main.mts")
      return { command: "node", args: [path], path, text: typeScriptProgram }
    }
    case "python": {
      const path = join("extensions", "main.py")
      return { command: "python3", args: ["-u", path], path, text: pythonProgram }
    }
    default:
      throw usageFault(`--language: '${language}' is not supported. Use ts or python.`)
  }
}

function manifestFor(name: string, { command, args }: Program): string {
  const extension = {
    protocol_version: 1,
    runtime: "process",
    command,
    args,
    permissions: ["tools.intercept", "session.lifecycle"],
    hooks: [
      { hook: "on_session_start" },
      { hook: "before_tool_call", tool: "bash", match: { input_contains: "rm -rf" } },
    ],
    config: [
      { key: "reason", description: "What the model reads.", default: "Removing whole folders is not allowed." },
    ],
  }
  return `${JSON.stringify({ name, version: "0.1.0", extension }, null, 2)}\n`
}

function write(folder: string, files: ReadonlyMap<string, string>): void {
  mkdirSync(folder, { recursive: true })
  if (readdirSync(folder).length > 0) throw new AppFault(`${folder} is not empty. Name a new folder.`)
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}
