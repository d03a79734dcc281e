import { createStore, useStore } from './store'

export type Mode = 'test' | 'live'

/** The merchant and mode that this tab shows. Null: none is chosen, as in the operator's area. */
export type Scope = { merchant: string | null; mode: Mode }

const storageKey = 'manilla.scope'

/** The mode that the address names: a link to a filtered list shows what its sender saw. */
export const linkedMode = new URLSearchParams(window.location.search).get('mode')

/** Each tab keeps its own; a new tab begins with the one used last. */
function readStored(): Scope {
  const text = sessionStorage.getItem(storageKey) ?? localStorage.getItem(storageKey)
  try {
    const { merchant = null, mode } = JSON.parse(text ?? '{}') as Partial<Scope>
    return { merchant, mode: (linkedMode ?? mode) === 'live' ? 'live' : 'test' }
  } catch {
    return { merchant: null, mode: 'test' }
  }
}

const scope = createStore<Scope>(readStored())
// Of this tab: its next pages have no mode in their addresses.
if (linkedMode !== null) sessionStorage.setItem(storageKey, JSON.stringify(scope.read()))

export const readScope = scope.read
export const useScope = () => useStore(scope)

export function writeScope(next: Scope): void {
  const text = JSON.stringify(next)
  sessionStorage.setItem(storageKey, text)
  localStorage.setItem(storageKey, text)
  scope.write(next)
}
