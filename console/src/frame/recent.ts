import { readScope } from '../api/scope'
import { createStore, useStore } from '../api/store'

export type Recent = { path: string; title: string }

const recentsMax = 6

const keyOf = () => {
  const { merchant, mode } = readScope()
  return `manilla.recent.${merchant}.${mode}`
}

const changes = createStore(0)

/** What this user opened last in this merchant and mode. */
export function useRecent(): Recent[] {
  useStore(changes)
  return readRecent()
}

function readRecent(): Recent[] {
  try {
    return JSON.parse(localStorage.getItem(keyOf()) ?? '[]') as Recent[]
  } catch {
    return []
  }
}

export function noteRecent(recent: Recent): void {
  const others = readRecent().filter(({ path }) => path !== recent.path)
  localStorage.setItem(keyOf(), JSON.stringify([recent, ...others].slice(0, recentsMax)))
  changes.write(changes.read() + 1)
}

/** Of what was deleted. */
export function forgetRecent(gone: string): void {
  const others = readRecent().filter(({ path }) => path !== gone)
  localStorage.setItem(keyOf(), JSON.stringify(others))
  changes.write(changes.read() + 1)
}
