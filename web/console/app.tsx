// What the page shows: the sign-in page, or the sessions.
import { ConsoleContext, type Console } from "./state/console.ts"
import { SignInPage } from "./sign-in/sign-in-page.tsx"
import { Shell } from "./layout/shell.tsx"
import { Waiting } from "./layout/waiting.tsx"

export function App({ console }: { readonly console: Console }) {
  const state = console.connection.state.value
  if (state.kind === "signed-out") return <SignInPage problem={state.problem} />
  if (state.kind !== "connected") return <Waiting state={state} />
  return (
    <ConsoleContext.Provider value={console}>
      <Shell access={state} />
    </ConsoleContext.Provider>
  )
}
