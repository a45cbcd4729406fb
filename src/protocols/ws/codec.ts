// A client's frame as far as it can be read without knowing any action: an object with the name of one. What an action
// needs of its members is looked at where it is carried out, in the order in which clients expect to be refused.
import { limits } from "../../contract/limits.ts"
import type { JsonValue } from "../../contract/values.ts"
import { hasTooManyParts, mostParts } from "../json-parts.ts"
import { failure } from "./server-events.ts"
import type { ServerEvent } from "./frames.ts"

export const actions = [
  "ping",
  "create_conversation_session",
  "get_session",
  "get_conversation_messages",
  "list_conversations",
  "rename_conversation",
  "send_message",
  "cancel",
  "confirm_tool_action",
  "submit_interaction",
  "verify_otp",
] as const
export type ActionName = (typeof actions)[number]

export interface ClientAction {
  readonly action: ActionName
  readonly requestId: string | undefined
  readonly members: Members
}

export type Received =
  | { readonly kind: "action"; readonly action: ClientAction }
  | { readonly kind: "no"; readonly event: ServerEvent }

export function readFrame(text: string, now: number): Received {
  if (hasTooManyParts(text)) return no(undefined, "VALIDATION_ERROR", `a frame may have ${mostParts} parts`, now)
  const value = parsed(text)
  if (!isObject(value)) return no(undefined, "VALIDATION_ERROR", "a frame must be a JSON object", now)
  const members = new Members(value)
  const requestId = members.text("requestId") || undefined // an empty one names nothing
  if (requestId !== undefined && (requestId.length > limits.nameLength || !requestId.isWellFormed()))
    return no(undefined, "VALIDATION_ERROR", `'requestId' may have ${limits.nameLength} characters`, now)
  const action = members.text("action")
  if (action === undefined) return no(requestId, "VALIDATION_ERROR", "'action' must be a string", now)
  if (!isAction(action)) return no(requestId, "UNSUPPORTED_ACTION", `unsupported action '${shown(action)}'`, now)
  return { kind: "action", action: { action, requestId, members } }
}

/** Members of a frame by their kind; one of another kind counts as not there. */
export class Members {
  readonly #value: Readonly<Record<string, JsonValue | undefined>>

  constructor(value: Readonly<Record<string, JsonValue | undefined>>) {
    this.#value = value
  }

  get(name: string): JsonValue | undefined {
    return Object.hasOwn(this.#value, name) ? this.#value[name] : undefined
  }

  text(name: string): string | undefined {
    const value = this.get(name)
    return typeof value === "string" ? value : undefined
  }

  /** Without blanks around it; one that is nothing else counts as not there. */
  words(name: string): string | undefined {
    const text = this.text(name)?.trim()
    return text === "" ? undefined : text
  }

  flag(name: string): boolean | undefined {
    const value = this.get(name)
    return typeof value === "boolean" ? value : undefined
  }

  number(name: string): number | undefined {
    const value = this.get(name)
    return typeof value === "number" ? value : undefined
  }

  list(name: string): readonly JsonValue[] | undefined {
    const value = this.get(name)
    return Array.isArray(value) ? value : undefined
  }

  object(name: string): Members | undefined {
    const value = this.get(name)
    return isObject(value) ? new Members(value) : undefined
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function no(
  requestId: string | undefined,
  code: "VALIDATION_ERROR" | "UNSUPPORTED_ACTION",
  message: string,
  now: number,
) {
  return { kind: "no", event: failure(requestId, code, message, now) } as const
}

function isAction(name: string): name is ActionName {
  return actions.some((action) => action === name)
}

function isObject(value: unknown): value is Readonly<Record<string, JsonValue | undefined>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function shown(name: string): string {
  return name.slice(0, 60).toWellFormed()
}
