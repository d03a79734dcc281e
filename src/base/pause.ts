/** The pause of a loop, which a wake-up ends. One that comes while the loop works skips a pause. */
export class Pause {
  #isWoken = false
  #end: (() => void) | undefined

  /** Whether the loop waits now. */
  get isWaiting(): boolean {
    return this.#end !== undefined
  }

  async wait(durationMs: number): Promise<void> {
    if (!this.#isWoken)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, durationMs)
        this.#end = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    this.#end = undefined
    this.#isWoken = false
  }

  wake(): void {
    this.#isWoken = true
    this.#end?.()
  }
}
