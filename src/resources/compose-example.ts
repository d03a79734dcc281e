type Schema = {
  type?: string
  examples?: unknown[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
}

/** Composes the example of a schema from the examples of its fields. */
export function composeExample(schema: object): unknown {
  const {
    type,
    examples,
    const: literal,
    enum: values,
    items,
    properties,
    ...rest
  } = schema as Schema
  if (examples) return examples[0]
  if (literal !== undefined) return literal
  if (values) return values[0]
  const variants = rest.anyOf ?? rest.oneOf
  if (variants) return composeExample(variants[0]!)
  if (type === 'null') return null
  if (items) return [composeExample(items)]
  if (properties)
    return Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [name, composeExample(field)]),
    )
  throw new Error(`Schema without an example: ${JSON.stringify(schema)}`)
}
