// `turnhouse run`: one turn in a session of its own or in one that exists, watched until it ends.
import type { Recorded } from "../../contract/events.ts"
import { limits } from "../../contract/limits.ts"
import { findSession } from "../../host/directory.ts"
import { newId } from "../../host/new-ids.ts"
import type { SessionRow } from "../../log/event-log.ts"
import { readStatus } from "../../projection/status.ts"
import type { SessionActor } from "../../runner/session-actor.ts"
import { refusalFault, usageFault } from "../cli-fault.ts"
import type { Args } from "../command.ts"
import { localUser, startHouse, surroundings, type RunningHouse, type Surroundings } from "../compose.ts"
import { configuredSession } from "../new-session.ts"
import { openControlSocket } from "../control-socket.ts"
import { exitCodes } from "../exit-codes.ts"
import { readPrompt } from "../read-prompt.ts"
import { followTurn, type TurnEnd } from "../run/follow-turn.ts"
import { say, styled } from "../terminal.ts"

export async function run(args: Args): Promise<number> {
  if (args.text("model") === "") throw usageFault("--model needs the name of a model, such as provider/model")
  const resumes = args.text("session") !== undefined || args.flag("continue")
  const prompt = checked(await readPrompt(args.positionals))
  if (prompt === "" && !resumes) throw usageFault("give a prompt, as an argument or on standard input")
  const around = await surroundings({ configFile: args.text("config"), profile: args.text("profile") })
  for (const warning of around.warnings) say(`turnhouse: ${warning}`)
  const running = await startHouse(around, { role: "run", approvalWaitMs: approvalWait(args, around) })
  const control = await openControlSocket(around.home, running.house, "run")
  try {
    const taken = resumes ? await resume(args, around, running) : await begin(args, around, running)
    return await turn(args, taken, prompt, around)
  } finally {
    await control.close()
    await running.close()
  }
}

/** Before anything is begun for its sake. */
function checked(prompt: string): string {
  const bytes = Buffer.byteLength(prompt)
  const limit = limits.promptBytes
  if (bytes > limit) throw refusalFault({ code: "prompt.too-large", bytes, limit })
  return prompt.trim() === "" ? "" : prompt
}

/** Whoever sits at a terminal is waited for; a script is not, unless it says how long. */
function approvalWait(args: Args, { config }: Surroundings): number | undefined {
  const seconds = args.seconds("wait") ?? config.approvals?.wait
  if (seconds !== undefined) return seconds * 1000
  return args.flag("yes") || canAsk(args) ? undefined : 0
}

function canAsk(args: Args): boolean {
  return !args.flag("json") && process.stdin.isTTY && process.stderr.isTTY
}

interface Taken {
  readonly session: SessionActor
  /** What was stored while it was opened. */
  readonly missed: readonly Recorded[]
}

async function begin(args: Args, { cwd, config }: Surroundings, { house, models }: RunningHouse): Promise<Taken> {
  const opened = await house.create({
    ...configuredSession(config),
    origin: "run",
    preset: args.flag("yes") ? "trusting" : "careful",
    cwd,
    model: args.text("model") ?? (await models.defaultModel()),
  })
  if (opened.kind === "refused") throw refusalFault(opened.refusal)
  return withMissed(house, opened.session, 0)
}

async function withMissed({ log }: RunningHouse["house"], session: SessionActor, before: number): Promise<Taken> {
  const missed = await log.read(session.id, before, session.state.seq)
  if (missed.kind === "refused") throw refusalFault(missed.refusal)
  return { session, missed: missed.value }
}

/** Opened at rest, so that nothing is said before somebody listens. */
async function resume(args: Args, { cwd }: Surroundings, { house }: RunningHouse): Promise<Taken> {
  const { sessionId, seq } = await wantedSession(args, cwd, house)
  const opened = await house.open(sessionId, "at rest")
  if (opened.kind === "refused") throw refusalFault(opened.refusal)
  const { session } = opened
  const model = args.text("model")
  if (model !== undefined) await session.send({ type: "select-model", model }, you())
  return withMissed(house, session, seq)
}

async function wantedSession(args: Args, cwd: string, house: RunningHouse["house"]): Promise<SessionRow> {
  const wanted = args.text("session")
  if (wanted !== undefined) {
    const found = await findSession(house.log, wanted)
    if (found.kind === "refused") throw refusalFault(found.refusal)
    return found.value
  }
  const listed = await house.log.list()
  if (listed.kind === "refused") throw refusalFault(listed.refusal)
  const newest = listed.value.find((row) => readStatus(row.summary)?.cwd === cwd)
  if (newest === undefined) throw usageFault("there is no session in this folder to continue")
  return newest
}

async function turn(args: Args, { session, missed }: Taken, text: string, around: Surroundings): Promise<number> {
  if (text === "" && session.state.turn === undefined) {
    throw usageFault(`session ${session.id} has no open turn to resume; give a prompt`)
  }
  if (!args.flag("json")) say(styled("dim", `session ${session.id}  ${session.state.model}`))
  const promptId = text === "" ? undefined : (`prm_${newId()}` as const)
  const ended = followTurn(session, { promptId, missed, ...manners(args, around) })
  ended.catch(() => {}) // it is heard below, unless something goes wrong before
  session.begin()
  await unpark(session, around)
  if (promptId !== undefined) {
    const sent = await session.send({ type: "prompt", promptId, text, ifBusy: "wait" }, you())
    if (sent.kind === "refused") throw refusalFault(sent.refusal)
  }
  return exitCodeOf(await ended)
}

function manners(args: Args, around: Surroundings) {
  const refuses = approvalWait(args, around) === 0
  return { json: args.flag("json"), approve: args.flag("yes"), asks: canAsk(args), refuses }
}

/** Whoever resumes a turn that waits for money wants it tried again, with what the configuration gives now. */
async function unpark(session: SessionActor, { config }: Surroundings): Promise<void> {
  const parked = session.state.turn?.parked
  if (parked === undefined) return
  const { budget } = configuredSession(config)
  if (parked.why === "budget") await session.send({ type: "raise-budget", budget }, you())
  else await session.send({ type: "resume" }, you())
}

function exitCodeOf({ reason, refusedCalls, signal }: TurnEnd): number {
  if (signal > 0) return 128 + signal
  if (reason === "interrupted") return exitCodes.interrupted
  if (reason === "parked") return exitCodes.refused
  if (reason !== "done") return exitCodes.failed
  return refusedCalls > 0 ? exitCodes.refused : exitCodes.done
}

function you() {
  return { principal: localUser(), door: "run" }
}
