import { createStore } from './store'

type Asking = { answer: (isProven: boolean) => void }

/** Set while a call waits for the user to prove a factor again. */
export const stepUpAsked = createStore<Asking | null>(null)

let asking: Promise<boolean> | undefined

/** Opens the step-up dialog. Calls that are refused at the same time share one. */
export function askStepUp(): Promise<boolean> {
  asking ??= new Promise<boolean>((resolve) => {
    stepUpAsked.write({
      answer(isProven) {
        asking = undefined
        stepUpAsked.write(null)
        resolve(isProven)
      },
    })
  })
  return asking
}
