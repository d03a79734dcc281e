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

/** The example of a shape, put together from those of its fields. */
export function composeExample(schema: object): unknown {
  const {
    type,
    examples,
    const: only,
    enum: words,
    anyOf,
    oneOf,
    items,
    properties,
  } = schema as Schema
  if (examples) return examples[0]
  if (only !== undefined) return only
  if (words) return words[0]
  const forms = anyOf ?? oneOf
  if (forms) return composeExample(forms[0]!)
  if (type === 'null') return null
  if (items) return [composeExample(items)]
  if (properties)
    return Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [name, composeExample(field)]),
    )
  throw new Error(`A field has no example: ${JSON.stringify(schema)}`)
}
