// `turnhouse/extension`: the SDK for extensions written in TypeScript. Works with every host of the protocol.
export { allow, block, confirm, inject, modify, replace, type ActionOf } from "./hooks.ts"
export type { ExtensionCommand, ExtensionDefinition, ExtensionTool, HookHandler, Hooks } from "./definition.ts"
export type { ExtensionContext } from "./host-services.ts"
export type { EventOf } from "./hooks.ts"
export type { ExtensionModel, ExtensionProvider, ModelAnswer, StreamPiece } from "./models.ts"
export { HostRefusal } from "./host-calls.ts"
export type { Memory, MemoryWish, Settings } from "./host-services.ts"
export { defineExtension, type DefinedExtension } from "./define-extension.ts"
export type { JsonValue } from "../../contract/values.ts"
export type {
  HookAction,
  HookEvent,
  HookKind,
  MemoryRecord,
  ProviderBlock,
  ProviderRequest,
  ProviderStreamEvent,
} from "../../protocols/extension/frames.ts"
export { isJsonObject as isObject } from "../../contract/json-object.ts"
