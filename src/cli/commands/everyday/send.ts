// `turnhouse send ID TEXT`: sends text from a program to a session. The text is untrusted: it is fenced with its source,
// and calls that it leads to need approval.
import { newId } from "../../../host/new-ids.ts"
import { limits } from "../../../contract/limits.ts"
import { refusalFault, usageFault, exitCodes } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"
import { readPrompt } from "../../read-prompt.ts"
import { sessionNamed } from "../../../app/sessions/sessions.ts"
import { openSession, sendCommand, withHomeConnection } from "../../../app/host/send-command.ts"

const longestSource = 100

export async function run(args: Args): Promise<number> {
  const [wanted, ...words] = args.positionals
  if (wanted === undefined) throw usageFault("name a session; 'turnhouse ls' lists them")
  const untrustedSource = sourceOf(args)
  const text = await readPrompt(words)
  if (text.trim() === "") throw usageFault("no text. Give it as an argument or on standard input.")
  const bytes = Buffer.byteLength(text)
  if (bytes > limits.promptBytes) throw refusalFault({ code: "prompt.too-large", bytes, limit: limits.promptBytes })
  return withHomeConnection("send", async ({ log, port }) => {
    const { sessionId } = await sessionNamed(log, wanted)
    const handle = await openSession(port, sessionId, "send")
    const promptId = `prm_${newId()}` as const
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
