// `turnhouse login`: stores a key or logs in with a browser, for all sessions of the home.
import { exitCodes, usageFault } from "../../../app/app-fault.ts"
import type { AppContext } from "../../../app/context.ts"
import {
  checkedKeyText,
  loginByFlow,
  loginFlow,
  loginProviders,
  noticeOtherKey,
  providerNamed,
  storedLogins,
  storeCheckedKey,
} from "../../../app/settings/logins.ts"
import { printNotice } from "../../../app/terminal.ts"
import type { Args } from "../../command.ts"
import { canAsk } from "../../confirm.ts"
import { contextWithWarnings } from "../../context-options.ts"
import { readAnswer, readKey } from "../../hidden-input.ts"
import { interruptible } from "../../interruptible.ts"
import { printResult, table } from "../../output.ts"
import { showLogin } from "../../show-login.ts"

const MAX_STDIN_BYTES = 64 * 1024

export async function run(args: Args): Promise<number> {
  const context = await contextWithWarnings(args)
  if (args.flag("list")) return list(args, context)
  if (args.flag("json")) throw usageFault("--json needs --list")
  const name = args.positionals[0] ?? (await askProvider(context))
  await login(name, context, args)
  noticeOtherKey(name, context)
  printNotice(`Stored for all sessions of ${context.home}. 'turnhouse models' lists what can be used now.`)
  return exitCodes.done
}

async function login(name: string, context: AppContext, args: Pick<Args, "flag">): Promise<void> {
  const provider = providerNamed(name, context)
  const flow = args.flag("key") || args.flag("key-stdin") ? undefined : loginFlow(name, context)
  if (flow !== undefined) return loginInBrowser(name, flow, context)
  const key = checkedKeyText(args.flag("key-stdin") ? await readKeyFromStdin() : await askKey(name))
  const check = await storeCheckedKey(provider, key, context, !args.flag("no-check"))
  if (check.verdict === "accepted") printNotice(`${name} accepts the key.`)
  else if (check.verdict === "unknown" && !args.flag("no-check"))
    printNotice(`The key could not be checked: ${check.reason}.`)
}

/** Also a step of `setup`. */
export function loginInBrowser(
  name: string,
  flow: NonNullable<ReturnType<typeof loginFlow>>,
  context: AppContext,
): Promise<void> {
  const show = showLogin(name)
  return interruptible((signal) => loginByFlow(name, flow, { fetch: globalThis.fetch, signal, show }, context))
}

async function askProvider(context: AppContext): Promise<string> {
  if (!canAsk()) throw usageFault("name a provider: turnhouse login PROVIDER")
  const names = loginProviders(context).map(({ name }) => name)
  printNotice(`Providers: ${names.join(", ")}`)
  const answer = (await readAnswer("Provider: "))?.trim()
  if (answer === undefined || answer === "") throw usageFault("no provider was named. Nothing was stored.")
  return answer
}

async function askKey(name: string): Promise<string> {
  if (!canAsk())
    throw usageFault("there is no terminal to paste the key into. Send it on standard input with --key-stdin.")
  const key = await readKey(name)
  if (key === undefined) throw usageFault("no key was given. Nothing was stored.")
  return key
}

/** Also for `setup`. */
export async function readKeyFromStdin(): Promise<string> {
  let text = ""
  for await (const chunk of process.stdin.setEncoding("utf8")) {
    text += String(chunk)
    if (text.length > MAX_STDIN_BYTES)
      throw usageFault(`standard input has more than ${MAX_STDIN_BYTES} characters. Nothing was stored.`)
  }
  return text
}

function list(args: Args, { home }: AppContext): number {
  const logins = storedLogins(home)
  return printResult(args, { logins }, () => {
    if (logins.length === 0) return "Nothing is stored.\n"
    return table(logins, {
      PROVIDER: ({ provider }) => provider,
      KIND: ({ kind }) => (kind === "key" ? "key" : "login"),
      STORED: ({ savedAt }) => savedAt.slice(0, 16).replace("T", " "),
      EXPIRES: ({ expiresAt }) => expiresAt?.slice(0, 16).replace("T", " ") ?? "",
    })
  })
}
