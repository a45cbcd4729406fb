// The keys of the console.
import { useEffect, useRef } from "preact/hooks"
import { furtherKeys, type KeyBinding } from "./keys.ts"

export function Help({ bindings, close }: { readonly bindings: readonly KeyBinding[]; readonly close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={close}>
      <h2 id="help-title">Keys</h2>
      <dl>
        {[...bindings.map(({ keys, help }) => ({ keys: keys.join(", "), help })), ...furtherKeys].map(
          ({ keys, help }) => (
            <div key={keys}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{help}</dd>
            </div>
          ),
        )}
      </dl>
      <p>
        <a href="docs/" target="_blank" rel="noopener">
          Documentation
        </a>
      </p>
      <form method="dialog">
        <button autoFocus>Close</button>
      </form>
    </dialog>
  )
}
