import { useEffect, useState } from 'react'

const typingPauseMs = 350

/** The value once it has not changed for a moment: a form asks when the typing pauses. */
export function useSettled<Value>(value: Value, pauseMs = typingPauseMs): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs)
    return () => clearTimeout(timer)
  }, [value, pauseMs])
  return settled
}
