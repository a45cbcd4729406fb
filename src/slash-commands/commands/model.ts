// The model of the session. Any name is accepted, as on every door; the next turn reports an unknown one.
import { DEFAULT_THINKING, isThinkingLevel, thinkingLevels } from "../../contract/rules/thinking.ts"
import { lengthError, usageError } from "../arguments.ts"
import type { SlashCall, SlashGroup, SlashStep } from "../command.ts"
import { done, failed, list, query, send } from "../steps.ts"

export const modelCommands: SlashGroup = {
  title: "Model",
  commands: [
    { name: "model", usage: "[name]", help: "show the model, or select another", maxArgs: 1, run: selectModel },
    {
      name: "thinking",
      usage: "[level|default]",
      help: "show how much the model thinks, or change it",
      maxArgs: 1,
      run: selectThinking,
    },
    { name: "models", usage: "[provider]", help: "list available models", maxArgs: 1, run: listModels },
    { name: "provider", usage: "[name]", help: "list providers, or the models of one", maxArgs: 1, run: listProviders },
  ],
}

function selectModel(call: SlashCall): SlashStep {
  const [model] = call.args
  if (model === undefined) return done("model_shown", call.view.status.model)
  if (model === "") return usageError(call)
  return lengthError("The name", model) ?? send({ type: "select-model", model }, done("model_switched", model))
}

function selectThinking(call: SlashCall): SlashStep {
  const [level] = call.args
  if (level === undefined) return done("thinking_shown", call.view.status.thinking ?? DEFAULT_THINKING)
  if (level === DEFAULT_THINKING) return send({ type: "select-thinking" }, done("thinking_switched", level))
  if (isThinkingLevel(level)) return send({ type: "select-thinking", level }, done("thinking_switched", level))
  return failed(`'${level}' is not a level. Use one of: ${[DEFAULT_THINKING, ...thinkingLevels].join(", ")}.`)
}

function listModels({ args: [providerName], view }: SlashCall): SlashStep {
  return queryModels((models) => {
    const matching = models.filter(({ provider }) => providerName === undefined || provider === providerName)
    if (matching.length === 0 && providerName !== undefined) return failed(`Provider '${providerName}' has no models`)
    const lines = matching.map(({ name }) => `${name === view.status.model ? "* " : "  "}${name}`)
    return list("models_listed", lines, "No models")
  })
}

function listProviders(call: SlashCall): SlashStep {
  if (call.args.length > 0) return listModels(call)
  return queryModels((models) => {
    const byProvider = Map.groupBy(models, ({ provider }) => provider)
    const lines = [...byProvider].map(([name, { length }]) => `${name}  ${length} ${length === 1 ? "model" : "models"}`)
    return done("providers_listed", [...lines, "/model provider/name selects a model"].join("\n"))
  })
}

interface ListedModel {
  readonly provider: string
  /** With the provider before it. */
  readonly name: string
}

function queryModels(next: (models: readonly ListedModel[]) => SlashStep): SlashStep {
  return query({ type: "models" }, (models) =>
    next(models.map(({ provider, id }) => ({ provider, name: `${provider}/${id}` }))),
  )
}
