import { expect, it } from "vitest"
import { extensionModelName, readExtensionModel } from "./extension-model.ts"

it.for([
  ["my-plugin:local:small", { extension: "my-plugin", provider: "local", model: "small" }],
  ["My Plugin.2:p_1:a/b.c-1", { extension: "My Plugin.2", provider: "p_1", model: "a/b.c-1" }],
] as const)("the name of an extension's model has three parts: %s", ([name, parts]) => {
  expect(readExtensionModel(name)).toEqual(parts)
  expect(extensionModelName(parts)).toBe(name)
})

it.for([
  "claude-opus-5",
  "ollama/qwen3:8b",
  "ollama/a:b:c",
  "amazon-bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0",
  "arn:aws:bedrock:us-east-1:1:inference-profile/x",
  "ft:gpt-4o-mini:acme::id",
  "localhost:5000/llama:8b",
  "a:B:c",
  "a::c",
  ":b:c",
  "a:b:",
  "a:b:c:d",
  "",
])("no other name is one: '%s'", (name) => {
  expect(readExtensionModel(name)).toBeUndefined()
})
