// Guides a reader through the story of the open session: what happens, what is real, and what to do next. The steps follow
// what is stored, so that they are the same in every window, and after the server was killed.
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { principalName } from "../../../src/contract/rules/approval-answers.ts"
import { storyOrigin, storyPush } from "../../../src/contract/rules/stories.ts"
import { moment } from "../../../src/display/format.ts"
import { safe } from "../../../src/display/safe-text.ts"
import type { SessionViewProps } from "../session/props.ts"
import { useQuery } from "../state/use-query.ts"
import { storyPlace, type StoryPlace, type StoryResult } from "./story-place.ts"

const titles = [
  "An agent fixes a bug, and stops before it pushes",
  "You kill the server while it waits for you",
  "You decide, in another window",
  "The push happens once",
] as const

const stepOf = { working: 1, kill: 2, decide: 3, running: 4, denied: 4, done: 4 } as const

export function StoryGuide({ store, context }: SessionViewProps) {
  const model = store.model.value
  const [isHidden, setHidden] = useState(false)
  const host = useQuery(context.port, { type: "host" }, store.link.value.kind)
  if (model === undefined || model.status.origin !== storyOrigin) return null
  const [request] = model.requests.approvals
  const place = storyPlace({
    items: model.transcript.items,
    askedAt: request?.at,
    serverStartedAt: host?.startedAt,
  })
  const step = stepOf[place.kind]
  return (
    <aside class="story" aria-labelledby="story-title">
      <header>
        <h2 id="story-title">
          <span class="muted">Story, {step} of 4 · </span>
          {titles[step - 1]}
        </h2>
        <button type="button" aria-expanded={!isHidden} onClick={() => setHidden(!isHidden)}>
          {isHidden ? "show" : "hide"}
        </button>
      </header>
      <div role="status" hidden={isHidden}>
        <Step
          place={place}
          pid={host?.pid}
          isLost={store.link.value.kind === "lost"}
          folder={model.status.cwd}
          approvalId={request?.approvalId}
        />
      </div>
    </aside>
  )
}

interface StepProps {
  readonly place: StoryPlace
  readonly pid: number | undefined
  readonly isLost: boolean
  readonly folder: string
  readonly approvalId: string | undefined
}

function Step({ place, pid, isLost, folder, approvalId }: StepProps) {
  switch (place.kind) {
    case "working":
      return (
        <Told
          real="the files, the shell, the test, the commit, and the rule that a push needs you."
          scripted="what the model says, and which tool it calls next."
        />
      )
    case "kill":
      return isLost ? <Gone /> : <Kill pid={pid} />
    case "decide":
      return <Decide approvalId={approvalId} />
    case "running":
      return <p>Approved. The push runs.</p>
    case "denied":
      return <p>The push was not approved, so it did not run. The remote is unchanged, and the story ends here.</p>
    case "done":
      return <Done place={place} folder={folder} />
  }
}

function Told({ real, scripted }: { readonly real: ComponentChildren; readonly scripted: string }) {
  return (
    <p class="muted">
      <b>Real:</b> {real} <b>Scripted:</b> {scripted}
    </p>
  )
}

function Kill({ pid }: Pick<StepProps, "pid">) {
  return (
    <>
      <p>
        The agent wants to run <code>{storyPush}</code>, and waits for you below. Do not answer yet: kill the server
        first, with this command in another terminal{pid === undefined ? "." : ":"}
      </p>
      {pid !== undefined && (
        <pre tabIndex={0}>
          <code>kill -9 {pid}</code>
        </pre>
      )}
      <p>Keep this page open. (Ctrl-C in the terminal of the server is the polite way, and works as well.)</p>
    </>
  )
}

function Gone() {
  return (
    <p>
      The server is dead: nothing runs, and this page cannot reach anything. Start it again in its terminal, as before (
      <code>npm start</code> or <code>turnhouse serve</code>), and leave this page open.
    </p>
  )
}

function Decide({ approvalId = "ID" }: Pick<StepProps, "approvalId">) {
  return (
    <>
      <p>
        This is another process, and the same request: it was on disk before you saw it, and no command ran again. Now
        approve it somewhere else.
      </p>
      <p class="story-actions">
        <button type="button" class="send" onClick={openSecondWindow}>
          Open a second window
        </button>{" "}
        <span class="muted">
          or run <code>turnhouse approve {approvalId}</code> in a terminal. This window shows who answered, and from
          where.
        </span>
      </p>
    </>
  )
}

/** The size of a phone. The new window is signed in as this one is. */
function openSecondWindow(): void {
  window.open(`${location.pathname}#/`, "_blank", "width=390,height=760")
}

function Done({ place, folder }: Pick<StepProps, "folder"> & { readonly place: StoryResult }) {
  const { push, starts, commits, isAcrossStart } = place
  const { by, decidedAt } = push.approval ?? {}
  return (
    <>
      <ul class="story-claims">
        {isAcrossStart && <li>The request is older than the server process that got the answer.</li>}
        {by !== undefined && (
          <li>
            Approved once, by {safe(principalName(by.principal))} on {safe(by.door)}
            {decidedAt !== undefined && ` at ${moment(decidedAt).slice(11)}`}. A second answer would be refused.
          </li>
        )}
        {starts === 1 && <li>The push was started once.</li>}
        {commits === 2 && <li>The log of the remote has two commits: the beginning, and the fix.</li>}
      </ul>
      <p>
        Why: a request, an answer and the start of a call are stored before anything happens. What a crash interrupts is
        continued or asked about, and not repeated. More about{" "}
        <a href="docs/guarantees/a-side-effect-happens-at-most-once.html" target="_blank" rel="noopener">
          this guarantee and its tests
        </a>
        . Timeline and Audit above show every event of it; <code>turnhouse demo team</code> is the next story.
      </p>
      <p class="muted">
        The project is in <code>{safe(folder)}</code>. You may delete it.
      </p>
    </>
  )
}
