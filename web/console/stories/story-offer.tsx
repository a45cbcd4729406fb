// Offers the guided stories on the start page. The first runs in a session of this server. The others start and stop whole
// servers of their own, which is done from a terminal.
import { useState } from "preact/hooks"
import { storyOrigin, storyRequest } from "../../../src/contract/rules/stories.ts"
import type { PanelContext } from "../panels/panel.ts"
import { startSession } from "../start/start-session.ts"

const others = [
  {
    command: "turnhouse demo team",
    text: "four agents in one repository: plan mode, locks, a budget, a guard, a stop",
  },
  {
    command: "turnhouse demo shop",
    text: "a web chat: citations, access rights, a one-time code, a refund, a lost connection",
  },
] as const

export function StoryOffer({ context }: { readonly context: PanelContext }) {
  const [isStarting, setStarting] = useState(false)
  const [problem, setProblem] = useState<string>()
  const start = async () => {
    setStarting(true)
    setProblem(await startSession(context, { cwd: "/", origin: storyOrigin, story: "push" }, storyRequest))
    setStarting(false)
  }
  return (
    <section class="stories" aria-labelledby="stories">
      <h2 id="stories">New here? Follow a story</h2>
      <p>
        An agent fixes a bug. You kill the server while it waits for you, start it again, and approve the push from a
        second window. It happens once.
      </p>
      <p class="story-actions">
        <button type="button" class="send" disabled={isStarting} onClick={() => void start()}>
          Start the story
        </button>{" "}
        <span class="muted">Two minutes, in a temporary folder. Only the model is scripted; no key is needed.</span>
      </p>
      {problem !== undefined && <p role="alert">{problem}</p>}
      <p class="muted">
        Two more start and stop servers of their own, so they run in a terminal (in a checkout:{" "}
        <code>bin/turnhouse</code>). Each prints an address at which you can watch it and answer.
      </p>
      <dl>
        {others.map(({ command, text }) => (
          <div key={command}>
            <dt>
              <code>{command}</code>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <p>
        <a href="docs/" target="_blank" rel="noopener">
          Documentation
        </a>
      </p>
    </section>
  )
}
