// Creates the session of a child once, also for concurrent requests. A child inherits its parent's settings unless
// overridden; a refusal becomes the child's result.
import { stat } from "node:fs/promises"
import { resolve } from "node:path"
import type { SessionId } from "../../contract/ids.ts"
import { limits } from "../../contract/limits.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { Opened } from "../../runner/open-session.ts"
import type { SessionContext } from "../../runner/session-context.ts"
import type { NewSession, OpenSessions } from "../open-sessions.ts"
import { narrowed } from "../../contract/rules/core-tools.ts"
import { commonSets } from "../../contract/rules/document-sets.ts"
import type { ChildState } from "../../features/agent-tree/state.ts"

export class ChildCreation {
  readonly #host: OpenSessions
  readonly #pending = new Map<SessionId, Promise<Opened>>()
  /** Of the children that are kept in this host. */
  readonly #slots = new Set<SessionId>()

  constructor(host: OpenSessions) {
    this.#host = host
  }

  openOrCreate(parent: SessionContext, child: ChildState): Promise<Opened> {
    const pending = this.#pending.get(child.id)
    if (pending !== undefined) return pending
    const creation = this.#openOrCreate(parent, child).finally(() => this.#pending.delete(child.id))
    this.#pending.set(child.id, creation)
    return creation
  }

  /** Resolves when the child is not being created. */
  async settled(childId: SessionId): Promise<void> {
    await this.#pending.get(childId)?.catch(() => {}) // the creating call gets the fault
  }

  /** The child is over: another one may take its place. */
  leave(childId: SessionId): void {
    this.#slots.delete(childId)
  }

  async #openOrCreate(parent: SessionContext, child: ChildState): Promise<Opened> {
    const opened = await this.#host.open(child.id)
    if (opened.kind === "opened") this.#slots.add(child.id)
    if (opened.kind === "opened" || opened.refusal.code !== "session.unknown") return opened
    const session = newChild(parent, child)
    if (session === undefined) return opened
    const problem = (await folderProblem(session.cwd)) ?? this.#reserveSlot(child.id)
    return problem === undefined ? this.#host.create(session) : { kind: "refused", refusal: problem }
  }

  /** Children that worked before a restart are not limited. */
  #reserveSlot(childId: SessionId): Refusal | undefined {
    if (this.#slots.size >= limits.agents) return { code: "agents.too-many", limit: limits.agents }
    this.#slots.add(childId)
    return undefined
  }
}

function newChild(parent: SessionContext, child: ChildState): NewSession | undefined {
  const { created, model, thinking, turnThinking, toolMode, budget, turn } = parent.state
  if (created === undefined) return undefined
  const { org, owner, preset, agentId, configuration } = created
  const documents = commonSets(created.documents, child.documents)
  const inherited = child.hasWorktree === true ? (created.settingsFolder ?? created.cwd) : created.settingsFolder
  const settingsFolder = child.hasWorktree === true || child.cwd === undefined ? inherited : undefined
  return {
    sessionId: child.id,
    origin: created.origin, // adopted by the same kind of host
    parent: {
      sessionId: parent.id,
      rootId: created.parent?.rootId ?? parent.id,
      depth: (created.parent?.depth ?? 0) + 1,
      reason: child.reason,
    },
    ...(created.place === undefined ? {} : { place: created.place }), // it runs in the host of its parent
    org,
    owner,
    preset: child.preset ?? preset,
    cwd: resolve(created.cwd, child.cwd ?? "."),
    model: child.model ?? turn?.model ?? model,
    thinking: child.thinking ?? (turn === undefined ? thinking : turnThinking),
    toolMode: narrowed(turn?.toolMode ?? toolMode, child.tools),
    limits: created.limits,
    budget,
    system: child.system ?? created.system,
    agentId,
    configuration,
    ...(settingsFolder === undefined ? {} : { settingsFolder }),
    ...(documents === undefined ? {} : { documents }),
  }
}

async function folderProblem(path: string): Promise<Refusal | undefined> {
  try {
    if ((await stat(path)).isDirectory()) return undefined
  } catch (fault) {
    if (!(fault instanceof Error && "code" in fault)) throw fault // not a file system error
  }
  return { code: "folder.missing", path }
}
