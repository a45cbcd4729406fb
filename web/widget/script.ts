// The script tag: `<script src="https://HOST/widget.js" data-agent="shop" async></script>`. It makes the element known, and
// adds one to the page if it has an agent.
import { defineTurnhouseChat, setDefaultServer } from "./element.tsx"
import { attributeNames } from "./options/attributes.ts"
import { folderOf } from "./options/server-url.ts"

const script = document.currentScript // only while the script runs
if (script instanceof HTMLScriptElement) {
  setDefaultServer(folderOf(script.src))
  defineTurnhouseChat()
  if (script.dataset["agent"] !== undefined) addElement(script)
} else defineTurnhouseChat()

function addElement(tag: HTMLScriptElement): void {
  const element = document.createElement("turnhouse-chat")
  for (const name of attributeNames) {
    const value = tag.getAttribute(`data-${name}`)
    if (value !== null) element.setAttribute(name, value)
  }
  if (document.body === null) document.addEventListener("DOMContentLoaded", () => document.body.append(element))
  else document.body.append(element)
}
