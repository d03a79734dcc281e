import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'

/**
 * After a navigation, the focus moves to the heading of the new screen, so that screen readers
 * announce it. Filters, which only change the query, leave the focus where it is.
 */
export function useFocusOnHeading(): void {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, toLocation }) => {
        const hasMoved = fromLocation && fromLocation.pathname !== toLocation.pathname
        if (hasMoved) document.querySelector<HTMLElement>('main h1')?.focus()
      }),
    [router],
  )
}
