import { useSyncExternalStore } from 'react'

export type Store<Value> = {
  read: () => Value
  write: (value: Value) => void
  subscribe: (listener: () => void) => () => void
}

/** A value outside of components that they can follow with `useStore`. */
export function createStore<Value>(initial: Value): Store<Value> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    read: () => value,
    write(next) {
      value = next
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export function useStore<Value>({ subscribe, read }: Store<Value>): Value {
  return useSyncExternalStore(subscribe, read)
}
