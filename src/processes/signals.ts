import { limits } from '../base/limits.js'

/** Resolves at the first signal to stop. A second signal exits at once. */
export function waitForSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const onSignal = (signal: NodeJS.Signals) => {
      resolve(signal)
      for (const name of signals) process.removeListener(name, onSignal)
      for (const name of signals) process.once(name, () => process.exit(1))
    }
    for (const name of signals) process.on(name, onSignal)
  })
}

/** When closing begins: a slow one must not keep the process. */
export function forceExitLater(): void {
  setTimeout(() => process.exit(1), limits.http.forcedExitMs).unref()
}

const signals: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']
