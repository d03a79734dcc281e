import type { ReactNode } from 'react'

/** Strokes of every icon, on a grid of 24. */
const strokes = {
  alert: <path d="M12 4 3.5 19h17ZM12 10v4m0 2.8v.1" />,
  balance: (
    <>
      <rect x="3.5" y="6" width="17" height="13" rx="2.5" />
      <path d="M3.5 10h17M16 14.5h1" />
    </>
  ),
  bank: <path d="M4 9.5 12 5l8 4.5ZM6 12v5m4-5v5m4-5v5m4-5v5M4 19.5h16" />,
  bell: <path d="M6.5 16V11a5.5 5.5 0 0 1 11 0v5l1.5 2H5ZM10 20.5h4" />,
  check: <path d="m5.5 12.5 4.5 4.5 8.5-9.5" />,
  chevron: <path d="m8 10 4 4 4-4" />,
  clock: (
    <>
      <circle cx="12" cy="12" r="8" />
      <path d="M12 7.5V12l3 2" />
    </>
  ),
  close: <path d="m6.5 6.5 11 11m0-11-11 11" />,
  code: <path d="m8.5 8-4 4 4 4m7-8 4 4-4 4" />,
  coin: (
    <>
      <circle cx="12" cy="12" r="8" />
      <path d="M14.5 9.5C14 8.7 13 8.3 12 8.3c-1.5 0-2.5.7-2.5 1.8 0 2.6 5 1.2 5 3.8 0 1.1-1 1.8-2.5 1.8-1.1 0-2-.4-2.5-1.2M12 7v1.3m0 7.4V17" />
    </>
  ),
  copy: (
    <>
      <rect x="8.5" y="8.5" width="11" height="11" rx="2" />
      <path d="M15.5 8.5v-2a2 2 0 0 0-2-2h-7a2 2 0 0 0-2 2v7a2 2 0 0 0 2 2h2" />
    </>
  ),
  download: <path d="M12 4.5v10m-4-4 4 4 4-4M5 19.5h14" />,
  file: <path d="M7 3.5h7l4 4v13H7ZM14 3.5v4h4" />,
  finger: (
    <path d="M5 14.5c.3-1 .4-1.8.4-2.8a6.6 6.6 0 0 1 13.2 0c0 1.8-.1 3.3-.5 4.8M8.2 18.5c.7-2 .9-4 .9-6.5a2.9 2.9 0 0 1 5.8 0c0 3-.3 5.5-1.2 8M12 12.5c0 2.5-.2 4.5-.8 6.5" />
  ),
  gear: (
    <>
      <circle cx="12" cy="12" r="3" />
      <path d="M12 3.5v2.5m0 12v2.5M3.5 12H6m12 0h2.5M6 6l1.8 1.8m8.4 8.4L18 18M6 18l1.8-1.8m8.4-8.4L18 6" />
    </>
  ),
  held: (
    <path d="M7.5 12.5v-6a1.5 1.5 0 0 1 3 0v4.5m0-.5V5a1.5 1.5 0 0 1 3 0v5.5m0-.5V6a1.5 1.5 0 0 1 3 0v8c0 4-2.3 6.5-5.5 6.5-2.5 0-4-1.2-5.2-3.5l-1.9-3.5a1.5 1.5 0 0 1 2.6-1.5Z" />
  ),
  home: <path d="M4 11 12 4l8 7v8.5a.5.5 0 0 1-.5.5H15v-6H9v6H4.5a.5.5 0 0 1-.5-.5Z" />,
  hook: (
    <path d="M12 8.5 8.5 15M12 8.5a3 3 0 1 0-2.8-2M8.5 15a3 3 0 1 0-1.5 3.5M8.5 15h7m0 0a3 3 0 1 0 1-2.2M12 8.5l3.5 6.5" />
  ),
  key: (
    <>
      <circle cx="8" cy="15.5" r="3.5" />
      <path d="m10.5 13 8-8m-3 3 2.5 2.5" />
    </>
  ),
  link: (
    <path d="M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3A4 4 0 0 0 11 18.7l1-1" />
  ),
  list: <path d="M8.5 6.5h11M8.5 12h11M8.5 17.5h11M4.5 6.5h.01M4.5 12h.01M4.5 17.5h.01" />,
  mail: <path d="M4 6h16v12H4ZM4 7l8 6 8-6" />,
  menu: <path d="M4.5 7h15M4.5 12h15M4.5 17h15" />,
  payIn: <path d="M12 4v11m-4.5-4.5L12 15l4.5-4.5M4.5 16v3.5h15V16" />,
  payOut: <path d="M12 15V4M7.5 8.5 12 4l4.5 4.5M4.5 16v3.5h15V16" />,
  play: <path d="M8 5.5v13l10.5-6.5Z" />,
  plus: <path d="M12 5.5v13M5.5 12h13" />,
  print: (
    <path d="M7.5 9V4.5h9V9M7 16.5H5a1 1 0 0 1-1-1V10a1 1 0 0 1 1-1h14a1 1 0 0 1 1 1v5.5a1 1 0 0 1-1 1h-2M7.5 14h9v5.5h-9Z" />
  ),
  pulse: <path d="M3.5 12.5h4l2.5-7 4 13 2.5-6h4" />,
  redo: <path d="M19 12a7 7 0 1 1-2-5m2.5-2.5V8.5h-4" />,
  right: <path d="m10 7 5 5-5 5" />,
  scale: <path d="M12 4.5v15M7 19.5h10M5 7.5h14M5 7.5l-2.5 6h5ZM19 7.5l-2.5 6h5Z" />,
  search: (
    <>
      <circle cx="11" cy="11" r="6.5" />
      <path d="m16 16 4 4" />
    </>
  ),
  shield: (
    <>
      <path d="M12 3.5 5 6v5.5c0 4.5 3 7.5 7 9 4-1.5 7-4.5 7-9V6Z" />
      <path d="m9 12 2.2 2.2L15.2 10" />
    </>
  ),
  snow: (
    <path d="M12 3.5v17M4.6 7.8l14.8 8.4M19.4 7.8 4.6 16.2M9.5 4.8 12 7l2.5-2.2M9.5 19.2 12 17l2.5 2.2M4.7 11l3-1-.6-3.2M19.3 13l-3 1 .6 3.2M4.7 13l3 1-.6 3.2M19.3 11l-3-1 .6-3.2" />
  ),
  store: (
    <path d="M5 10v9.5h14V10M4 10l1.5-5.5h13L20 10a2.7 2.7 0 0 1-5.3 0 2.7 2.7 0 0 1-5.4 0A2.7 2.7 0 0 1 4 10Z" />
  ),
  swap: <path d="M4.5 8.5h15m-3.5-3.5 3.5 3.5-3.5 3.5M19.5 16h-15m3.5-3.5L4.5 16 8 19.5" />,
  tag: <path d="M4.5 4.5h7.5l7.5 7.5-7.5 7.5L4.5 12ZM8.5 8.5h.01" />,
  users: (
    <>
      <circle cx="9.5" cy="8.5" r="3.5" />
      <path d="M3.5 19.5c.5-3.5 2.8-5 6-5s5.5 1.5 6 5M15.5 5.3a3.5 3.5 0 0 1 0 6.4m2 3.3c1.8.7 2.8 2.2 3 4.5" />
    </>
  ),
  sun: (
    <>
      <circle cx="12" cy="12" r="4" />
      <path d="M12 3.5V5m0 14v1.5M3.5 12H5m14 0h1.5M6 6l1 1m10 10 1 1M6 18l1-1M17 7l1-1" />
    </>
  ),
  moon: <path d="M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10Z" />,
  left: <path d="m14 7-5 5 5 5" />,
  external: (
    <path d="M13.5 5H19v5.5M19 5l-8 8M10 6H6a1 1 0 0 0-1 1v11a1 1 0 0 0 1 1h11a1 1 0 0 0 1-1v-4" />
  ),
  dots: <path strokeWidth="2.8" d="M5.5 12h.01M12 12h.01M18.5 12h.01" />,
  signOut: <path d="M10 5H6a1 1 0 0 0-1 1v12a1 1 0 0 0 1 1h4M14 8l4 4-4 4m4-4H9.5" />,
} satisfies Record<string, ReactNode>

export type IconName = keyof typeof strokes

/** Decorative: the text beside it, or the label of its button, says the same. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
      {strokes[name]}
    </svg>
  )
}

/** The Manilla logo: an open brass ring. */
export function Mark({ size = 18 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 48 48" aria-hidden="true">
      <path d="M17.2 40.2A18 18 0 1 1 30.8 40.2" fill="none" stroke="#B7791F" strokeWidth="6.5" />
      <path
        d="M15.97 43.2 18.43 37.18 22.22 36.4 18.14 46.42ZM32.03 43.2 29.57 37.18 25.78 36.4 29.86 46.42Z"
        fill="#B7791F"
      />
    </svg>
  )
}
