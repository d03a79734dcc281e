import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The examples under deploy/, used as they are shipped except for addresses and paths. */

export function readShipped(name) {
  return readFileSync(fileURLToPath(new URL(`../deploy/${name}`, import.meta.url)), 'utf8')
}

/**
 * Replaces the values of an example by those of the drill. A value that the file does not contain
 * is an error: the drill would silently test something else.
 */
export function fillIn(text, replacements) {
  let filled = text
  for (const [from, to] of replacements) {
    if (!filled.includes(from)) throw new Error(`The example does not contain "${from}".`)
    filled = filled.replaceAll(from, to)
  }
  return filled
}

/** What a systemd unit starts: its command and the variables that the unit itself sets. */
export function readUnit(name, replacements) {
  const lines = fillIn(readShipped(name), replacements).split('\n')
  const valuesOf = (key) =>
    lines.filter((line) => line.startsWith(`${key}=`)).map((line) => line.slice(key.length + 1))
  const [command] = valuesOf('ExecStart')
  return {
    command: command.split(' '),
    env: Object.fromEntries(valuesOf('Environment').map((pair) => pair.split(/=(.*)/s, 2))),
    restartMs: Number(valuesOf('RestartSec')[0]) * 1000,
  }
}
