// Notes that outlive a session: users store and read them with commands, and a new session starts with the newest.
import { allow, defineExtension, inject, type ExtensionContext } from "turnhouse/extension"

const defaultLimit = 10

async function newest({ memory, settings }: ExtensionContext, contains?: string): Promise<string> {
  const limit = Number((await settings.get("shown")) ?? defaultLimit)
  const notes = await memory.query(contains === undefined ? { limit } : { limit, contains })
  return notes
    .map(({ content, timestamp_ms: at }) => `${new Date(at).toISOString().slice(0, 10)}  ${content}`)
    .join("\n")
}

await defineExtension({
  commands: {
    async note(words, { memory }) {
      if (words.length === 0) return "Missing text. Usage: note TEXT"
      await memory.append(words.join(" "))
      return "Stored."
    },
    async notes([word], context) {
      return (await newest(context, word)) || "No notes found."
    },
    async show([number = ""], { settings }) {
      if (!/^[1-9]\d?$/.test(number)) return "NUMBER must be from 1 to 99. Usage: show NUMBER"
      await settings.set("shown", number)
      return `Notes shown from now on: ${number}.`
    },
  },
  hooks: {
    async on_session_start(_, context) {
      const notes = await newest(context)
      return notes === "" ? allow() : inject(`Notes of the user:\n${notes}`)
    },
  },
}).run()
