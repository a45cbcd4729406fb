// For tests of service sessions (WebSocket API): a host with a scripted model that records its requests, and a session
// with a visit.
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider"
import type { SessionEvent } from "../contract/events.ts"
import type { SessionHost, HostServices } from "../host/session-host.ts"
import type { NewSession } from "../host/open-sessions.ts"
import type { EventLog } from "../log/event-log.ts"
import { openMemoryLog } from "../log/sqlite/sqlite-log.ts"
import type { ModelSource } from "../models/model-source.ts"
import type { Part } from "../models/offline/index.ts"
import { playingModel } from "../models/offline/playing-model.ts"
import type { SessionActor } from "../runner/session-actor.ts"
import { serviceTools } from "../features/chat-service/tools.ts"
import type { Tool } from "../tools/tool.ts"
import { history, newSession, testHost, you } from "./test-host.ts"

export interface ServiceWorld {
  readonly host: SessionHost
  readonly log: EventLog
  readonly session: SessionActor
  /** Requests to the model, newest last. */
  readonly requests: LanguageModelV4CallOptions[]
  readonly crash: () => Promise<void>
  readonly events: () => Promise<readonly SessionEvent[]>
}

export interface ServiceWorldOptions {
  readonly tools?: readonly Tool[]
  readonly change?: Partial<HostServices>
  readonly session?: Partial<NewSession>
  readonly supports?: string[]
}

export async function serviceWorld(
  answers: readonly (readonly Part[])[],
  options: ServiceWorldOptions = {},
): Promise<ServiceWorld> {
  const { tools = [], change, supports } = options
  const { models, requests } = inOrder(answers)
  const log = openMemoryLog()
  const world = await testHost(models, [...tools, ...serviceTools()], change, log)
  const { host } = world
  const limits = { stepsPerTurn: 20, depth: 0, children: 0 }
  const session = await newSession(host, { preset: "service", org: "public", limits, ...options.session })
  await visit(session, supports)
  return { host, log, session, requests, crash: () => world.crash(), events: () => history(log, session.id) }
}

/**
 * A model that gives one answer after another and records its requests. A scripted model would count the answers in the
 * prompt, but a service session includes only the last answer of each earlier turn.
 */
export function inOrder(answers: readonly (readonly Part[])[]): {
  readonly models: ModelSource
  readonly requests: LanguageModelV4CallOptions[]
} {
  const requests: LanguageModelV4CallOptions[] = []
  const model = playingModel("in-order", async (options) => {
    requests.push(options)
    return { delayMs: 0, parts: answers[requests.length - 1] ?? [{ text: "There is no more to say." }] }
  })
  const facts = { contextWindow: 32_000, maxOutput: 100_000, takesPrefill: true, costUsd: () => 0 }
  return { requests, models: { resolve: async (name) => ({ name, model, ...facts }) } }
}

let visits = 10

export async function visit(session: SessionActor, supports?: string[]): Promise<void> {
  visits += 1
  const visitId = `6f1c0f4e-0000-4000-8000-0000000000${visits}`
  const participants = { user: visitId, agent: visitId }
  const command = { type: "open-visit", visitId, agentId: "shop", contact: {}, supports, participants } as const
  const sent = await session.send(command, you)
  if (sent.kind === "refused") throw new Error(sent.refusal.code)
}

export function systemOf(request: LanguageModelV4CallOptions | undefined): string {
  const first = request?.prompt[0]
  return first?.role === "system" ? first.content : ""
}
