// `turnhouse export ID [FILE]`: writes a session to a file that others can verify.
import { open } from "node:fs/promises"
import { AppFault, exitCodes } from "../../../app/app-fault.ts"
import { withLog } from "../../../app/host/open-log.ts"
import { exportLines } from "../../../app/sessions/export.ts"
import { sessionNamed } from "../../../app/sessions/sessions.ts"
import { printNotice } from "../../../app/terminal.ts"
import type { Args } from "../../command.ts"

export function run(args: Args): Promise<number> {
  const idOrName = args.first()
  return withLog(async (log, home) => {
    const { sessionId } = await sessionNamed(log, idOrName)
    const lines = exportLines(log, sessionId, home)
    const [, path] = args.positionals
    if (path === undefined) for await (const line of lines) process.stdout.write(`${line}\n`)
    else await writeFile(path, lines)
    return exitCodes.done
  })
}

async function writeFile(path: string, lines: AsyncIterable<string>): Promise<void> {
  const file = await open(path, "wx", 0o600).catch((fault: NodeJS.ErrnoException) => {
    const reason = fault.code === "EEXIST" ? "it already exists. Name another file." : fault.message
    throw new AppFault(`${path} cannot be written: ${reason}`)
  })
  try {
    let count = 0
    for await (const line of lines) {
      await file.write(`${line}\n`)
      count += 1
    }
    printNotice(`wrote ${count - 2} events to ${path}`)
  } finally {
    await file.close()
  }
}
