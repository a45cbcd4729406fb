// What was typed is a prompt, an answer to the agent's question, or a command.
import { typedFor } from "../../../../src/contract/rules/approval-answers.ts"
import { limits } from "../../../../src/contract/limits.ts"
import { describeRefusal } from "../../../../src/contract/text/describe-refusal.ts"
import type { Attachment } from "../../../../src/contract/values.ts"
import { runTyped } from "../../../../src/slash-commands/run-typed.ts"
import { lineHelp, parseLine, type LineCommand } from "../../../../src/slash-commands/typed-line.ts"
import type { OpenApproval } from "../../../../src/projection/open-requests.ts"
import { newPromptId, newSessionId } from "../../state/ids.ts"
import { serverNow } from "../../state/server-clock.ts"
import { navigate } from "../../state/route.ts"
import { sendAnswer, type Answer } from "../approvals/answer.ts"
import type { SessionViewProps } from "../props.ts"

export interface TypedLine extends SessionViewProps {
  readonly text: string
  readonly attachments: readonly Attachment[]
}

/** `isTaken`: the text was used up; otherwise it returns to the box. */
export interface Submitted {
  readonly isTaken: boolean
  readonly note?: string | undefined
}

export async function submitLine(typed: TypedLine): Promise<Submitted> {
  const { store, text } = typed
  const [oldest] = store.model.value?.requests.approvals ?? []
  const answer = typedFor(oldest, text, false)
  if (answer !== undefined && oldest !== undefined)
    return answerOldest(
      typed,
      oldest,
      answer.command === "answer" ? { approved: true, answer: answer.text } : { approved: answer.command !== "deny" },
    )
  const line = parseLine(text)
  if (line.kind === "prompt" || line.kind === "nothing") return sendPrompt(typed)
  if (line.kind === "slash") return runSlash(typed, line)
  return runOwn(typed, line)
}

async function sendPrompt({ store, context, text, attachments }: TypedLine): Promise<Submitted> {
  const line = parseLine(text)
  const prompt = line.kind === "prompt" ? line.text : text
  const tooLarge = sizeProblem(prompt)
  if (tooLarge !== undefined) return { isTaken: false, note: `Not sent: ${tooLarge}` }
  const { sessionId } = store
  const mentioned = mentions(prompt)
    ? await context.port.query({ type: "mentioned-files", sessionId, text: prompt })
    : undefined
  const found = mentioned?.kind === "answer" ? mentioned.value : { attachments: [], notes: [], problems: [] }
  const all = [...attachments, ...found.attachments]
  const files = all.length === 0 ? {} : { attachments: all }
  const whole = [prompt, ...found.notes].join("\n")
  const sent = await store.send({ type: "prompt", promptId: newPromptId(), text: whole, ifBusy: "steer", ...files })
  if (sent.kind === "refused") return { isTaken: false, note: `Not sent: ${describeRefusal(sent.refusal)}` }
  return { isTaken: true, note: found.problems.length === 0 ? undefined : found.problems.join(" ") }
}

/** Known without sending it. */
function sizeProblem(text: string): string | undefined {
  const limit = limits.promptBytes
  if (text.length * 3 <= limit) return undefined
  const bytes = new TextEncoder().encode(text).length
  return bytes > limit ? describeRefusal({ code: "prompt.too-large", bytes, limit }) : undefined
}

function mentions(text: string): boolean {
  return text.includes("@") && text.length <= limits.mentionsLength
}

async function answerOldest({ store }: TypedLine, oldest: OpenApproval, answer: Answer): Promise<Submitted> {
  const note = await sendAnswer((command) => store.send(command), oldest, answer)
  return { isTaken: note === undefined, note }
}

async function runSlash(
  { store, context }: TypedLine,
  line: Extract<LineCommand, { kind: "slash" }>,
): Promise<Submitted> {
  const { access, port } = context
  const result = await runTyped(line, {
    port,
    sessionId: store.sessionId,
    requests: store.model.value?.requests.approvals ?? [],
    caller: access.caller,
    newSessionId,
    now: serverNow,
    send: (command) => store.send(command),
    prompt: (text) => store.send({ type: "prompt", promptId: newPromptId(), text, ifBusy: "steer" }),
  })
  if (!result.success) return { isTaken: false, note: result.error ?? `/${line.name} failed` }
  const isPrompt = result.action_taken === "message_added"
  return {
    isTaken: true,
    note: isPrompt ? undefined : (result.output ?? (result.action_taken ?? "done").replaceAll("_", " ")),
  }
}

type OwnLine = Exclude<LineCommand, { kind: "slash" | "prompt" | "nothing" }>

async function runOwn(typed: TypedLine, line: OwnLine): Promise<Submitted> {
  const { store } = typed
  switch (line.kind) {
    case "stop": {
      const sent = await store.send({ type: "interrupt" })
      return { isTaken: true, note: sent.kind === "refused" ? describeRefusal(sent.refusal) : undefined }
    }
    case "quit":
      navigate({ sessionId: undefined, panel: undefined })
      return { isTaken: true }
    case "help":
      return { isTaken: true, note: lineHelp }
    case "answer": {
      const open = store.model.value?.requests.approvals ?? []
      const request = open.find(({ approvalId }) => approvalId.includes(line.idPrefix ?? ""))
      if (request === undefined) return { isTaken: true, note: "No approval request is pending." }
      return answerOldest(typed, request, { approved: line.command !== "deny" })
    }
    case "unknown":
      return {
        isTaken: false,
        note: `Unknown command '${line.word}'. / lists the commands; // sends a prompt that begins with a slash.`,
      }
  }
}
