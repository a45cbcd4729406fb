// `turnhouse setup`: chooses the model of new sessions and stores the key that it needs. On a terminal it asks; with
// options it also works in a script.
import { AppFault, exitCodes, usageFault } from "../../../app/app-fault.ts"
import type { AppContext } from "../../../app/context.ts"
import { checkModel } from "../../../app/settings/check-model.ts"
import { checkedKeyText, providerNamed } from "../../../app/settings/logins.ts"
import { defaultModelOf, draftProvider, needsKey } from "../../../app/setup/draft.ts"
import { currentModel } from "../../../app/setup/find-providers.ts"
import { listSetupModels } from "../../../app/setup/list-models.ts"
import { providerOfModel } from "../../../app/setup/model-provider.ts"
import { readExtensionModel } from "../../../contract/rules/extension-model.ts"
import type { Args } from "../../command.ts"
import { canAsk } from "../../confirm.ts"
import { contextWithWarnings } from "../../context-options.ts"
import { interruptible } from "../../interruptible.ts"
import { askSetup, demo, type NamedSetup, type SetupChoice } from "../../setup/ask-setup.ts"
import { finishSetup } from "../../setup/finish.ts"
import { printText } from "../../setup/print-text.ts"
import { readKeyFromStdin } from "../administration/login.ts"

export async function run(args: Args): Promise<number> {
  const context = await contextWithWarnings(args)
  const named = await namedIn(args, context)
  await finishSetup(context, await choose(args, context, named))
  printText('Next: turnhouse run "what is in this folder?"')
  return exitCodes.done
}

async function choose(args: Args, context: AppContext, named: NamedSetup): Promise<SetupChoice> {
  const { provider, model } = named
  const isScripted = args.flag("key-stdin") || !canAsk()
  if (provider === undefined) {
    if (model !== undefined) return { model }
    if (isScripted)
      throw usageFault(
        "there is no terminal to ask on. Name what to set: turnhouse setup --provider PROVIDER [--model MODEL] [--key-stdin]",
      )
    await printCurrent(context)
    return askSetup(context)
  }
  const isComplete = model !== undefined && draftProvider(context, { provider })?.problem === undefined
  return isScripted || isComplete ? fromOptions(args, context, provider, model) : askSetup(context, named)
}

/**
 * With --provider, the model is one of that provider; a name that repeats the provider is taken as it is. Without a
 * provider: a model that needs nothing, of an extension or offline.
 */
async function namedIn(args: Args, context: AppContext): Promise<NamedSetup> {
  const [provider, model] = [args.text("provider"), args.text("model")]
  if (model === "" || provider === "") throw usageFault("--provider and --model need a name")
  if (model !== undefined && !isModelName(model)) throw usageFault("the name of a model has no spaces")
  if (provider === offline) return { model: model ?? demo.model }
  if (provider !== undefined) {
    providerNamed(provider, context)
    return { provider, model: model?.startsWith(`${provider}/`) === true ? model.slice(provider.length + 1) : model }
  }
  if (model === undefined) return {}
  await checkModel(model, context)
  const found = await providerOfModel(model, context)
  const needsNothing = found.provider === offline || readExtensionModel(model) !== undefined
  return needsNothing ? { model } : found
}

const offline = "offline"

function isModelName(text: string): boolean {
  return !/[\s\p{Cc}]/u.test(text)
}

async function printCurrent(context: AppContext): Promise<void> {
  const { name, isConfigured } = await currentModel(context)
  printText(isConfigured ? `Model now: ${name}` : `No model is configured; new sessions get ${name}.`)
  const { provider } = await providerOfModel(name, context)
  const problem = provider === undefined ? undefined : draftProvider(context, { provider })?.problem
  if (problem !== undefined) printText(problem)
}

async function fromOptions(
  args: Args,
  context: AppContext,
  name: string,
  model: string | undefined,
): Promise<SetupChoice> {
  const key = args.flag("key-stdin") ? checkedKeyText(await readKeyFromStdin()) : undefined
  const draft = key === undefined ? { provider: name } : { provider: name, key }
  const provider = draftProvider(context, draft)
  if (provider?.problem !== undefined) throw usageFault(withHint(provider.problem, needsKey(provider)))
  const chosen = model ?? (provider && defaultModelOf(provider))
  if (chosen === undefined)
    throw usageFault(
      `${name} has no default model. Name one with --model; 'turnhouse models --all ${name}/' lists them.`,
    )
  if (key !== undefined && !args.flag("no-check")) await checkKey(context, { provider: name, key })
  return { draft, model: `${name}/${chosen}` }
}

function withHint(problem: string, isKeyMissing: boolean): string {
  return isKeyMissing ? `${problem} With --key-stdin the key is read from standard input.` : problem
}

async function checkKey(
  context: AppContext,
  draft: { readonly provider: string; readonly key: string },
): Promise<void> {
  const { verdict, reason } = await interruptible((signal) => listSetupModels(context, draft, signal))
  if (verdict === "refused") throw new AppFault(`${draft.provider} refuses this key. Nothing was stored.`)
  printText(verdict === "accepted" ? `${draft.provider} accepts the key.` : `The key could not be checked: ${reason}.`)
}
