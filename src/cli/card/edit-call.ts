// Lets a person change the arguments of a call: a short command in place, everything else in the editor of the user.
import { spawn } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { withVisibleCharacters } from "../../contract/text/text.ts"
import type { ShownCall } from "../../display/call-lines.ts"
import { editText, editedCall, type Edited, type EditText, type Problem } from "../../display/edit-text.ts"
import { readTypedLine } from "./typed-line.ts"

/** Longer commands are edited in the editor. */
const MAX_IN_PLACE = 400

/** The terminal must be free. */
export async function editCall(call: ShownCall, signal: AbortSignal): Promise<Edited> {
  const before = editText(call)
  if (before.kind === "problem") return before
  const text = await changedText(before, signal)
  return typeof text === "string" ? editedCall(call, text) : text
}

function changedText({ kind, text }: Exclude<EditText, Problem>, signal: AbortSignal): Promise<string | Edited> {
  if (kind === "arguments") return editInEditor("arguments.json", text)
  return isShort(text) ? editInPlace(text, signal) : editInEditor("command.sh", text)
}

/** What a line shows as it is. */
function isShort(command: string): boolean {
  return command.length <= MAX_IN_PLACE && !/[\n\t]/.test(command) && withVisibleCharacters(command) === command
}

async function editInPlace(command: string, signal: AbortSignal): Promise<string | Edited> {
  const typed = await readTypedLine("Change the command (Enter: look at it again, Esc: back)\n› ", command, signal)
  return typed.kind === "line" ? typed.text : { kind: "same" }
}

/** The file is only readable by the user, and removed afterwards. */
export async function editInEditor(name: string, text: string): Promise<string | Edited> {
  const folder = await mkdtemp(join(tmpdir(), "turnhouse-edit-"))
  try {
    const file = join(folder, name)
    await writeFile(file, text, { mode: 0o600 })
    const problem = await runEditor(file)
    if (problem !== undefined) return { kind: "problem", message: problem }
    const edited = await readFile(file, "utf8")
    return text.endsWith("\n") ? edited : edited.replace(/\n$/, "") // editors add one
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A sentence if the editor failed. Its setting may have arguments, such as `code --wait`, so a shell starts it. */
function runEditor(file: string): Promise<string | undefined> {
  const editor = process.env["VISUAL"] || process.env["EDITOR"] || "vi"
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" })
    child.once("error", (fault) => resolve(`The editor '${editor}' cannot be started: ${fault.message}.`))
    child.once("exit", (code) =>
      resolve(
        code === 0
          ? undefined
          : `The editor '${editor}' failed; the call is unchanged. Set VISUAL or EDITOR to an editor that waits until the file is closed.`,
      ),
    )
  })
}
