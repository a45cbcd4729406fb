// Decides whether a named value is a secret, for redaction and for the environment of tools: by its name, or if it is long
// and varied enough to be a key. Paths, plain addresses and well-known variables are not. A rule that is too strict would
// leak secrets; one that is too loose would redact ordinary text and hide variables that programs need.
import { clusterSecretVariable } from "./cluster-keys.ts"
import { shortestSecret } from "./forms.ts"

const unnamedLength = 12
const bitsPerCharacter = 3

const secretName =
  /KEY(?!BOARD|MAP|RING|CLOAK)|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|AUTHORIZATION|COOKIE|(^|[_.-])(PASS|PWD|PAT|PSK|JWT|AUTH|DSN)($|[_.-])/i

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
/** Terminals and desktops, compilers and package managers, containers, CI. */
const harmlessFamily = new RegExp(
  "^(npm_|TERM_|LC_|LESS_|XDG_|DBUS_|BASH_FUNC_|GIT_(AUTHOR|COMMITTER)_|NODE_|NVM_|PYTHON|VITEST|WSL|GNOME_|GTK_|KDE_|QT_" +
    "|VSCODE_|JAVA_|MAVEN_|GRADLE_|ANDROID_|GO|CARGO_|RUST|CMAKE_|MAKE|PKG_CONFIG_|CONDA_|PIP_|UV_|POETRY_|GEM_|BUNDLE_|PERL" +
    "|DOTNET_|HOMEBREW_|KUBERNETES_|DOCKER_|COMPOSE_|SYSTEMD_|(C|CPP|CXX|LD)FLAGS$" +
    "|CI_|GITHUB_|GITLAB_|RUNNER_|BUILD_|BUILDKITE_|CIRCLE_|TRAVIS_|JENKINS_|BITBUCKET_|AGENT_|SYSTEM_)",
)
/** A variable that names the location of a secret. */
const pointerName = /_(FILE|PATH|DIR|SOCK|URL|URI|HOST|NAME|ID)$/i

/** Placeholders where a key is required and none is needed. They are well known and occur in ordinary text. */
const placeholderValues = new Set(
  "changeme password password1 postgres postgresql rabbitmq redacted lm-studio not-needed no-key-required undefined".split(
    " ",
  ),
)

export function countsAsSecret(name: string, value: string): boolean {
  if (name === clusterSecretVariable) return value.length >= shortestSecret
  if (value.length < shortestSecret || placeholderValues.has(value.toLowerCase())) return false
  if (isHarmless(name, value)) return false
  if (isSecretName(name) || hasPassword(value)) return true
  if (harmlessFamily.test(name)) return false
  return value.length >= unnamedLength && hasHighEntropy(value)
}

/** Hidden from tools: a secret, or a value whose name says so although it is too short or too common to be redacted. */
export function isWithheld(name: string, value: string): boolean {
  if (value === "") return false
  return countsAsSecret(name, value) || (isSecretName(name) && !pointerName.test(name) && !isWellKnown(name))
}

function isHarmless(name: string, value: string): boolean {
  return isWellKnown(name) || isPath(value) || isPlainAddress(value) || isPlainProxy(name, value)
}

function isWellKnown(name: string): boolean {
  return harmlessNames.has(name) || harmlessNames.has(name.toLowerCase())
}

/** Proxies are often given without a scheme. */
function isPlainProxy(name: string, value: string): boolean {
  return /proxy$/i.test(name) && !value.includes("@")
}

/** An address, or a part of one, with a user and a password. */
function hasPassword(value: string): boolean {
  return /^([a-z][a-z0-9+.-]*:\/\/)?[^/\s:@]*:[^/\s@]+@[^/\s]/i.test(value)
}

export function isSecretName(name: string): boolean {
  return secretName.test(name)
}

/** At least three bits of Shannon entropy per character. */
export function hasHighEntropy(value: string): boolean {
  const counts = new Map<string, number>()
  for (const character of value.split("")) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits >= bitsPerCharacter
}

/** One path or a list of them. A key may begin with a slash too, but its parts do not look like names. */
function isPath(value: string): boolean {
  return value.split(":").every((part) => /^(~|\.{1,2})?\//.test(part) && !part.split("/").some(looksRandom))
}

/** An address without a user, a secret parameter or a token in its path. */
function isPlainAddress(value: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value) || !URL.canParse(value)) return false
  const { username, password, pathname, searchParams } = new URL(value)
  const isGitUser = username === "git" && password === "" // as in clone addresses
  if ((username !== "" && !isGitUser) || password !== "" || pathname.split("/").some(looksRandom)) return false
  return ![...searchParams].some(([key, text]) => isSecretName(key) || looksRandom(text))
}

function looksRandom(part: string): boolean {
  return part.length >= 16 && /[a-z]/.test(part) && /[A-Z]/.test(part) && /[0-9]/.test(part)
}
