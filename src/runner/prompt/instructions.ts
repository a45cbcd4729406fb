// The instruction files of a session as text for its model.
import type { InstructionText, SessionInstructions } from "../../contract/views/instructions.ts"
import type { SessionContext } from "../session-context.ts"

type Reader = Pick<SessionContext, "services" | "warn">

/** Read once per turn, so that all its requests begin with the same bytes. */
export function instructionsOfTurn(session: SessionContext): Promise<readonly InstructionText[]> {
  const { turnMemory, state } = session
  return turnMemory.instructions.get(state.turn?.id, async () => (await readInstructions(session)).files)
}

/** As the files are now, without secrets. Every client of the session gets one notice of what is not read or is cut. */
export async function readInstructions(session: Reader): Promise<SessionInstructions> {
  const { instructions, scrubber } = session.services
  const found = await instructions?.read()
  if (found === undefined) return { files: [], unread: [], notices: [] }
  for (const notice of found.notices) session.warn(notice)
  return { ...found, files: found.files.map((file) => ({ ...file, text: scrubber.text(file.text) })) }
}

const introduction =
  "Instructions of the user and the project, from files; general ones first. Follow them. Where two of them differ, the later one counts; what the user says in the conversation comes before all of them."

/** Undefined where there are none. */
export function instructionsText(files: readonly InstructionText[]): string | undefined {
  return files.length === 0 ? undefined : ["# Instructions", introduction, ...files.map(instructionBlock)].join("\n\n")
}

export function instructionBlock({ path, importedBy, text, characters, cutFromBytes }: InstructionText): string {
  const source = importedBy === undefined ? "" : ` imported-by=${JSON.stringify(importedBy)}`
  const note =
    cutFromBytes === undefined
      ? ""
      : `\n[Cut here after ${characters} characters: the file has ${cutFromBytes} bytes. Read the rest yourself if you need it.]`
  return `<instructions file=${JSON.stringify(path)}${source}>\n${text.trim()}${note}\n</instructions>`
}
