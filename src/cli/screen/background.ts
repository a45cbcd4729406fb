// Whether the terminal is light or dark: as COLORFGBG says, else as the terminal answers. One that answers nothing is given
// up after a moment, and what the user typed meanwhile is kept.

export type Background = "light" | "dark"

const TIMEOUT_MS = 200
/** The colour of the background, then a question that every terminal answers. */
const QUERY = "\u001b]11;?\u001b\\\u001b[c"
// oxlint-disable no-control-regex -- replies begin with ESC
const COLOUR = /\u001b\]11;rgba?:([\da-f]{2,4})\/([\da-f]{2,4})\/([\da-f]{2,4})[^\u0007\u001b]*(?:\u0007|\u001b\\)/i
const ATTRIBUTES = /\u001b\[\?[\d;]*c/
// oxlint-enable no-control-regex
const MAX_REPLY = 4096

export async function backgroundOf(env: NodeJS.ProcessEnv): Promise<Background | undefined> {
  return backgroundIn(env["COLORFGBG"]) ?? backgroundFrom(await askTerminal())
}

/** `15;0`: the last number is the colour of the background, of 16. */
export function backgroundIn(colours: string | undefined): Background | undefined {
  const last = /(?:^|;)(\d{1,2})$/.exec(colours ?? "")?.[1]
  if (last === undefined) return undefined
  return Number(last) === 7 || Number(last) > 8 ? "light" : "dark"
}

export function backgroundFrom(reply: string): Background | undefined {
  const parts = COLOUR.exec(reply)?.slice(1)
  if (parts === undefined) return undefined
  const [red = 0, green = 0, blue = 0] = parts.map((part) => Number.parseInt(part, 16) / (16 ** part.length - 1))
  return 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 ? "light" : "dark"
}

async function askTerminal(): Promise<string> {
  const { stdin, stdout } = process
  const { promise, resolve } = Promise.withResolvers<void>()
  let received = ""
  const onData = (data: Buffer) => {
    received += data.toString("latin1")
    if (ATTRIBUTES.test(received) || received.length > MAX_REPLY) resolve()
  }
  const timer = setTimeout(resolve, TIMEOUT_MS)
  stdin.setRawMode(true)
  stdin.on("data", onData).once("end", resolve)
  stdout.write(QUERY)
  await promise
  clearTimeout(timer)
  stdin.pause()
  stdin.off("data", onData).off("end", resolve)
  const typed = received.replace(COLOUR, "").replace(ATTRIBUTES, "")
  if (typed !== "") stdin.unshift(Buffer.from(typed, "latin1"))
  return received
}
