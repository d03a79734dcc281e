const storageKey = 'manilla.reloadedAt'
const pauseMs = 60_000

/**
 * An upgrade of the server replaces the files that this page would load next. Reloads the page
 * then, at most once a minute. Without a network it stays: a reload would lose what is shown.
 */
export function reloadOnMissingCode(): void {
  addEventListener('vite:preloadError', (event) => {
    if (!navigator.onLine) return
    const reloadedAt = Number(sessionStorage.getItem(storageKey) ?? 0)
    if (Date.now() - reloadedAt < pauseMs) return
    event.preventDefault()
    sessionStorage.setItem(storageKey, String(Date.now()))
    location.reload()
  })
}
