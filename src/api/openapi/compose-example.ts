type Schema = {
  type?: string
  examples?: unknown[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  pattern?: string
  /** A field that few resources have: examples are without it. */
  'x-left-out'?: boolean
}

/**
 * Composes the example of a schema from the examples of its fields. Optional fields with the given
 * pattern are left out.
 */
export function composeExample(schema: object, withoutPattern?: string): unknown {
  const {
    type,
    examples,
    const: literal,
    enum: values,
    items,
    properties,
    required = [],
    ...rest
  } = schema as Schema
  if (examples) return examples[0]
  if (literal !== undefined) return literal
  if (values) return values[0]
  const variants = rest.anyOf ?? rest.oneOf
  if (variants) return composeExample(variants[0]!, withoutPattern)
  if (type === 'null') return null
  if (items) return [composeExample(items, withoutPattern)]
  if (properties)
    return Object.fromEntries(
      Object.entries(properties)
        .filter(
          ([name, { pattern, 'x-left-out': isLeftOut }]) =>
            !isLeftOut && (!pattern || pattern !== withoutPattern || required.includes(name)),
        )
        .map(([name, field]) => [name, composeExample(field, withoutPattern)]),
    )
  throw new Error(`Schema without an example: ${JSON.stringify(schema)}`)
}
