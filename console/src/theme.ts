import {
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
  Menu,
} from '@mantine/core'
import { dark, light } from '../../src/api/checkout-page/brand'

/** Ten shades of one colour: components pick by index, and all our buttons use the middle one. */
const shades = (pale: string, colour: string): MantineColorsTuple => [
  pale,
  pale,
  pale,
  colour,
  colour,
  colour,
  colour,
  colour,
  colour,
  colour,
]

/** Lines inside cards, fainter than those around them. */
const hair = { light: '#f1ece1', dark: '#2a2720' }

export const theme = createTheme({
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", Ubuntu, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  colors: {
    brand: shades(light.wash, light.brand),
  },
  primaryColor: 'brand',
  primaryShade: { light: 6, dark: 6 },
  defaultRadius: 10,
  focusRing: 'auto',
  cursorType: 'pointer',
  respectReducedMotion: true,
  // Its placeholder for the first focus is no item, which a menu may not have. The first item gets it.
  components: { Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }) },
})

/** Our colours as custom properties, and Mantine's own ones in our colours. */
export const resolveVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: { ...ours(light, hair.light), '--shadow': '0 1px 2px #1c1b180f', 'color-scheme': 'light' },
  dark: { ...ours(dark, hair.dark), '--shadow': 'none', 'color-scheme': 'dark' },
})

function ours(brand: typeof light, hairline: string): Record<string, string> {
  return {
    ...Object.fromEntries(Object.entries(brand).map(([name, colour]) => [`--${name}`, colour])),
    '--hair': hairline,
    '--mantine-color-body': brand.card,
    '--mantine-color-text': brand.ink,
    '--mantine-color-dimmed': brand.soft,
    '--mantine-color-placeholder': brand.soft,
    '--mantine-color-anchor': brand.brand,
    '--mantine-color-error': brand.bad,
    '--mantine-color-red-6': brand.bad,
    '--mantine-color-red-light-hover': brand['bad-wash'],
    '--mantine-color-default': brand.card,
    '--mantine-color-default-hover': hairline,
    '--mantine-color-default-color': brand.ink,
    '--mantine-color-default-border': brand.edge,
    '--mantine-color-bright': brand.ink,
    '--mantine-color-disabled': hairline,
    '--mantine-color-disabled-color': brand.soft,
    '--mantine-color-disabled-border': brand.line,
    '--mantine-primary-color-filled': brand.brand,
    '--mantine-primary-color-filled-hover': brand.brand,
    '--mantine-primary-color-light': brand.wash,
    '--mantine-primary-color-light-hover': brand.wash,
    '--mantine-primary-color-light-color': brand.brand,
    '--mantine-primary-color-contrast': brand['on-brand'],
    '--mantine-color-brand-filled': brand.brand,
    '--mantine-color-dark-6': brand.card,
    '--mantine-color-dark-4': brand.line,
    '--mantine-color-gray-2': brand.line,
  }
}
