// Who watches the session, and from where.
import type { By } from "../../../src/contract/values.ts"
import type { PanelContext } from "./panel.ts"

export function People({ access, session }: PanelContext) {
  const viewers = session.value?.viewers
  if (viewers === undefined) return <p class="empty">Opening the session …</p>
  const people = counted(viewers.who)
  const unnamed = viewers.watching - viewers.who.length
  return (
    <>
      <h3>{viewers.watching === 1 ? "1 viewing" : `${viewers.watching} viewing`}</h3>
      <ul class="rows">
        {people.map(({ principal, door, windows }) => (
          <li key={`${principal} ${door}`}>
            <span>
              {principal}
              {principal === access.caller.principal && " (you)"}
            </span>
            <span class="muted">
              {door}
              {windows > 1 && ` · ${windows} windows`}
            </span>
          </li>
        ))}
        {unnamed > 0 && <li class="muted">and {unnamed} more</li>}
      </ul>
      {people.some(({ door }) => door === "serve") && (
        <p class="muted">Another host runs this session: serve stands for all windows of this server.</p>
      )}
      <p class="muted">The session runs on the server. It goes on when everyone has left.</p>
    </>
  )
}

function counted(who: readonly By[]): readonly (By & { readonly windows: number })[] {
  const groups = Map.groupBy(who, ({ principal, door }) => `${principal} ${door}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first === undefined ? [] : [{ ...first, windows: group.length }]
  })
}
