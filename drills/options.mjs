import { parseArgs } from 'node:util'

/**
 * Reads the command line of a drill. An option is a whole number if its default is one; `--keep`
 * takes no value.
 */
export function readOptions(defaults) {
  const names = Object.keys(defaults)
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  const { values } = parseArgs({
    options: { ...options, seed: { type: 'string' }, keep: { type: 'boolean' } },
  })
  const numbers = names.map((name) => [name, readNumber(name, values[name], defaults[name])])
  return {
    ...Object.fromEntries(numbers),
    seed: readNumber('seed', values.seed, Math.floor(Math.random() * 2 ** 31)),
    keepsFolder: values.keep === true,
  }
}

function readNumber(name, text, standard) {
  if (text === undefined) return standard
  if (typeof standard === 'string') return text
  if (!/^\d{1,10}$/.test(text)) throw new Error(`--${name} must be a whole number.`)
  return Number(text)
}
