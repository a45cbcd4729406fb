// The actions of a client: what each reads from its frame, or why the frame is invalid. Fields are checked in the order
// in which clients expect to be refused; whether a session exists is checked later, by the door.
import type { CommandOf } from "../../contract/commands.ts"
import { limits } from "../../contract/limits.ts"
import { boundedName } from "../../contract/text/text.ts"
import type { Contact, JsonValue } from "../../contract/values.ts"
import type { ActionName } from "./action-names.ts"
import { filesIn, imagesIn } from "./attachments.ts"
import { errors, type WsError } from "./errors.ts"
import type { Fields } from "./fields.ts"
import {
  DEFAULT_ROWS,
  MAX_CODE_LENGTH,
  MAX_CONVERSATION_ROWS,
  MAX_MESSAGE_ROWS,
  MAX_SUPPORT_LENGTH,
  MAX_SUPPORTS,
  type WsLimits,
} from "./limits.ts"
import { normalizedTitle } from "./message-rows.ts"

export interface ClientAction<Name = ActionName> {
  readonly action: Name
  readonly requestId: string | undefined
  readonly fields: Fields
}

type Decoder<Input> = (action: Pick<ClientAction, "requestId" | "fields">, limits: WsLimits) => Input | WsError

const decoders = {
  ping: decoder([], () => ({})),
  create_conversation_session: decoder(["agentId"], (value, fields) => {
    const agentId = value("agentId")
    if (agentId.length > limits.nameLength || !agentId.isWellFormed())
      return errors.fieldTooLong("agentId", limits.nameLength)
    const conversationId = fields.string("conversationId")
    const authContext = fields.get("authContext")
    return { agentId, conversationId, authContext, contact: contactIn(fields), supports: supportsIn(fields) }
  }),
  get_session: decoder(["sessionId"], (value) => ({ sessionId: value("sessionId") })),
  get_conversation_messages: decoder(["sessionId"], (value, fields) => ({
    sessionId: value("sessionId"),
    limit: limitIn(fields, MAX_MESSAGE_ROWS),
    cursor: fields.text("cursor"),
  })),
  list_conversations: decoder([], (_value, fields) => ({ limit: limitIn(fields, MAX_CONVERSATION_ROWS) })),
  rename_conversation: decoder(["conversationId"], (value, fields) => {
    const title = normalizedTitle(fields.text("title") ?? "")
    return title === "" ? errors.fieldMissing("title") : { conversationId: value("conversationId"), title }
  }),
  send_message: decoder(["requestId", "sessionId", "message"], (value, fields, { messageCharacters }) => {
    if (value("message").length > messageCharacters) return errors.fieldTooLong("message", messageCharacters)
    return { requestId: value("requestId"), sessionId: value("sessionId"), prompt: promptIn(fields) }
  }),
  cancel: decoder([], () => ({})),
  confirm_tool_action: decoder(["sessionId"], (value, fields) => {
    const approved = fields.boolean("approved")
    return approved === undefined ? errors.fieldNotBoolean("approved") : { sessionId: value("sessionId"), approved }
  }),
  submit_interaction: decoder(["requestId", "sessionId"], (value, fields) => ({
    requestId: value("requestId"),
    sessionId: value("sessionId"),
    interactionId: fields.text("interactionId"),
    kind: fields.text("kind"),
    declined: fields.boolean("declined") === true,
    values: fields.get("values"),
  })),
  verify_otp: decoder(["requestId", "sessionId", "code"], (value) => ({
    requestId: value("requestId"),
    sessionId: value("sessionId"),
    code: value("code").slice(0, MAX_CODE_LENGTH),
  })),
} satisfies Record<ActionName, unknown>

type Inputs = { readonly [Name in ActionName]: Exclude<ReturnType<(typeof decoders)[Name]>, WsError> }
/** What an action reads from its frame. */
export type ActionInput<Name extends ActionName> = Inputs[Name]

export const actions: { readonly [Name in ActionName]: Decoder<Inputs[Name]> } = decoders

export function isActionName(name: string): name is ActionName {
  return Object.hasOwn(actions, name)
}

/** Refuses the first required field that is missing, then reads the frame; `value` returns a required field. */
function decoder<Name extends string, Input>(
  required: readonly Name[],
  read: (value: (name: Name) => string, fields: Fields, limits: WsLimits) => Input | WsError,
): Decoder<Input> {
  return ({ requestId, fields }, wsLimits) => {
    const find = (name: Name) => (name === "requestId" ? requestId : fields.string(name))
    const missing = required.find((name) => find(name) === undefined)
    return missing === undefined ? read((name) => find(name) ?? "", fields, wsLimits) : errors.fieldMissing(missing)
  }
}

function limitIn(fields: Fields, max: number): number {
  const limit = fields.number("limit")
  return limit === undefined || !(limit >= 1) ? DEFAULT_ROWS : Math.min(Math.floor(limit), max)
}

type PromptContent = Pick<CommandOf<"prompt">, "text" | "attachments" | "files" | "model" | "skill">

function promptIn(fields: Fields): PromptContent {
  const images = imagesIn(fields.array("images"))
  const files = filesIn(fields.array("files"))
  const [model, skill] = [fields.string("model"), fields.string("skill")]
  return {
    text: (fields.text("message") ?? "").toWellFormed(),
    ...(images.length === 0 ? {} : { attachments: images }),
    ...(files.length === 0 ? {} : { files }),
    ...(model === undefined ? {} : { model }),
    ...(skill === undefined ? {} : { skill }),
  }
}

/** Only fields that were sent: a returning visitor keeps the others. */
function contactIn(fields: Fields): Contact {
  const name = fields.string("userName")
  const email = fields.string("userEmail")
  const phone = fields.object("metadata")?.string("userPhone")
  return {
    ...(name === undefined ? {} : { name: boundedName(name) }),
    ...(email === undefined ? {} : { email: boundedName(email) }),
    ...(phone === undefined ? {} : { phone: boundedName(phone) }),
  }
}

/** A list, also an empty one, replaces what was declared before; anything else leaves it. */
function supportsIn(fields: Fields): string[] | undefined {
  return fields
    .array("supports")
    ?.filter((entry: JsonValue) => typeof entry === "string")
    .slice(0, MAX_SUPPORTS)
    .map((name) => name.slice(0, MAX_SUPPORT_LENGTH).toWellFormed())
}
