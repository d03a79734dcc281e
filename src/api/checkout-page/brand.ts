/** The light theme. The merchant's colour may replace `brand`. */
export const light = {
  ground: '#faf7f1',
  card: '#ffffff',
  ink: '#1c1b18',
  soft: '#6b665c',
  line: '#e7e0d2',
  edge: '#8f8778',
  brand: '#8a5a12',
  'on-brand': '#ffffff',
  brass: '#b7791f',
  wash: '#f6eedd',
  good: '#15703f',
  'good-wash': '#e3f3e9',
  warn: '#8a4b00',
  'warn-wash': '#fdf0dc',
  bad: '#a3261c',
  'bad-wash': '#fbe7e3',
}

export const dark: typeof light = {
  ground: '#14130f',
  card: '#1e1c17',
  ink: '#f3eee3',
  soft: '#a79f8f',
  line: '#37332a',
  edge: '#7d7566',
  brand: '#e2b25e',
  'on-brand': '#14130f',
  brass: '#d9a441',
  wash: '#2a2519',
  good: '#6fd39b',
  'good-wash': '#15301f',
  warn: '#f0b968',
  'warn-wash': '#33260f',
  bad: '#f09a8f',
  'bad-wash': '#3a1a16',
}

/** WCAG AA for text. */
const contrastMin = 4.5

/** The theme in the merchant's colour, if that is readable as text and as a button background. */
export function inColour(theme: typeof light, colour: string | null): typeof light {
  if (colour === null || !/^#[0-9a-f]{6}$/i.test(colour)) return theme
  const grounds = [theme.ground, theme.card, theme.wash, theme['on-brand']]
  const isReadable = grounds.every((ground) => contrast(colour, ground) >= contrastMin)
  return isReadable ? { ...theme, brand: colour } : theme
}

/** Contrast ratio as defined by WCAG 2, from 1 to 21. */
export function contrast(first: string, second: string): number {
  const [darker, lighter] = [luminance(first), luminance(second)].sort((a, b) => a - b)
  return (lighter! + 0.05) / (darker! + 0.05)
}

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}
