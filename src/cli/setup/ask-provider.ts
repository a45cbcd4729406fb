// Asks which provider to use: what can be used now comes first.
import { usageFault } from "../../app/app-fault.ts"
import type { AppContext } from "../../app/context.ts"
import { ownServer, type SetupDraft } from "../../app/setup/draft.ts"
import { findProviders, type ProviderOption } from "../../app/setup/find-providers.ts"
import { printNotice, styled } from "../../app/terminal.ts"
import { readAnswer } from "../hidden-input.ts"
import { providerMenu, readProviderAnswer, type ProviderEntry, type ProviderMenu } from "./provider-menu.ts"
import { printText, terminalWidth } from "./print-text.ts"

export type ProviderChoice = SetupDraft | "demo"

export async function askProvider(context: AppContext): Promise<ProviderChoice> {
  const menu = providerMenu(await findProviders(context), terminalWidth())
  printNotice(`\n${menu.lines.map((line) => (line.startsWith(" ") ? line : styled("bold", line))).join("\n")}`)
  for (;;) {
    const chosen = await choice(await askEntry(menu, "Number or name [1]: "), menu)
    if (chosen !== undefined) return chosen
  }
}

async function askEntry(menu: ProviderMenu, question: string): Promise<ProviderEntry> {
  for (;;) {
    const text = await readAnswer(question)
    if (text === undefined) throw usageFault("no provider was chosen. Nothing was changed.")
    const answer = readProviderAnswer(text, menu)
    if (answer.kind === "entry") return answer.entry
    printText(answer.message)
  }
}

/** Undefined if the user has to choose again. */
async function choice(entry: ProviderEntry, menu: ProviderMenu): Promise<ProviderChoice | undefined> {
  switch (entry.kind) {
    case "demo":
      return "demo"
    case "server":
      return askServer()
    case "others":
      printText(othersOf(menu).join(", "))
      return undefined
    case "provider":
      return ofOption(entry.option)
  }
}

function ofOption({
  name,
  state,
  note,
}: ProviderOption): ProviderChoice | Promise<ProviderChoice | undefined> | undefined {
  switch (state) {
    case "usable":
    case "key":
      return { provider: name }
    case "stopped":
      printText(`${name} ${note}. Start it, or choose another provider.`)
      return undefined
    case "settings":
      if (name === ownServer) return askServer()
      printText(note)
      return undefined
  }
}

/** Undefined after Ctrl-D or an empty line. */
async function askServer(): Promise<ProviderChoice | undefined> {
  for (;;) {
    const text = (await readAnswer("Address of the server, such as http://127.0.0.1:8080/v1: "))?.trim()
    if (text === undefined || text === "") return undefined
    const address = serverAddress(text)
    if (address !== undefined) return { provider: ownServer, address }
    printText("An address begins with http:// or https:// and contains no key.")
  }
}

/** Servers have their API below /v1 unless the address says otherwise. */
export function serverAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const isServer =
    ["http:", "https:"].includes(url.protocol) && url.username === "" && url.search === "" && url.hash === ""
  if (!isServer) return undefined
  return url.pathname === "/" ? `${url.origin}/v1` : url.href.replace(/\/$/, "")
}

/** All that have no number of their own. */
function othersOf({ entries, options }: ProviderMenu): readonly string[] {
  const numbered = new Set(entries.flatMap((entry) => (entry.kind === "provider" ? [entry.option.name] : [])))
  return options.flatMap(({ name }) => (numbered.has(name) ? [] : [name]))
}
