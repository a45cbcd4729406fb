// `turnhouse/widget`: the chat as a custom element, for pages that are built with a bundler. Runs in browsers only.
export type { Position, Storage, Theme, WidgetEvents, WidgetOptions, WidgetTexts } from "./api.ts"
export { defineTurnhouseChat, TurnhouseChat } from "./element.tsx"
