// What the demo says about itself. It never lets anybody take it for a model.

export const abilities = [
  "look around in this folder",
  "read a file and tell you something from it",
  "search for text",
  "find files by name",
  "replace text in a file, write one or append to one",
  "run a command",
  "delete a file or folder",
  "call any tool (`call TOOL with {…}`)",
  "ask other agents (`ask an agent to read notes.txt`)",
  "and summarise this conversation. For example: `read package.json and tell me the name`.",
].join(", ")

const howTo =
  'set ANTHROPIC_API_KEY, OPENAI_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY in the environment, or "model" in the config file'

export const introduction = `This is Turnhouse's offline demo, which follows fixed rules; to use a real model, ${howTo}.`

export const reminder = `I am the offline demo, not a model; to use a real one, ${howTo}.`
