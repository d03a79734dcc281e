import { Ajv } from 'ajv'
import type { Route } from '../../src/api/server/route.js'

const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false })

/** Throws if an operator route answers with anything but its view, or with other fields. */
export function checkOperatorAnswer(routes: Route[], method: string, url: string, data: unknown) {
  const [path = ''] = url.split('?')
  const found = routes.filter((route) => route.method === method && matches(route.path, path))
  // Both of a fixed path and of a parameter: the fixed one answers.
  const route = found.find((one) => one.path === path) ?? found[0]
  if (route?.access !== 'operator') return
  const validate = ajv.compile(close(route.answers[200]))
  if (validate(data)) return
  throw new Error(`${method} ${path}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(data)}`)
}

function matches(pattern: string, path: string): boolean {
  return new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`).test(path)
}

function close(schema: unknown): object {
  return JSON.parse(JSON.stringify(schema), (_key, value) => {
    const isOpenObject = value?.type === 'object' && value.additionalProperties === undefined
    return isOpenObject ? { ...value, additionalProperties: false } : value
  })
}
