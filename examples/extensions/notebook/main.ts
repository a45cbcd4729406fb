// Notes that outlive a session: people keep and read them with commands, and a new session begins with the newest.
import { allow, defineExtension, inject, type ExtensionContext } from "turnhouse/extension"

const usually = 10

async function newest({ memory, settings }: ExtensionContext, contains?: string): Promise<string> {
  const limit = Number((await settings.get("shown")) ?? usually)
  const notes = await memory.query(contains === undefined ? { limit } : { limit, contains })
  return notes
    .map(({ content, timestamp_ms: at }) => `${new Date(at).toISOString().slice(0, 10)}  ${content}`)
    .join("\n")
}

await defineExtension({
  commands: {
    async note(words, { memory }) {
      if (words.length === 0) return "Say what to keep: note TEXT"
      await memory.append(words.join(" "))
      return "Kept."
    },
    async notes([word], context) {
      return (await newest(context, word)) || "There are no such notes."
    },
    async show([number = ""], { settings }) {
      if (!/^[1-9]\d?$/.test(number)) return "Say how many, from 1 to 99: show NUMBER"
      await settings.set("shown", number)
      return `From now on ${number} are shown.`
    },
  },
  hooks: {
    async on_session_start(_, context) {
      const notes = await newest(context)
      return notes === "" ? allow() : inject(`Notes of the person you talk to:\n${notes}`)
    },
  },
}).run()
