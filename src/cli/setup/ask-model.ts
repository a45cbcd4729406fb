// Asks for a model of a provider: a number, or a part of the name that narrows the list.
import type { SetupModels } from "../../app/setup/list-models.ts"
import { printNotice, styled } from "../../app/terminal.ts"
import { oneLine } from "../../contract/text/text.ts"
import { confirm } from "../confirm.ts"
import { readAnswer } from "../hidden-input.ts"
import { modelMenu, rankModels, readModelAnswer, withPreferred, type ModelMenu } from "./model-menu.ts"
import { printText, terminalWidth } from "./print-text.ts"

/** The part after `provider/`; undefined after Ctrl-D. `current`: the model of this provider that is set now. */
export async function askModel(found: SetupModels, current: string | undefined): Promise<string | undefined> {
  const { provider } = found
  if (found.models.length === 0) return askName(provider, current ?? found.defaultModel)
  const listed = withPreferred(found.models, provider, { current, byDefault: found.defaultModel })
  const { preferred } = listed
  const models = rankModels(listed.models, preferred)
  printNotice(`\n${styled("bold", `Models of ${provider}`)}`)
  printText(legend(preferred))
  let menu = show(modelMenu(models, [], preferred, terminalWidth()))
  for (;;) {
    const text = await readAnswer("Number, or part of a name [1]: ")
    if (text === undefined) return undefined
    const answer = readModelAnswer(text, menu, provider)
    if (answer.kind === "model") return answer.id
    const next = modelMenu(models, answer.words, preferred, terminalWidth())
    if (next.shown.length > 0) menu = show(next)
    else if (await isMeant(text, provider)) return text.trim()
  }
}

function legend(preferred: string | undefined): string {
  const prices = "Prices are US dollars per million tokens, in and out."
  return preferred === undefined ? prices : `* is the default. ${prices}`
}

function show(menu: ModelMenu): ModelMenu {
  printNotice(menu.lines.join("\n"))
  return menu
}

/** A new or private model is in no list. */
function isMeant(text: string, provider: string): Promise<boolean> {
  const name = text.trim()
  if (/\s/.test(name) || name === "") {
    printText(`No model of ${provider} matches.`)
    return Promise.resolve(false)
  }
  return confirm(`No model of ${provider} matches "${oneLine(name, 60)}". Use it anyway?`)
}

async function askName(provider: string, preferred: string | undefined): Promise<string | undefined> {
  printText(`No list of the models of ${provider} is known.`)
  for (;;) {
    const text = await readAnswer(
      preferred === undefined ? "Name of the model: " : `Name of the model [${preferred}]: `,
    )
    if (text === undefined) return undefined
    const name = text.trim() === "" ? preferred : text.trim()
    if (name !== undefined && !/\s/.test(name)) return name
    printText("The name of a model has no spaces.")
  }
}
