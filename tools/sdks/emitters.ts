import { printGo } from './go.js'
import { printPhp } from './php.js'
import { printPython } from './python.js'
import type { Api } from './read-api.js'

/** Writes the generated files of one SDK: their text by path, from the root of the repository. */
export type Emitter = (api: Api) => Map<string, string>

/** The SDKs that are generated from the same shape, by the folder that holds them. */
export const emitters: Record<string, Emitter> = {
  'sdks/go': printGo,
  'sdks/php': printPhp,
  'sdks/python': printPython,
}
