// Whether a named value is worth hiding. A value counts when its name says so, or when it is long and varied enough to
// be a key; paths, plain addresses and variables that everybody knows do not. Too strict a rule would let secrets
// through, too loose a one would turn ordinary text into placeholders.
import { shortestSecret } from "./secret.ts"

const unnamedLength = 12
const bitsPerCharacter = 3

const secretName =
  /KEY(?!BOARD|MAP|RING|CLOAK)|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|AUTHORIZATION|COOKIE|(^|[_.-])(PASS|PWD|PAT)($|[_.-])/i

const harmlessNames = new Set(
  `_ CLICOLOR COLORFGBG COLORTERM COLUMNS DEBIAN_FRONTEND DESKTOP_SESSION DISPLAY EDITOR GPG_TTY HISTCONTROL HISTFILE HOME
   HOST HOSTNAME HOSTTYPE INIT_CWD INVOCATION_ID JOURNAL_STREAM LANG LANGUAGE LESS LESSCLOSE LESSOPEN LINES LOGNAME
   LS_COLORS MACHTYPE MAIL MANPATH OLDPWD OSTYPE PAGER PATH PROMPT PROMPT_COMMAND PS1 PS2 PS4 PWD SHELL SHLVL
   SSH_AUTH_SOCK SSH_CLIENT SSH_CONNECTION SSH_TTY TERM TMPDIR TMUX TMUX_PANE TURNHOUSE_HOME TURNHOUSE_MARK TZ USER USERNAME VISUAL VTE_VERSION
   WAYLAND_DISPLAY WINDOWID XAUTHORITY
   accept accept-language anthropic-beta anthropic-version content-type http-referer referer user-agent x-title`.split(
    /\s+/,
  ),
)
const harmlessFamily = /^(npm_|TERM_|LC_|LESS_|XDG_|DBUS_|BASH_FUNC_|GIT_(AUTHOR|COMMITTER)_|NODE_|NVM_|PYTHON|VITEST)/

/** What people write where a key is demanded and none is needed. Everybody knows these, and ordinary text has them. */
const stopgaps = new Set(
  "changeme password password1 postgres postgresql rabbitmq redacted lm-studio not-needed no-key-required undefined".split(
    " ",
  ),
)

export function countsAsSecret(name: string, value: string): boolean {
  if (value.length < shortestSecret || stopgaps.has(value.toLowerCase())) return false
  if (harmlessNames.has(name) || harmlessNames.has(name.toLowerCase())) return false
  if (isPath(value) || isPlainAddress(value)) return false
  if (saysSecret(name)) return true
  if (harmlessFamily.test(name)) return false
  return value.length >= unnamedLength && isVaried(value)
}

export function saysSecret(name: string): boolean {
  return secretName.test(name)
}

/** At least three bits of Shannon entropy per character. */
export function isVaried(value: string): boolean {
  const counts = new Map<string, number>()
  for (const character of value.split("")) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits >= bitsPerCharacter
}

/** One path or a list of them. A key may begin with a slash too: a part of it then looks like no name. */
function isPath(value: string): boolean {
  return value.split(":").every((part) => /^(~|\.{1,2})?\//.test(part) && !part.split("/").some(looksRandom))
}

/** An address with nothing in it that opens a door: no user, no telling parameter, no token in its path. */
function isPlainAddress(value: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value) || !URL.canParse(value)) return false
  const { username, password, pathname, searchParams } = new URL(value)
  if (username !== "" || password !== "" || pathname.split("/").some(looksRandom)) return false
  return ![...searchParams].some(([key, text]) => saysSecret(key) || looksRandom(text))
}

function looksRandom(part: string): boolean {
  return part.length >= 16 && /[a-z]/.test(part) && /[A-Z]/.test(part) && /[0-9]/.test(part)
}
