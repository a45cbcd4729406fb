// What fills the context window of a session, for people: the parts of the next request and their sizes.
import type { LanguageModelV4Message } from "@ai-sdk/provider"
import { limits } from "../../contract/limits.ts"
import { settingsOf } from "../../contract/rules/session-settings.ts"
import type { ContextPart, ContextUsage } from "../../contract/views/context-usage.ts"
import type { ContextItem } from "../../contract/views/context.ts"
import { contextItems } from "../../projection/context.ts"
import { ok, refused, type Outcome } from "../../log/event-log.ts"
import { ModelUnavailable, type ModelChoice } from "../../models/model-source.ts"
import { sessionModel } from "../model/session-model.ts"
import type { SessionContext } from "../session-context.ts"
import { toolsOfTurn } from "../tools/tool-set.ts"
import { agedIn, windowOf } from "./context-size.ts"
import { instructionBlock, instructionsOfTurn } from "./instructions.ts"
import { promptMessages } from "./prompt-messages.ts"
import { systemParts } from "./system-text.ts"
import { estimatedTokens, textTokens } from "./token-estimate.ts"

/** Refused if the model cannot be used: its window is unknown then. */
export async function contextUsage(session: SessionContext, signal: AbortSignal): Promise<Outcome<ContextUsage>> {
  try {
    return ok(await usageWith(session, await sessionModel(session, signal)))
  } catch (fault) {
    if (fault instanceof ModelUnavailable) return refused({ code: "config.bad", what: fault.message })
    throw fault
  }
}

async function usageWith(session: SessionContext, choice: ModelChoice): Promise<ContextUsage> {
  const window = windowOf(session, choice)
  const tools = choice.takesTools === false ? [] : toolsOfTurn(session.state, session.tools)
  const { prompt, additions } = await systemParts(
    session,
    tools.map(({ name }) => name),
    undefined,
  )
  const aged = agedIn(session.context, window)
  const items = contextItems(session.context)
  const { reported } = session.context
  return {
    model: choice.name,
    window,
    ...(settingsOf(session.state.created).compacts ? { compactsAt: Math.floor(window * limits.compactAt) } : {}),
    parts: [
      { kind: "system", tokens: textTokens([prompt, ...additions].join("\n\n")) },
      ...(await instructionParts(session)),
      { kind: "tools", tokens: tools.reduce((sum, tool) => sum + textTokens(JSON.stringify(definition(tool))), 0) },
      { kind: "summary", tokens: sizeOf(items.filter(isSummary), () => true) },
      {
        kind: "messages",
        tokens: sizeOf(
          items.filter((item) => !isSummary(item)),
          ({ role }) => role !== "tool",
        ),
      },
      { kind: "results", tokens: sizeOf(items, ({ role }) => role === "tool", aged) },
    ],
    agedResults: aged.size,
    ...(reported?.model === choice.name ? { reported: reported.tokens } : {}),
  }
}

async function instructionParts(session: SessionContext): Promise<readonly ContextPart[]> {
  const files = settingsOf(session.state.created).hasVisitors ? [] : await instructionsOfTurn(session)
  return files.map((file) => ({ kind: "instructions", name: file.path, tokens: textTokens(instructionBlock(file)) }))
}

function definition({ name, description, inputSchema }: ReturnType<typeof toolsOfTurn>[number]) {
  return { name, description, inputSchema }
}

function isSummary({ kind }: ContextItem): boolean {
  return kind === "summary"
}

/** The messages that these items become, of those roles. */
function sizeOf(
  items: readonly ContextItem[],
  counts: (message: LanguageModelV4Message) => boolean,
  aged?: ReturnType<typeof agedIn>,
): number {
  const [, ...messages] = promptMessages(items, {
    system: "",
    takesPrefill: true,
    ...(aged === undefined ? {} : { aged }),
  })
  const prompt = messages.filter(counts)
  return prompt.length === 0 ? 0 : estimatedTokens({ prompt })
}
