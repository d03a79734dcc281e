import { asMarkup, type Html } from '../../base/html.js'

const drawn = (paths: string) =>
  asMarkup(`<svg viewBox="0 0 32 32" aria-hidden="true">${paths}</svg>`)

/** Decorative icons: the text next to them says the same. */
export const signs = {
  paid: drawn('<path d="M7 17l6 6 12-13"/>'),
  refunded: drawn('<path d="M12 6l-6 6 6 6"/><path d="M6 12h14a6 6 0 0 1 0 12h-5"/>'),
  waiting: drawn('<path d="M16 4a12 12 0 1 1-11.4 8.3"/>'),
  expired: drawn('<circle cx="16" cy="16" r="12"/><path d="M16 9v7l5 3"/>'),
  cancelled: drawn('<path d="M9 9l14 14M23 9L9 23"/>'),
  unknown: drawn('<path d="M11 12a5 5 0 1 1 7 4.6c-1.4.6-2 1.6-2 3.4M16 25.5v.1"/>'),
} satisfies Record<string, Html>

const ring =
  '<path d="M17.2 40.2A18 18 0 1 1 30.8 40.2" fill="none" stroke="#B7791F" stroke-width="6.5"/>' +
  '<path d="M15.97 43.2 18.43 37.18 22.22 36.4 18.14 46.42ZM32.03 43.2 29.57 37.18 25.78 36.4 ' +
  '29.86 46.42Z" fill="#B7791F"/>'

/** The Manilla logo: an open brass ring. */
export const mark = asMarkup(`<svg viewBox="0 0 48 48" aria-hidden="true">${ring}</svg>`)

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48">${ring}</svg>`

/** Inline, because the browser would otherwise request /favicon.ico. */
export const tabIcon = `data:image/svg+xml,${encodeURIComponent(icon)}`
