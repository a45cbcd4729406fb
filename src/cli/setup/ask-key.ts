// Gets a provider ready: asks for a key or starts a login where one is needed, and asks the provider for its models, which
// also checks the key. A key that was pasted stays in memory until setup writes it.
import { AppFault, exitCodes } from "../../app/app-fault.ts"
import type { AppContext } from "../../app/context.ts"
import { keyProblem, loginFlow } from "../../app/settings/logins.ts"
import { draftProvider, needsKey, usesStoredLogin, type SetupDraft } from "../../app/setup/draft.ts"
import { listSetupModels, type SetupModels } from "../../app/setup/list-models.ts"
import { loginInBrowser } from "../commands/administration/login.ts"
import { confirm } from "../confirm.ts"
import { readAnswer, readKey } from "../hidden-input.ts"
import { interruptible } from "../interruptible.ts"
import { printText } from "./print-text.ts"

export interface ReadyProvider {
  readonly draft: SetupDraft
  readonly found: SetupModels
}

/** Undefined if the user gives up on this provider, or it cannot be used. */
export async function prepareProvider(context: AppContext, start: SetupDraft): Promise<ReadyProvider | undefined> {
  const provider = draftProvider(context, start)
  let draft: SetupDraft | undefined = start
  if (provider !== undefined && needsKey(provider)) draft = await askCredentials(context, start)
  while (draft !== undefined) {
    const found = await listed(context, draft)
    if (found.verdict !== "refused") return (await isGoodEnough(draft, found)) ? { draft, found } : undefined
    draft = await afterRefusal(context, draft)
  }
  return undefined
}

function listed(context: AppContext, draft: SetupDraft): Promise<SetupModels> {
  printText(`${draft.key === undefined ? "Asking" : "Checking the key at"} ${draft.provider} … (Ctrl-C cancels)`)
  return interruptible((signal) => listSetupModels(context, draft, signal))
}

async function isGoodEnough(
  { key, provider }: SetupDraft,
  { verdict, reason, isOwnList }: SetupModels,
): Promise<boolean> {
  if (verdict === "accepted") {
    if (key !== undefined) printText(`${provider} accepts the key.`)
    return true
  }
  if (key === undefined) {
    if (!isOwnList) printText(`${provider} gave no list of models: ${reason}.`)
    return true
  }
  printText(`The key could not be checked: ${reason}.`)
  return isOwnList || confirm("Use it anyway?")
}

/** A key of the configuration or the environment comes before a stored one, so a new key would not be used. */
async function afterRefusal(context: AppContext, draft: SetupDraft): Promise<SetupDraft | undefined> {
  const { provider: name } = draft
  const provider = draftProvider(context, draft)
  if (provider === undefined) return undefined
  const { credentials } = provider
  if (credentials.kind === "none" || draft.key !== undefined || usesStoredLogin(provider)) {
    printText(credentials.kind === "none" ? `${name} needs a key.` : `${name} refuses this key.`)
    return askCredentials(context, draft)
  }
  printText(`${name} refuses the key of ${credentials.source}. Change it there, or choose another provider.`)
  return undefined
}

async function askCredentials(context: AppContext, draft: SetupDraft): Promise<SetupDraft | undefined> {
  const { provider: name } = draft
  const flow = loginFlow(name, context)
  if (flow !== undefined) {
    const answer = await readAnswer(`${name}: 1 logs in with a browser, 2 pastes an API key [1]: `)
    if (answer === undefined) return undefined
    if (answer.trim() !== "2")
      return (await hasLoggedIn(name, flow, context)) ? { ...draft, provider: name } : undefined
  }
  return askKey(draft)
}

async function hasLoggedIn(
  name: string,
  flow: NonNullable<ReturnType<typeof loginFlow>>,
  context: AppContext,
): Promise<boolean> {
  try {
    await loginInBrowser(name, flow, context)
    return true
  } catch (fault) {
    if (!(fault instanceof AppFault) || fault.exitCode === exitCodes.interrupted) throw fault
    printText(fault.message)
    return false
  }
}

/** Ctrl-D goes back. */
async function askKey(draft: SetupDraft): Promise<SetupDraft | undefined> {
  for (;;) {
    const text = await readKey(draft.provider)
    if (text === undefined) return undefined
    const problem = keyProblem(text)
    if (problem === undefined) return { ...draft, key: text.trim() }
    printText(`This is no key: ${problem}. Ctrl-D goes back.`)
  }
}
