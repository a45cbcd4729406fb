// Sends one frame of an attack, and says how it was answered.
import { memberIn, textIn } from "../../../contract/json-object.ts"
import type { ActionName } from "../../../protocols/ws/action-names.ts"
import { errorCode, type Answer, type WsCaller } from "../served/ws-caller.ts"
import type { OwnIds } from "./attacks.ts"

/** A conversation of its own: a socket without one may send short frames only. */
export async function enter(caller: WsCaller): Promise<OwnIds> {
  const opened = await caller.ask({ action: "create_conversation_session", agentId: "shop" })
  const data = memberIn(opened?.frame, "data")
  const [sessionId, conversationId] = [textIn(data, "sessionId"), textIn(data, "conversationId")]
  if (sessionId === undefined || conversationId === undefined)
    throw new Error(`the server opened no conversation: ${opened?.text}`)
  return { sessionId, conversationId }
}

/** Resolves with the code of an error, or the type of another answer. */
export async function sendAttack(caller: WsCaller, action: ActionName, frame: object): Promise<string> {
  const answer = await answerTo(caller, action, frame)
  if (answer === undefined) return "no answer"
  return errorCode(answer.frame) ?? textIn(answer.frame, "type") ?? "no type"
}

/** A message has an end; `cancel` has no answer of its own. */
async function answerTo(caller: WsCaller, action: ActionName, frame: object): Promise<Answer | undefined> {
  if (action === "send_message") return caller.askTurn({ action, ...frame })
  if (action !== "cancel") return caller.ask({ action, ...frame })
  caller.say({ action, ...frame })
  return caller.settle()
}
