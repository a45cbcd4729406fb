// The model of the session. A name that no provider knows is taken, as on every door; the next turn says what is wrong.
import type { JsonValue } from "../../contract/values.ts"
import { objectsOf, textOf } from "../query-answers.ts"
import { tooLong, wrongUsage } from "../arguments.ts"
import { done, failed, send, type SlashCall, type SlashGroup, type SlashStep } from "../command.ts"

export const modelCommands: SlashGroup = {
  title: "Model",
  commands: [
    { name: "model", usage: "[name]", help: "says which model it is, or takes another", run: model },
    { name: "models", usage: "[provider]", help: "lists the models that can be used", run: models },
    { name: "provider", usage: "[name]", help: "lists the providers, or the models of one", run: provider },
  ],
}

function model(call: SlashCall): SlashStep {
  const [name, ...more] = call.args
  if (name === undefined) return done("model_shown", call.view.model)
  if (name === "" || more.length > 0) return wrongUsage(call)
  return tooLong("The name", name) ?? send([{ type: "select-model", model: name }], done("model_switched", name))
}

function models(call: SlashCall): SlashStep {
  const [wanted, ...more] = call.args
  if (more.length > 0) return wrongUsage(call)
  return ask((listed) => {
    const fitting = listed.filter(({ of }) => wanted === undefined || of === wanted)
    if (fitting.length === 0 && wanted !== undefined) return failed(`No models of a provider '${wanted}'`)
    const { model: current } = call.view
    const lines = fitting.map(({ name }) => `${name === current ? "* " : "  "}${name}`)
    return done("models_listed", lines.length === 0 ? "No models" : lines.join("\n"))
  })
}

function provider(call: SlashCall): SlashStep {
  if (call.args.length > 0) return models(call)
  return ask((listed) => {
    const counts = Map.groupBy(listed, ({ of }) => of)
    const lines = [...counts].map(([name, its]) => `${name}  ${its.length} ${its.length === 1 ? "model" : "models"}`)
    return done("providers_listed", [...lines, "/model provider/name takes a model"].join("\n"))
  })
}

interface ListedModel {
  readonly of: string
  readonly name: string
}

function ask(then: (models: readonly ListedModel[]) => SlashStep): SlashStep {
  return { kind: "ask", query: { type: "models" }, next: (value) => then(listedModels(value)) }
}

function listedModels(value: JsonValue): readonly ListedModel[] {
  return objectsOf(value).flatMap((line) => {
    const [of, id] = [textOf(line, "provider"), textOf(line, "id")]
    return of === undefined || id === undefined ? [] : [{ of, name: `${of}/${id}` }]
  })
}
