// `turnhouse send ID TEXT`: sends text from a program to a session. The text is untrusted: it is fenced with its source,
// and calls that it leads to need approval.
import { exitCodes, usageFault } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"
import { readPrompt } from "../../read-prompt.ts"
import { sessionNamed } from "../../../app/sessions/sessions.ts"
import { newPromptId, openSession, sendCommand, withHomeConnection } from "../../../app/host/send-command.ts"

const longestSource = 100

export async function run(args: Args): Promise<number> {
  const idOrName = args.first()
  const untrustedSource = sourceOf(args)
  const text = await readPrompt(args.positionals.slice(1))
  if (text === "") throw usageFault("no text. Give it as an argument or on standard input.")
  return withHomeConnection("send", async ({ log, port }) => {
    const { sessionId } = await sessionNamed(log, idOrName)
    const handle = await openSession(port, sessionId, "send")
    const promptId = newPromptId()
    await sendCommand(handle, { type: "prompt", promptId, text, ifBusy: "steer", untrustedSource })
    process.stdout.write(args.flag("json") ? `${JSON.stringify({ id: promptId, sessionId })}\n` : `${promptId}\n`)
    return exitCodes.done
  })
}

function sourceOf(args: Args): string {
  const source = args.text("from") ?? "send"
  if (source.trim() === "" || source.length > longestSource || /\p{Cc}/u.test(source))
    throw usageFault(`--from: use one line of 1 to ${longestSource} characters`)
  return source
}
