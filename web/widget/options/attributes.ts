// The options of a widget from the attributes of its element or script. Pure: attributes are read by a function.
import { isJsonObject, tryParseJson } from "../../../src/contract/json-object.ts"
import type { Position, Storage, Theme, WidgetOptions, WidgetTexts } from "../api.ts"
import { english } from "./english.ts"

/** Attributes of the element. On the script they are `data-NAME`. */
export const attributeNames = [
  "agent",
  "server",
  "chat-title",
  "greeting",
  "position",
  "theme",
  "accent",
  "lang",
  "texts",
  "storage",
  "user-name",
  "user-email",
  "token",
  "auth",
] as const
export type AttributeName = (typeof attributeNames)[number]

export type ReadAttribute = (name: AttributeName) => string | null

/** Without `token` and `auth`, which are read for every connection. */
export type PlainOptions = Omit<WidgetOptions, "agent" | "token" | "authContext"> & {
  readonly agent?: string | undefined
}

/** `own`: options that are set as properties; they come before attributes. */
export function readOptions(read: ReadAttribute, own: Partial<WidgetOptions>): PlainOptions {
  const text = (name: AttributeName) => read(name)?.trim() || undefined
  return {
    agent: own.agent ?? text("agent"),
    server: own.server ?? text("server"),
    title: own.title ?? text("chat-title"),
    greeting: own.greeting ?? text("greeting"),
    position: own.position ?? oneOf(positions, text("position")),
    theme: own.theme ?? oneOf(themes, text("theme")),
    accent: own.accent ?? text("accent"),
    language: own.language ?? text("lang"),
    texts: own.texts ?? readTexts(text("texts")),
    storage: own.storage ?? oneOf(storages, text("storage")),
    userName: own.userName ?? text("user-name"),
    userEmail: own.userEmail ?? text("user-email"),
  }
}

const positions: readonly Position[] = ["end", "start", "inline"]
const themes: readonly Theme[] = ["auto", "light", "dark"]
const storages: readonly Storage[] = ["local", "session", "none"]

function oneOf<Value extends string>(values: readonly Value[], text: string | undefined): Value | undefined {
  return values.find((value) => value === text)
}

/** A JSON object with some of the texts. What is not a text of the widget is left out. */
function readTexts(text: string | undefined): Partial<WidgetTexts> | undefined {
  const value = text === undefined ? undefined : tryParseJson(text)
  if (!isJsonObject(value)) return undefined
  return Object.fromEntries(
    Object.keys(english).flatMap((name) => {
      const own = Object.hasOwn(value, name) ? value[name] : undefined
      return typeof own === "string" ? [[name, own]] : []
    }),
  )
}
