/** `environmentId` in code is `environment_id` in SQL; both directions are here. */

export function toColumn(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Result columns have few names, and connections describe their statements often. */
const fields = new Map<string, string>()

export function toField(column: string): string {
  const known = fields.get(column)
  if (known !== undefined) return known
  const field = column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  fields.set(column, field)
  return field
}
