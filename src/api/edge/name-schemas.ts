type Json = Record<string, unknown>
type Document = { components?: { schemas?: object } }

/** Writes every schema that has a title once, under its name, and refers to it elsewhere. */
export function nameSchemas<Given extends Document>(document: Given): Given {
  const schemas: Json = {}
  const named = refer(document, schemas) as Given
  const sorted = Object.entries(schemas).sort(([left], [right]) => (left < right ? -1 : 1))
  return { ...named, components: { ...named.components, schemas: Object.fromEntries(sorted) } }
}

function refer(value: unknown, schemas: Json): unknown {
  if (Array.isArray(value)) return value.map((one) => refer(one, schemas))
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, refer(one, schemas)]),
  )
  // The document itself has a title too; only a schema says what type it describes.
  if (typeof copy.title !== 'string' || copy.type !== 'object') return copy
  schemas[copy.title] = copy
  return { $ref: `#/components/schemas/${copy.title}` }
}
